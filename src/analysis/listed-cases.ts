import type { Case } from '../contract/agreement.ts';
import { isObject, type Json, type JsonObject } from '../kernel/json.ts';
import { partNamed } from './case-text.ts';
import type { JsonBlocks } from './json-blocks.ts';

/** Cases that the JSON of a text gives: a list of them, a list under a name, or one object each; `undefined` where some JSON in it is none. */
export function listedCases({ blocks, broken }: JsonBlocks): Case[] | undefined {
  if (broken.length > 0 || blocks.some(({ lenient }) => lenient)) return undefined;
  const read = blocks.flatMap(({ value }) => itemsOf(value)).map(caseIn);
  const cases = read.filter((each) => each !== undefined);
  if (cases.length === 0 || cases.length < read.length) return undefined;
  const numbers = new Set(cases.map(({ number }) => number).filter((number) => number !== undefined && number > 0));
  return cases.map(({ number, ...each }, index) => ({
    testCase: numbers.size === cases.length && number !== undefined ? number : index + 1,
    ...each,
    negative: false,
  }));
}

function itemsOf(value: Json): readonly Json[] {
  if (Array.isArray(value)) return value;
  if (!isObject(value)) return [value];
  const lists = Object.values(value).filter((member) => Array.isArray(member));
  return caseIn(value) === undefined && lists.length === 1 && lists[0] !== undefined ? lists[0] : [value];
}

/** Names of members that number a case. */
const NUMBER = /^(?:test_?)?(?:case|number|no|id|编号|序号)$/i;

function caseIn(
  item: Json,
): (Pick<Case, 'request' | 'response' | 'expected'> & { number: number | undefined }) | undefined {
  if (!isObject(item)) return undefined;
  const parts = new Map(Object.keys(item).map((name) => [partNamed(wordsOf(name)), name]));
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

/** The words of a name such as `testRequestData` or `expected_response`. */
function wordsOf(name: string): string {
  return name.replace(/([a-z])([A-Z])/g, '$1 $2').replaceAll('_', ' ');
}
