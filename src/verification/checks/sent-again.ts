import type { Observation } from '../../contract/trial.ts';
import type { Json } from '../../kernel/json.ts';
import { ANSWER_REPEATS } from '../../lexicon/exchanging.ts';
import {
  ANY_MESSAGE,
  NEVER_REPEATED,
  TRIED_AGAIN,
  TRIED_ONCE_MORE,
  TRIED_WITHIN_BOUNDS,
} from '../../lexicon/failing.ts';
import { UNSURE } from '../../lexicon/qualifying.ts';
import type { RunnableCase } from '../case-scenarios.ts';
import { looseDifferences } from '../loose-places.ts';
import { allSentencesOf } from '../prose/documented-answers.ts';
import { speaksOf } from '../prose/unanswered-peer.ts';
import { leavesOf } from '../scalar-kinds.ts';
import type { Subject } from '../subject.ts';

/** Whether the first request of a run, that had no answer, was sent no more often than where it had one. */
export function isSentOnce({ loose }: RunnableCase, before: Observation, { sends }: Observation): boolean {
  const [first] = sends;
  if (first?.error === undefined) return false;
  const isAlike = ({ request }: { request: Json }) => looseDifferences(first.request, request, loose).length === 0;
  return sends.filter(isAlike).length <= before.sends.filter(isAlike).length;
}

/** The sentence of document or task that forbids what was done: a request was sent again after it had no answer. */
export function repeatedInSpite(
  subject: Subject,
  { loose }: RunnableCase,
  before: Observation,
  { sends }: Observation,
): string | undefined {
  const alike = (request: Json) => (other: { request: Json }) =>
    looseDifferences(request, other.request, loose).length === 0;
  const again = sends.find(
    ({ request, error }) =>
      error !== undefined &&
      sends.filter(alike(request)).length > Math.max(1, before.sends.filter(alike(request)).length),
  );
  if (again === undefined) return undefined;
  const sentences = allSentencesOf(subject);
  const asked = new Set(subject.cases.flatMap(({ request }) => leavesOf(request).map(({ value }) => value)));
  const words = [...asked].filter((value) => typeof value === 'string' && value.length > 2) as string[];
  const own = leavesOf(again.request).map(({ value }) => value);
  const hasKinds = hasKindsOfRequests(subject);
  const speaking = sentences.filter((sentence) => TRIED_AGAIN.test(sentence) && !ANSWER_REPEATS.test(sentence));
  const [once, ...more] = speaking;
  const most = 1 + Math.max(1, before.sends.filter(alike(again.request)).length);
  if (once !== undefined && more.length === 0 && TRIED_ONCE_MORE.test(once) && !SEVERAL_TIMES.test(once))
    return sends.filter(alike(again.request)).length > most ? once.trim().slice(0, 200) : undefined;
  const others = speaking.filter((sentence) => !NEVER_REPEATED.test(sentence));
  return sentences
    .find((sentence) => {
      const [rule = ''] = sentence.split(/\b(?:since|because)\b/i);
      if (!NEVER_REPEATED.test(rule) || TRIED_WITHIN_BOUNDS.test(rule) || UNSURE.test(rule)) return false;
      const named = words.filter((word) => speaksOf(sentence, word));
      const meant = named.filter((word) => own.includes(word));
      if (named.length === 0) return others.length === 0 && (!hasKinds || ANY_MESSAGE.test(sentence));
      return meant.length > 0 && !others.some((other) => meant.some((word) => speaksOf(other, word)));
    })
    ?.trim()
    .slice(0, 200);
}

/** Whether requests are of several kinds, by a place that holds one of a few words: what is said of one kind is not said of all. */
export function hasKindsOfRequests({ requestSchema, cases }: Subject): boolean {
  const listed = JSON.stringify(requestSchema ?? null);
  const kinds = Map.groupBy(
    cases.flatMap(({ request }) => leavesOf(request).filter(({ value }) => listed.includes(JSON.stringify(value)))),
    ({ pointer }) => pointer,
  );
  return [...kinds.values()].some((leaves) => new Set(leaves.map(({ value }) => value)).size > 1);
}

/** How often, where that is more than once. */
const SEVERAL_TIMES =
  /\b(?:twice|thrice|two|three|four|five|several|times|until|every|\d+ attempts)\b|[两三四五多数]次/i;
