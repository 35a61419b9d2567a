import type { Observation, Peer } from '../../contract/trial.ts';
import { isObject, type Json, valueAt } from '../../kernel/json.ts';
import type { RunnableCase } from '../case-scenarios.ts';
import type { SeenCase } from '../check.ts';
import { looseDifferences } from '../loose-places.ts';
import { CORRELATION_NAME } from '../member-names.ts';
import { actsOnlyAfter } from '../prose/acts-after-answers.ts';
import { demandsMatchingIds, hasOthersRefused, hasOthersRefusedBy } from '../prose/answers-to-others.ts';
import { boundOfRepeats } from '../prose/bound-of-repeats.ts';
import { completeInSpite } from '../prose/complete-lists.ts';
import { unansweredPeerOf } from '../prose/unanswered-peer.ts';
import { hasWord, leavesOf } from '../scalar-kinds.ts';
import type { Subject } from '../subject.ts';
import { replacedAt } from './variations.ts';

/** What a requester's peer does wrong. */
export type Mischief =
  | 'fails'
  | 'times out'
  | 'times out from its second message on'
  | 'fails at its first message'
  | 'times out at its first message'
  | 'fails from its second message on'
  | 'answers without what it must have'
  | 'answers with values of other types'
  | 'answers with its id alone'
  | 'answers another request'
  | 'answers the second request first'
  | 'answers what is repeated as it did first';

/** Whether nothing at all is heard of the peer then. */
export function isUnheard(mischief: Mischief): boolean {
  return mischief === 'fails' || mischief === 'times out';
}

const UNREACHABLE = { error: { code: 'FAILED', message: 'the peer cannot be reached' } } as const;

const SILENCE = { error: { code: 'TIMEOUT', message: 'the peer did not answer in time' } } as const;

/** A case with each peer that misbehaves in a way that means something there: what may come of it must be told by document, task or cases. */
export function mischiefsOf(subject: Subject, one: SeenCase): { one: SeenCase; mischief: Mischief; peer: Peer }[] {
  const usual = one.scenario.peer;
  const changed =
    (change: (response: Json, request: Json) => Json): Peer =>
    async (request, nth, before) => {
      const answer = (await usual?.(request, nth, before)) ?? UNREACHABLE;
      return 'response' in answer ? { response: change(answer.response, request) } : answer;
    };
  const plans: { one: SeenCase; mischief: Mischief; peer: Peer }[] = [
    { one, mischief: 'fails', peer: () => UNREACHABLE },
    { one, mischief: 'times out', peer: () => SILENCE },
    ...(usual &&
    one.seen.sends.length > 1 &&
    (unansweredPeerOf(subject, 'silent').isTold ||
      actsOnlyAfter(subject, one.one, one.seen).length > 0 ||
      completeInSpite(subject, one.one.output, one.one.output) !== undefined)
      ? [
          {
            one,
            mischief: 'times out from its second message on' as const,
            peer: ((request, nth, before) => (nth === 1 ? usual(request, nth, before) : SILENCE)) as Peer,
          },
        ]
      : []),
    ...(usual && one.seen.sends.length > 1 && unansweredPeerOf(subject, 'failing').thrown !== undefined
      ? [
          {
            one,
            mischief: 'fails from its second message on' as const,
            peer: ((request, nth, before) => (nth === 1 ? usual(request, nth, before) : UNREACHABLE)) as Peer,
          },
        ]
      : []),
    ...(usual && one.seen.sends.length > 1 && unansweredPeerOf(subject, 'failing').passedOver !== undefined
      ? [
          {
            one,
            mischief: 'fails at its first message' as const,
            peer: ((request, nth, before) => (nth === 1 ? UNREACHABLE : usual(request, nth, before))) as Peer,
          },
        ]
      : []),
    ...(usual && one.seen.sends.length > 1 && unansweredPeerOf(subject, 'silent').passedOver !== undefined
      ? [
          {
            one,
            mischief: 'times out at its first message' as const,
            peer: ((request, nth, before) => (nth === 1 ? SILENCE : usual(request, nth, before))) as Peer,
          },
        ]
      : []),
    { one, mischief: 'answers without what it must have', peer: changed((response) => (isObject(response) ? {} : '')) },
    { one, mischief: 'answers with values of other types', peer: changed(mistyped) },
  ];
  if (echoedIdsOf(subject, one).length > 0 && subject.payload === 'json') {
    plans.push({
      one,
      mischief: 'answers another request',
      peer: changed((response, request) => withOtherIds(subject, response, request, one)),
    });
  }
  const { text } = subject.agreement;
  if (isOthersRefused(subject, one) && commonWordsOf(one.one.case.request, one.one.case.response, text).length > 0)
    plans.push({
      one,
      mischief: 'answers another request',
      peer: changed((response, request) => withOtherWords(response, commonWordsOf(request, response, text))),
    });
  // A schema has the host refuse it.
  const isUnchecked = subject.payload === 'json' && subject.responseSchema === null;
  if (isUnchecked && echoedIdsOf(subject, one).length > 0 && unansweredPeerOf(subject, 'silent').isToldOfUnusable)
    plans.push({
      one,
      mischief: 'answers with its id alone',
      peer: changed((response) => idsAlone(subject, response, one)),
    });
  if (usual && one.seen.sends.length > 1)
    plans.push({ one, mischief: 'answers the second request first', peer: secondFirst(usual) });
  const repeated = repeatedRequest(one.one, one.seen);
  if (usual && repeated !== undefined && boundOfRepeats(subject) !== undefined) {
    const isOther = (request: Json) => looseDifferences(repeated, request, one.one.loose).length > 0;
    const peer: Peer = (request, nth, before) => usual(request, nth, (before ?? []).filter(isOther));
    plans.push({ one, mischief: 'answers what is repeated as it did first', peer });
  }
  return plans;
}

