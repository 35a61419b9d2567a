import type { Underived } from '../check.ts';
import { reportsFailure } from '../failure-answer.ts';
import type { Subject } from '../subject.ts';
import type { Vocabulary } from '../vocabulary.ts';
import { isDistinctive } from '../worlds/datum.ts';
import { caseDataOf } from './case-data.ts';

/**
 * Answer values of the cases that no request, tool, schema or word of the document yields: data by their form, not
 * messages.
 */
export function underivedValues(subject: Subject, vocabulary: Vocabulary): Underived[] {
  const refusals = new Set(
    subject.cases.filter(({ response }) => reportsFailure(response) === true).map(({ testCase }) => testCase),
  );
  return caseDataOf(subject, vocabulary).answersOnly.flatMap((datum) => {
    if (!isDistinctive(datum)) return [];
    return datum.places
      .filter(
        ({ testCase, pointer }) => !refusals.has(testCase) && !/message|reason|title|detail|error|note$/i.test(pointer),
      )
      .map(({ testCase, pointer }) => ({ testCase, pointer, value: datum.value }));
  });
}
