import type { Loose } from '../contract/job.ts';
import type { ConfirmedAnswer } from '../contract/reading.ts';
import type { Json } from '../kernel/json.ts';
import { type Allowance, assertionFault } from './assertions.ts';
import { wholeAnswer } from './places.ts';

/** Matches the keys of places in the answer. */
const ANSWER_PLACE = /^answer (.*)$/s;

/**
 * Whether a second reader gave the same answer, loose places aside. It must state the whole answer, and nothing that
 * contradicts it at any other place.
 */
export function confirmsAnswer(
  answers: Readonly<Record<string, ConfirmedAnswer>>,
  given: Json,
  loose: readonly Loose[],
): boolean {
  const allowance: Allowance = { base: [], loose, replacements: [] };
  return (
    namesValue(answers[wholeAnswer.key]) &&
    Object.entries(answers).every(([key, answer]) => {
      const at = ANSWER_PLACE.exec(key)?.[1];
      return at === undefined || isAllowed(answer, at, given, allowance);
    })
  );
}

function namesValue(answer: ConfirmedAnswer | undefined): boolean {
  return answer !== undefined && answer.unclear !== true && (answer.value !== undefined || answer.oneOf !== undefined);
}

function isAllowed(
  { value, oneOf, absent, atLeast, atMost, unclear }: ConfirmedAnswer,
  at: string,
  given: Json,
  allowance: Allowance,
): boolean {
  if (unclear === true) return true;
  const wanted = {
    at,
    ...(value === undefined ? {} : { equals: value }),
    ...(oneOf === undefined ? {} : { oneOf }),
    ...(absent === undefined ? {} : { absent }),
    ...(atLeast === undefined ? {} : { greaterOrEqual: atLeast }),
    ...(atMost === undefined ? {} : { lessOrEqual: atMost }),
  };
  return assertionFault(wanted, given, allowance) === undefined;
}
