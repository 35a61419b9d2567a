import { type Json, valueAt } from '../../kernel/json.ts';
import { FAILS, NO_ANSWER, TREATED_LIKE } from '../../lexicon/failing.ts';
import type { RunnableCase } from '../case-scenarios.ts';
import type { SeenCase } from '../check.ts';
import { reportsFailure } from '../failure-answer.ts';
import { looseDifferences } from '../loose-places.ts';
import { allSentencesOf, requesterSentencesOf } from '../prose/documented-answers.ts';
import { hasWord, leavesOf } from '../scalar-kinds.ts';
import type { Subject } from '../subject.ts';

/**
 * Whether all that an output tells are words that the task has and the peer's answer has not: such a word may be the task's name for a peer
 * that gives no answer as well. Where the peer's answer is a success by its form, a sentence about failures must have it.
 */
export function mayReportFailure(subject: Subject, one: RunnableCase, output: Json): boolean {
  const asked = JSON.stringify(one.input);
  const telling = leavesOf(output).filter(
    ({ value }) => value === true || (tellsMore(value) && !asked.includes(String(value))),
  );
  const answered = JSON.stringify(one.case.response);
  const schema = JSON.stringify(subject.task?.outputSchema ?? null);
  const isSuccess = reportsFailure(one.case.response) === false;
  return telling.every(({ value }) => {
    const word = String(value);
    if (value === true || answered.includes(word)) return false;
    const sentences = requesterSentencesOf(subject).filter((sentence) => hasWord(sentence, word));
    return isSuccess
      ? sentences.some((sentence) => FAILS.test(sentence))
      : sentences.length > 0 || hasWord(schema, word);
  });
}

/** Whether an output has a member true that is so in all cases in which the peer did what it was asked for, and false in all in which it did not. */
export function claimsSuccess(cases: readonly SeenCase[], output: Json): boolean {
  // Of several messages it is the last whose answer decides.
  const last = cases.filter(({ one, seen }) => {
    const sent = seen.sends.at(-1)?.request;
    return sent !== undefined && looseDifferences(one.case.request, sent, one.loose).length === 0;
  });
  const outputs = Map.groupBy(last, ({ one }) => reportsFailure(one.case.response));
  const [refused, done] = [outputs.get(true) ?? [], outputs.get(false) ?? []];
  if (refused.length === 0 || done.length === 0) return false;
  return leavesOf(output).some(
    ({ pointer, value }) =>
      value === true &&
      done.every(({ one }) => valueAt(one.output, pointer) === true) &&
      refused.every(({ one }) => valueAt(one.output, pointer) === false),
  );
}

/** Whether the output of a case tells something that only the peer's answer can tell, or that what was wanted has been had. */
export function carriesPeerData(cases: readonly SeenCase[], one: RunnableCase): boolean {
  const all = cases.map(({ one: other }) => other.output);
  const leaves = leavesOf(one.output);
  // Where another case has more than this one, what is true in every case says nothing of the peer.
  const hasLess = leaves.some(
    ({ pointer, value }) => value === false && all.some((output) => valueAt(output, pointer) === true),
  );
  return (
    tellsOf(one) ||
    leaves.some(
      ({ pointer, value }) => value === true && !(hasLess && all.every((output) => valueAt(output, pointer) === true)),
    )
  );
}

/** Values of an output, and of an answer, of which each is looked for in each. */
const maxToldValues = 100;

/**
 * Whether the output of a case holds a text or number of the peer's answer that was not asked with, and as which document or task have
 * nothing else count.
 */
export function repeatsTheAnswer(subject: Subject, one: RunnableCase): boolean {
  const asked = JSON.stringify(one.input);
  const treated = allSentencesOf(subject).filter((sentence) => TREATED_LIKE.test(sentence));
  const answered = leavesOf(one.case.response)
    .filter(({ value }) => tellsMore(value))
    .slice(0, maxToldValues);
  return leavesOf(one.output)
    .slice(0, maxToldValues)
    .some(
      ({ value }) =>
        tellsMore(value) &&
        !asked.includes(String(value)) &&
        !treated.some((sentence) => hasWord(sentence, String(value))) &&
        answered.some(
          ({ value: told }) => hasWord(String(told), String(value)) || hasWord(String(value), String(told)),
        ),
    );
}

/**
 * Whether document or task have no answer count as one that may come: what is told of that one is then told of none as well. What counts as
 * something that the output tells may be no answer in words that we do not know.
 */
export function countsAsAnAnswer(subject: Subject, one: RunnableCase): boolean {
  const told = leavesOf(one.output).filter(({ value }) => tellsMore(value));
  const answered = leavesOf(one.case.response).filter(({ value }) => typeof value === 'string' && tellsMore(value));
  return allSentencesOf(subject).some(
    (sentence) =>
      // "CLOSED, noise, or no answer: …"
      (NO_ANSWER.test(sentence) && answered.some(({ value }) => hasWord(sentence, String(value)))) ||
      (TREATED_LIKE.test(sentence) &&
        (NO_ANSWER.test(sentence) ||
          FAILS.test(sentence) ||
          told.some(({ value }) => hasWord(sentence, String(value))))),
  );
}

/** Whether the output of a case holds a text or number that was not asked with. */
export function tellsOf(one: RunnableCase): boolean {
  const asked = JSON.stringify(one.input);
  return leavesOf(one.output).some(({ value }) => tellsMore(value) && !asked.includes(String(value)));
}

/** Whether a value is more than a flag, a letter or a digit. */
export function tellsMore(value: Json): boolean {
  return value !== null && typeof value !== 'boolean' && String(value).length > 1;
}
