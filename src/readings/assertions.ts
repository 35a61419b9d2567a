import type { Loose } from '../contract/job.ts';
import type { Assertion } from '../contract/reading.ts';
import { isObject, type Json, valueAt } from '../kernel/json.ts';
import { comparableText, equalJson, equalText } from '../schemas/equal-json.ts';
import { looseDifferences, substitute } from '../verification/loose-places.ts';

/** The differences allowed between a value and an assertion. */
export interface Allowance {
  /** The values that `sameAsBase` accepts. */
  base: readonly Json[];
  /** Places, from the root of the value, that may have any value. */
  loose: readonly Loose[];
  /** Values that replace values of the base case: ids that the handler created. */
  replacements: readonly { from: Json; to: Json }[];
}

const nothing: Allowance = { base: [], loose: [], replacements: [] };

/** Why a value fails an assertion, in a few words; `undefined` if it satisfies it. */
export function assertionFault(assertion: Assertion, value: Json, allowance = nothing): string | undefined {
  const { at = '' } = assertion;
  const found = valueAt(value, at);
  const loose = allowance.loose.flatMap(({ pointer, as }) =>
    pointer === at || pointer.startsWith(`${at}/`) ? [{ pointer: pointer.slice(at.length), as }] : [],
  );
  const same: Same = (one, other) => {
    if (isSame(one, other) || one === undefined || other === undefined) return isSame(one, other);
    const wanted = substitute(other, allowance.replacements);
    return looseDifferences(wanted, one, loose).length === 0;
  };
  for (const [name, holds] of Object.entries(holdsAt)) {
    const wanted = assertion[name as keyof typeof holdsAt] as Json | undefined;
    if (wanted === undefined) continue;
    const base = allowance.base.map((one) => valueAt(one, at));
    if (!holds(found, wanted, same, base)) return `wanted ${wordsFor(name, wanted)}`;
  }
  return undefined;
}

/** Whether a value satisfies all assertions. */
export function satisfiesAll(assertions: readonly Assertion[], value: Json): boolean {
  return assertions.every((one) => assertionFault(one, value) === undefined);
}

/**
 * Whether two values count as the same in a case: JSON by value, texts after CRLF → LF and without one final newline.
 */
export function isSame(one: Json | undefined, other: Json | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  if (typeof one === 'string' && typeof other === 'string') return equalText(one, other);
  return equalJson(one, other);
}

type Same = (found: Json | undefined, wanted: Json | undefined) => boolean;

type Holds = (found: Json | undefined, wanted: Json, same: Same, base: readonly (Json | undefined)[]) => boolean;

const holdsAt: Record<Exclude<keyof Assertion, 'at'>, Holds> = {
  equals: (found, wanted, same) => same(found, wanted),
  notEquals: (found, wanted) => !isSame(found, wanted),
  oneOf: (found, wanted, same) => Array.isArray(wanted) && wanted.some((one) => same(found, one)),
  absent: (found) => found === undefined,
  present: (found) => found !== undefined,
  absentOrNull: (found) => found === undefined || found === null,
  absentOrEquals: (found, wanted, same) => found === undefined || same(found, wanted),
  contains: (found, wanted) => contains(found, wanted),
  notContains: (found, wanted) => !contains(found, wanted),
  lessOrEqual: (found, wanted) => typeof found === 'number' && found <= Number(wanted),
  greaterOrEqual: (found, wanted) => typeof found === 'number' && found >= Number(wanted),
  length: (found, wanted) => lengthOf(found) === wanted,
  maxLength: (found, wanted) => (lengthOf(found) ?? Number.POSITIVE_INFINITY) <= Number(wanted),
  sameAsBase: (found, _wanted, same, base) => base.some((one) => same(found, one)),
};

/**
 * Whether a text contains another text, a list an item, or an object a member of this name or a text that contains it.
 */
function contains(found: Json | undefined, wanted: Json): boolean {
  if (typeof found === 'string') return comparableText(found).includes(comparableText(String(wanted)));
  if (Array.isArray(found))
    return found.some((item) => isSame(item, wanted) || (isObject(item) && contains(item, wanted)));
  if (isObject(found))
    return Object.entries(found).some(
      ([name, member]) => name === wanted || isSame(member, wanted) || contains(member, wanted),
    );
  return isSame(found, wanted);
}

/** The number of characters of a text, items of a list, or members of an object. */
function lengthOf(value: Json | undefined): number | undefined {
  if (typeof value === 'string') return [...value].length;
  if (Array.isArray(value)) return value.length;
  return isObject(value) ? Object.keys(value).length : undefined;
}

function wordsFor(name: string, wanted: Json): string {
  const value = JSON.stringify(wanted);
  const words: Record<string, string> = {
    equals: value,
    notEquals: `anything but ${value}`,
    oneOf: `one of ${value}`,
    absent: 'nothing',
    present: 'a value',
    absentOrNull: 'nothing or null',
    absentOrEquals: `nothing or ${value}`,
    contains: `something with ${value}`,
    notContains: `something without ${value}`,
    lessOrEqual: `at most ${value}`,
    greaterOrEqual: `at least ${value}`,
    length: `length ${value}`,
    maxLength: `length of at most ${value}`,
    sameAsBase: 'the answer of the base case',
  };
  return words[name] ?? value;
}
