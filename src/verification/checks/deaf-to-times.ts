import { type Json, valueAt } from '../../kernel/json.ts';
import type { CheckFacts, SeenCase } from '../check.ts';
import { leavesOf } from '../scalar-kinds.ts';

/** Fewer changed requests, and fewer for each place, do not show that nothing matters. */
const least = { changes: 6, forEach: 2, places: 2 };

/**
 * Finds a case whose answer holds a time of day that stands nowhere, so that it was worked out from the request, where each number and time of
 * day of the request was changed more than once, and still no other times were answered than those of the cases.
 */
export function deafToTimes(
  { subject, cases, vocabulary }: CheckFacts,
  told: readonly { seenCase: SeenCase; pointer: string; answer: Json | undefined }[],
): SeenCase | undefined {
  const known = new Set<Json>(cases.flatMap(({ one }) => leavesOf(one.output).map(({ value }) => value)));
  return cases.find((seenCase) => {
    const { input, output } = seenCase.one;
    const asked = leavesOf(input);
    const places = leavesOf(output).flatMap(({ pointer, value }) =>
      isTimeOfDay(value) &&
      !asked.some((leaf) => leaf.value === value) &&
      !vocabulary.hasText(value) &&
      !subject.agreement.text.includes(value)
        ? [pointer]
        : [],
    );
    const own = told.filter(
      (one) =>
        one.seenCase === seenCase && places.some((place) => isTimeOfDay(valueAt(one.answer ?? null, place) ?? null)),
    );
    const sources = asked.filter(({ value }) => typeof value === 'number' || isTimeOfDay(value));
    return (
      places.length > 0 &&
      sources.length >= least.places &&
      own.length >= least.changes &&
      sources.every(({ pointer }) => own.filter((one) => one.pointer === pointer).length >= least.forEach) &&
      own.every(({ answer }) => places.every((place) => known.has(valueAt(answer ?? null, place) ?? null)))
    );
  });
}

function isTimeOfDay(value: Json): value is string {
  return typeof value === 'string' && /^(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?$/.test(value);
}
