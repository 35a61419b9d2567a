import type { Case } from '../../contract/agreement.ts';
import type { JsonBlocks } from '../../documents/json-blocks.ts';
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { memberNames } from '../../schemas/member-names.ts';
import { partNamed } from './case-text.ts';

/**
 * The cases in the JSON of a text: a list of cases, an object with one list of them, an object with a case as each
 * member, or several objects that each are a case. `undefined` if some of the JSON is something else.
 */
export function listedCases({ blocks, broken }: JsonBlocks): Case[] | undefined {
  if (broken.length > 0 || blocks.some(({ lenient }) => lenient)) return undefined;
  const cases: ListedCase[] = [];
  for (const item of blocks.flatMap(({ value }) => candidatesIn(value))) {
    const read = caseIn(item);
    if (read === undefined) return undefined;
    cases.push(read);
  }
  if (cases.length === 0) return undefined;
  const numbers = new Set(cases.map(({ number }) => number).filter((number) => number !== undefined && number > 0));
  return cases.map(({ number, ...each }, index) => ({
    testCase: numbers.size === cases.length && number !== undefined ? number : index + 1,
    ...each,
    negative: false,
  }));
}

function candidatesIn(value: Json): readonly Json[] {
  if (Array.isArray(value)) return value;
  if (!isObject(value)) return [value];
  if (caseIn(value) !== undefined) return [value];
  const members = Object.values(value);
  const lists = members.filter((member) => Array.isArray(member));
  if (lists.length === 1 && lists[0] !== undefined) return lists[0];
  return members.length > 0 && members.every((member) => caseIn(member) !== undefined) ? members : [value];
}

/** Names of members that contain a case number. */
const NUMBER = /^(?:test_?)?(?:case|number|no|id|编号|序号)$/i;

/** Most members of a case; an object with more is something else. */
const MAX_MEMBERS = 20;

type ListedCase = Pick<Case, 'request' | 'response' | 'expected'> & { number: number | undefined };

function caseIn(item: Json): ListedCase | undefined {
  if (!isObject(item)) return undefined;
  const names = memberNames(item);
  if (names.length > MAX_MEMBERS) return undefined;
  const parts = new Map(names.map((name) => [partNamed(wordsOf(name)), name]));
  const memberOf = (part: 'request' | 'response' | 'result'): Json | undefined =>
    Object.hasOwn(item, part) ? item[part] : memberNamed(item, parts.get(part));
  const [request, result] = [memberOf('request'), memberOf('result')];
  const isExpected = typeof result === 'string';
  const response = memberOf('response') ?? (isExpected ? undefined : result);
  if (request === undefined || response === undefined) return undefined;
  const number = Object.entries(item).find(([name, value]) => NUMBER.test(name) && Number.isInteger(value))?.[1];
  return { request, response, expected: isExpected ? result : '', number: number as number | undefined };
}

function memberNamed(item: JsonObject, name: string | undefined): Json | undefined {
  return name === undefined ? undefined : item[name];
}

/** The words in a name such as `testRequestData` or `expected_response`. */
function wordsOf(name: string): string {
  return name.replace(/([a-z])([A-Z])/g, '$1 $2').replaceAll('_', ' ');
}
