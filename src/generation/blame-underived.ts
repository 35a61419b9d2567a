import { underivedValues } from '../verification/checks/underived.ts';
import type { Underived } from '../verification/checks.ts';
import { Vocabulary } from '../verification/vocabulary.ts';
import type { Assignment } from './assignment.ts';

/** Most values reported: they all say the same. */
const maxReported = 10;

/**
 * Values that the cases expect in answers and that no request, tool or text provides: evidence that our agent lacks a
 * tool. A number may be computed from others, so it counts only if the preflight found it underivable too.
 */
export function underivedPlaces({ subject, cleared }: Assignment): Underived[] {
  const warned = (testCase: number, pointer: string) =>
    cleared.warnings.some(
      (one) => one.code === 'DOCUMENT_ANSWER_UNDERIVABLE' && one.testCase === testCase && one.pointer === pointer,
    );
  return underivedValues(subject, new Vocabulary(subject))
    .filter(({ testCase, pointer, value }) => typeof value === 'string' || warned(testCase, pointer))
    .slice(0, maxReported);
}
