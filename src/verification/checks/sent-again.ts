import type { Observation } from '../../contract/trial.ts';
import { type Json, valueAt } from '../../kernel/json.ts';
import { ANSWER_REPEATS } from '../../lexicon/exchanging.ts';
import {
  ANY_MESSAGE,
  CANNOT_BE_REACHED,
  NEVER_REPEATED,
  NO_ANSWER,
  TRIED_AGAIN,
  TRIED_ONCE_MORE,
  TRIED_WITHIN_BOUNDS,
} from '../../lexicon/failing.ts';
import { either } from '../../lexicon/phrases.ts';
import { UNSURE } from '../../lexicon/qualifying.ts';
import type { RunnableCase } from '../case-scenarios.ts';
import { looseDifferences } from '../loose-places.ts';
import { speaksOf as isDoneBy } from '../prose/documented-acts.ts';
import { allSentencesOf, excerpt } from '../prose/documented-answers.ts';
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
    return sends.filter(alike(again.request)).length > most ? excerpt(once) : undefined;
  // What comes back in an answer is repeated as well, and so may be what a tool is asked.
  const others = speaking.filter(
    (sentence) =>
      !NEVER_REPEATED.test(sentence) &&
      OF_SENDING.test(sentence) &&
      !subject.tools.some(({ name }) => isDoneBy(sentence, name)),
  );
  return sentences
    .find((sentence) => {
      const [rule = ''] = sentence.replace(/\b(?:once only|only once)\b/i, 'once').split(/\b(?:since|because)\b/i);
      if (!NEVER_REPEATED.test(rule) || TRIED_WITHIN_BOUNDS.test(rule) || UNSURE.test(rule)) return false;
      const named = words.filter((word) => speaksOf(sentence, word));
      const meant = named.filter((word) => own.includes(word));
      // An answer upon which it is sent again is another matter than none.
      const rivals = NO_ANSWER.test(rule)
        ? others.filter((other) => NO_ANSWER.test(other) || CANNOT_BE_REACHED.test(other))
        : others;
      if (named.length === 0) return rivals.length === 0 && (!hasKinds || ANY_MESSAGE.test(sentence));
      return meant.length > 0 && !others.some((other) => meant.some((word) => speaksOf(other, word)));
    })
    ?.trim()
    .slice(0, 200);
}

/** Words by which a sentence speaks of sending, or of what comes of it. */
const OF_SENDING = either(
  NO_ANSWER,
  CANNOT_BE_REACHED,
  /\b(?:sen[dt]\w*|ask(?:s|ed|ing)?|poll\w*|quer(?:y|ies|ied)|requests?|messages?|questions?)\b|(?<!\p{L})(?:send|frag|anfrag|nachricht|envo|demand|enví|pregunt|mensaj|pergunt|mensagen|invi|chied|messaggi)\p{L}*|发|问|请求|消息|送信|要求/iu,
);

/** How often a run sent a request, whatever stood at its loose places. */
export function timesSent(request: Json, { loose }: RunnableCase, { sends }: Observation): number {
  return sends.filter((other) => looseDifferences(request, other.request, loose).length === 0).length;
}

/** The sentence of document or task by which each message has an id of its own at a loose place, where two of a run have the same. */
export function sameIdInSpite(subject: Subject, { loose }: RunnableCase, { sends }: Observation): string | undefined {
  for (const { pointer, as } of loose) {
    const ids = sends.map(({ request }) => valueAt(request, pointer));
    if (as !== 'id' || new Set(ids).size === ids.length) continue;
    const name = pointer.slice(pointer.lastIndexOf('/') + 1);
    if (!/^\w+$/.test(name)) continue;
    const anew = new RegExp(
      String.raw`\b(?:an? )?(?:new|fresh|different|another|unique) [\`"“]?${name}\b(?![^.\n]{0,40}\bconversation)|新的?\s*[\`"“]?${name}(?!\w)`,
      'i',
    );
    const sentence = allSentencesOf(subject).find(
      (one) => anew.test(one) && TRIED_AGAIN_OR_EACH.test(one) && !UNSURE_OF_ID.test(one),
    );
    if (sentence !== undefined) return excerpt(sentence);
  }
  return undefined;
}

/** The sentence of document or task by which a message that is sent again has the same id, where one that had no answer was sent with another. */
export function otherIdInSpite(subject: Subject, { loose }: RunnableCase, { sends }: Observation): string | undefined {
  const [first, ...later] = sends;
  if (first?.error === undefined) return undefined;
  for (const { pointer, as } of loose) {
    const name = pointer.slice(pointer.lastIndexOf('/') + 1);
    if (as !== 'id' || !/^\w+$/.test(name)) continue;
    const isAnother = ({ request }: { request: Json }) =>
      looseDifferences(first.request, request, loose).length === 0 &&
      valueAt(request, pointer) !== valueAt(first.request, pointer);
    if (!later.some(isAnother)) continue;
    const kept = new RegExp(
      String.raw`\b(?:same|identical|unchanged) [\x60"“]?${name}\b|(?:selben?|gleiche[nr]?) [\x60"“]?${name}(?!\p{L})|(?:相同|同一)的?个?\s*[\x60"“]?${name}(?!\w)`,
      'iu',
    );
    const sentence = allSentencesOf(subject).find(
      (one) => kept.test(one) && SENT_AGAIN.test(one) && !ANSWER_REPEATS.test(one) && !TURNED_DOWN.test(one),
    );
    if (sentence !== undefined) return excerpt(sentence);
  }
  return undefined;
}

/** What is sent a second time may be turned down for it. */
const TURNED_DOWN =
  /\b(?:reject|refus|ignor|discard|duplicat|denie)\w*|abgelehnt|ignoriert|verworfen|拒绝|忽略|重复提交/iu;

const SENT_AGAIN =
  /\b(?:send|sends|sent|repeat(?:s|ed)?|re-?sen[dt]s?|retr(?:y|ies|ied)|tried|tries) \b[^.\n]{0,80}\b(?:again|same|identical|unchanged)\b|(?:erneut|noch ?mal|wiederhol)|[重再]/iu;

const TRIED_AGAIN_OR_EACH = either(TRIED_AGAIN, /\b(?:each|every)\b|每[次条]|再/i);

const UNSURE_OF_ID = /\b(?:(?:may|can|might) (?:use|have|carry|choose|take)|same|unless|ignore\w*|discard\w*)\b|相同/i;

/** Whether requests are of several kinds, by a place that holds one of a few words: what is said of one kind is not said of all. */
export function hasKindsOfRequests({ requestSchema, cases }: Subject): boolean {
  const listed = JSON.stringify(requestSchema ?? null);
  const kinds = Map.groupBy(
    cases.flatMap(({ request }) =>
      leavesOf(request).filter(({ value }) => typeof value === 'string' && listed.includes(JSON.stringify(value))),
    ),
    ({ pointer }) => pointer,
  );
  return [...kinds.values()].some((leaves) => new Set(leaves.map(({ value }) => value)).size > 1);
}

/** How often, where that is more than once. */
const SEVERAL_TIMES =
  /\b(?:twice|thrice|two|three|four|five|several|times|until|every|\d+ attempts)\b|[两三四五多数]次/i;