/** A request of a case that is sent at least twice there, each time alike, as by one who asks until something is done. */
export function repeatedRequest({ loose }: RunnableCase, seen: Observation): Json | undefined {
  return seen.sends.find(
    ({ request }) =>
      seen.sends.filter((other) => looseDifferences(request, other.request, loose).length === 0).length > 1,
  )?.request;
}

/** How long the first answer is held back where no second request comes, in milliseconds. */
const holdMs = 30;

/** A peer whose first answer arrives after its second, for a candidate that does not wait for the first. */
function secondFirst(usual: Peer): Peer {
  let release = (): void => undefined;
  return async (request, nth, before) => {
    const answer = await usual(request, nth, before);
    if (nth === 1) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, holdMs);
        release = () => {
          clearTimeout(timer);
          setImmediate(resolve);
        };
      });
    } else release();
    return answer;
  };
}

function mistyped(response: Json): Json {
  if (typeof response === 'string') return '\u0000';
  if (!isObject(response)) return 'text';
  return Object.fromEntries(
    Object.entries(response).map(([name, value]) => [name, typeof value === 'string' ? 0 : 'text']),
  );
}

/** Where ids of the request come back in the response: under their own names, or as what the answer is a reply to. */
function echoedIdsOf(subject: Subject, { one }: SeenCase): { asked: string; answered: string }[] {
  const { request, response } = one.case;
  if (!isObject(request) || !isObject(response)) return [];
  const loose = new Set(one.loose.flatMap(({ pointer, as }) => (as === 'id' ? [pointer] : [])));
  const answers = leavesOf(response);
  return leavesOf(request).flatMap(({ pointer, name, value }) =>
    typeof value === 'string' &&
    (CORRELATION_NAME.test(name) || loose.has(pointer) || hasOthersRefusedBy(subject, one.case, name))
      ? answers
          .filter((back) => back.value === value && (isEchoName(name, back.name) || loose.has(pointer)))
          .map((back) => ({ asked: pointer, answered: back.pointer }))
      : [],
  );
}

/** Whether a member of a response is one that repeats an id of the request. */
function isEchoName(asked: string, answered: string): boolean {
  return (
    asked === answered ||
    /^(?:in_?reply_?to|in_?response_?to|reply_?to|correlation_?id|ref(?:erence)?|request_?id)$/i.test(answered)
  );
}

function withOtherIds(subject: Subject, response: Json, request: Json, one: SeenCase): Json {
  return echoedIdsOf(subject, one).reduce((answer: Json, { asked, answered }) => {
    const id = valueAt(request, asked);
    return typeof id === 'string' && valueAt(answer, answered) === id
      ? replacedAt(answer, answered, `other${id.slice(5)}x`)
      : answer;
  }, response);
}

/** The answer of a case without all but the ids of the request. */
function idsAlone(subject: Subject, response: Json, one: SeenCase): Json {
  return Object.fromEntries(
    echoedIdsOf(subject, one).flatMap(({ answered }) => {
      const name = answered.slice(1);
      const id = valueAt(response, answered);
      return name.includes('/') || id === undefined ? [] : [[name, id]];
    }),
  );
}

/** Whether messages are texts and an answer to another request must not be taken. */
function isOthersRefused(subject: Subject, { one }: SeenCase): boolean {
  return subject.payload === 'text' && (demandsMatchingIds(subject) || hasOthersRefused(subject, one.case));
}

/** What a request of a protocol of texts and its answer have in common: words with digits, and those that are none of the protocol's. */
function commonWordsOf(request: Json, response: Json, protocol: string): string[] {
  if (typeof request !== 'string' || typeof response !== 'string') return [];
  const words = response.match(WORD) ?? [];
  return [...new Set(words)]
    .slice(0, maxWords)
    .filter((word) => hasWord(request, word) && (/\d/.test(word) || (word.length > 2 && !hasWord(protocol, word))));
}

/** Words of an answer that are looked for in its request and in the document. */
const maxWords = 100;

const WORD = /(?<![\p{L}\p{N}_.-])[\p{L}\p{N}_-]+(?![\p{L}\p{N}_-]|\.\d)/gu;

/** An answer in which other words of the same form stand for some. */
function withOtherWords(response: Json, words: readonly string[]): Json {
  return String(response).replace(WORD, (word) =>
    words.includes(word)
      ? word.replace(/[\p{L}\d](?=[_-]*$)/u, (last) =>
          /\d/.test(last) ? String((Number(last) + 1) % 10) : last === 'x' ? 'y' : 'x',
        )
      : word,
  );
}
