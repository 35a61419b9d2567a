import { isObject, type Json, type JsonObject } from '../kernel/json.ts';
import { memberNames } from './member-names.ts';
import type { Violation } from './violations.ts';

/** All violations at one place: the part of the schema that is broken, and the value that breaks it. */
export interface ViolationSummary {
  /** By keyword; for `required`, the missing names. */
  expected: JsonObject;
  /** The value; if only declarations and `required` are broken, just the undeclared members. */
  actual?: Json;
}

/** Combines the violations at one place for a finding or a sentence. */
export function summaryOf(violations: readonly Violation[]): ViolationSummary {
  const actual = actualOf(violations);
  return { expected: expectedOf(violations), ...(actual === undefined ? {} : { actual }) };
}

function expectedOf(violations: readonly Violation[]): JsonObject {
  const expected: JsonObject = Object.fromEntries(violations.map(({ keyword, expected }) => [keyword, expected]));
  const missing = violations.filter(({ keyword }) => keyword === 'required').map(({ property }) => property ?? '');
  return missing.length === 0 ? expected : { ...expected, required: missing };
}

function actualOf(violations: readonly Violation[]): Json | undefined {
  const actual = violations[0]?.actual;
  const undeclared = violations.filter(({ keyword }) => DECLARING.has(keyword));
  const ofMembers = violations.filter(({ keyword }) => keyword === 'required' || DECLARING.has(keyword));
  if (undeclared.length === 0 || ofMembers.length < violations.length || !isObject(actual)) return actual;
  const names = new Set(undeclared.map(({ property }) => property));
  return Object.fromEntries(
    memberNames(actual).flatMap((name): [string, Json][] => (names.has(name) ? [[name, actual[name] as Json]] : [])),
  );
}

const DECLARING: ReadonlySet<string> = new Set(['additionalProperties', 'unevaluatedProperties']);
