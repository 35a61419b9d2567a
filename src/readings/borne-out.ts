import type { Loose } from '../contract/job.ts';
import type { ConfirmedAnswer } from '../contract/reading.ts';
import type { Json } from '../kernel/json.ts';
import { type Allowance, assertionFault } from './assertions.ts';
import { wholeAnswer } from './places.ts';

/** The places of the answer among those that a second reader is asked about. */
const ANSWER_PLACE = /^answer (.*)$/s;

/**
 * Whether a second reader wants the very answer that was given, loose places aside. It must name the whole answer, and
 * nothing else at any other place.
 */
export function bearsOut(
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
