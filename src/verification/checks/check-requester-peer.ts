import type { Observation, Peer, Scenario } from '../../contract/trial.ts';
import { isObject, type Json, valueAt } from '../../kernel/json.ts';
import { ANSWER, ANSWER_REPEATS, ANSWER_TO_ANOTHER, ID_WORD } from '../../lexicon/exchanging.ts';
import {
  ANY_MESSAGE,
  FAILS,
  NEVER_REPEATED,
  NO_ANSWER,
  TREATED_LIKE,
  TRIED_AGAIN,
  TRIED_ONCE_MORE,
  TRIED_WITHIN_BOUNDS,
} from '../../lexicon/failing.ts';
import { REFUSED } from '../../lexicon/refusing.ts';
import { DIFFERS } from '../../lexicon/repeating.ts';
import { equalJson } from '../../schemas/equal-json.ts';
import { caseDifferences, type RunnableCase } from '../case-scenarios.ts';
import type { Check, CheckFact, CheckFindings, SeenCase } from '../check.ts';
import { reportsFailure } from '../failure-answer.ts';
import { looseDifferences } from '../loose-places.ts';
import { CORRELATION_NAME } from '../member-names.ts';
import { allSentencesOf, holdsConstant, taskSentencesOf } from '../prose/documented-answers.ts';
import { failureRulesOf } from '../prose/failure-rules.ts';
import { speaksOf, unansweredPeerOf } from '../prose/unanswered-peer.ts';
import { hasWord, type Leaf, leavesOf } from '../scalar-kinds.ts';
import type { Subject } from '../subject.ts';
import { replacedAt } from '../worlds/variations.ts';
import { faultOfUnshown, unshownAnswers } from './unshown-answers.ts';

type Mischief =
  | 'fails'
  | 'times out'
  | 'times out from its second message on'
  | 'fails at its first message'
  | 'fails from its second message on'
  | 'answers without what it must have'
  | 'answers with values of other types'
  | 'answers another request'
  | 'answers the second request first'
  | 'answers what the protocol has for an error';

/** Lets a requester's peer misbehave. */
export const requesterPeer: Check = {
  name: 'requester-peer',
  reason: 'A peer may be down, slow, broken or confused; our agent must not be told that all went well.',
  certain:
    'The peer gave no usable answer, and the candidate hangs, breaks its output schema, or reports the same success as when it had one, or what the cases have for success alone, or throws, or tells it by another name, though the task says what is told then, or answers though errors are to reach the caller, or does not go on, keep what it was told or try again where the task has it do so; an answer to another request is taken although the document says that the ids must match; the output depends on the order in which answers to concurrent requests arrive; a line that is no answer of the protocol, or one that it has for an error, is reported as what another line says; an answer that no case shows is told without the name that the task has for its code or word, or as another where such codes are repeated.',
  uncertain:
    'The output after a failure is one that a case has for another reason; an answer to another request is taken where the document is silent.',
  *run({ subject, cases }): Generator<Scenario[], CheckFindings, Observation[]> {
    if (subject.role !== 'requester') return { failures: [], warnings: [], skipped: 'the candidate is a provider' };
    const plans = cases.filter(({ seen }) => seen.sends.length > 0).flatMap((one) => mischiefsOf(subject, one));
    if (plans.length === 0) return { failures: [], warnings: [], skipped: 'no case sends a request' };
    const unshown = unshownAnswers(subject, cases);
    const seen = yield [
      ...plans.map(({ one, peer }) => ({ ...one.scenario, peer })),
      ...unshown.map(({ scenario }) => scenario),
    ];
    const findings: CheckFindings = { failures: [], warnings: [] };
    for (const [index, { one, mischief }] of plans.entries()) {
      const observation = seen[index] as Observation;
      const unheard = seen.flatMap(({ value }, at) =>
        value !== undefined && plans[at]?.one === one && isUnheard(plans[at].mischief) ? [value] : [],
      );
      const fault = faultOf(subject, cases, one, mischief, observation, unheard);
      if (!fault) continue;
      const fact: Omit<CheckFact, 'check'> = {
        code: 'CANDIDATE_PEER_FAILURE',
        message: `case ${one.one.testCase}, where the peer ${mischief}: ${fault.message}`.slice(0, 500),
        testCase: one.one.testCase,
        input: one.one.input,
        ...(observation.value === undefined ? {} : { got: observation.value }),
      };
      (fault.certain ? findings.failures : findings.warnings).push(fact);
    }
    for (const [index, plan] of unshown.entries()) {
      const observation = seen[plans.length + index] as Observation;
      const fault = faultOfUnshown(plan, observation);
      if (fault === undefined) continue;
      const { testCase, input } = plan.one.one;
      findings.failures.push({
        code: 'CANDIDATE_PEER_FAILURE',
        message: `case ${testCase}, ${fault}`.slice(0, 500),
        testCase,
        input,
        ...(observation.value === undefined ? {} : { got: observation.value }),
      });
    }
    return findings;
  },
};

/** Whether nothing at all is heard of the peer then. */
function isUnheard(mischief: Mischief): boolean {
  return mischief === 'fails' || mischief === 'times out';
}

const UNREACHABLE = { error: { code: 'FAILED', message: 'the peer cannot be reached' } } as const;
const SILENCE = { error: { code: 'TIMEOUT', message: 'the peer did not answer in time' } } as const;

function mischiefsOf(subject: Subject, one: SeenCase): { one: SeenCase; mischief: Mischief; peer: Peer }[] {
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
    ...(usual && one.seen.sends.length > 1 && unansweredPeerOf(subject, 'silent').isTold
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
    { one, mischief: 'answers without what it must have', peer: changed((response) => (isObject(response) ? {} : '')) },
    { one, mischief: 'answers with values of other types', peer: changed(mistyped) },
  ];
  if (echoedIdsOf(one).length > 0 && subject.payload === 'json') {
    plans.push({
      one,
      mischief: 'answers another request',
      peer: changed((response, request) => withOtherIds(response, request, one)),
    });
  }
  const line = errorLineOf(subject);
  if (line !== undefined)
    plans.push({ one, mischief: 'answers what the protocol has for an error', peer: () => ({ response: line }) });
  if (usual && one.seen.sends.length > 1)
    plans.push({ one, mischief: 'answers the second request first', peer: secondFirst(usual) });
  return plans;
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
function echoedIdsOf({ one }: SeenCase): { asked: string; answered: string }[] {
  const { request, response } = one.case;
  if (!isObject(request) || !isObject(response)) return [];
  const loose = new Set(one.loose.flatMap(({ pointer, as }) => (as === 'id' ? [pointer] : [])));
  const answers = leavesOf(response);
  return leavesOf(request).flatMap(({ pointer, name, value }) =>
    typeof value === 'string' && (CORRELATION_NAME.test(name) || loose.has(pointer))
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

function withOtherIds(response: Json, request: Json, one: SeenCase): Json {
  return echoedIdsOf(one).reduce((answer: Json, { asked, answered }) => {
    const id = valueAt(request, asked);
    return typeof id === 'string' && valueAt(answer, answered) === id
      ? replacedAt(answer, answered, `other${id.slice(5)}x`)
      : answer;
  }, response);
}

/** Lines, and sentences, in which an error of a protocol of texts is looked for: each is held against each, and a document may be full of either. */
const maxErrorTexts = 100;

/** A line of a protocol of texts that no case has and that, in the words of document or task, is an error. */
function errorLineOf({ payload, agreement, task, cases }: Subject): string | undefined {
  if (payload !== 'text') return undefined;
  const lines = [...agreement.text.matchAll(/^(?: {4,}|\t)(\S[^<|…\n]{2,60})$/gmu)]
    .slice(0, maxErrorTexts)
    .map(([, line]) => (line ?? '').trim());
  const sentences = `${task?.description ?? ''}\n${agreement.text}`
    .split(/[.\n]/)
    .filter((one) => IS_ERROR.test(one))
    .slice(0, maxErrorTexts);
  return lines.find(
    (line) =>
      !cases.some(({ request, response }) => String(response).startsWith(line) || String(request).startsWith(line)) &&
      sentences.some((sentence) => {
        const words = line.match(/\p{L}{4,}/gu) ?? [];
        return words.length > 0 && words.every((word) => hasWord(sentence, word));
      }),
  );
}

const IS_ERROR = /\b(?:is|are|counts? as) (?:an )?(?:errors?|failures?)\b|\bfor an error\b/i;

/** Whether document or task have whatever the protocol does not have taken for an error. */
function demandsErrors({ agreement, task }: Subject): boolean {
  return /\bany (?:other (?:line|answer|message|reply|response|code)|(?:line|answer|message) that is not)\b[^.\n]{0,60}\b(?:errors?|failures?)\b/i.test(
    `${task?.description ?? ''}\n${agreement.text}`,
  );
}

function faultOf(
  subject: Subject,
  cases: readonly SeenCase[],
  { one, seen: before }: SeenCase,
  mischief: Mischief,
  seen: Observation,
  unheard: readonly Json[],
): { message: string; certain: boolean } | undefined {
  if (seen.end === 'timed-out' || seen.end === 'out-of-memory' || seen.end === 'killed')
    return { message: `the run ended as "${seen.end}"`, certain: true };
  const { isTold, names, messages, thrown, passedOver, soFar, sentAgain } = unansweredPeerOf(
    subject,
    mischief.startsWith('fails') ? 'failing' : 'silent',
  );
  const isSilent = !mischief.startsWith('answers');
  const isConcerned = concerns(messages, seen);
  if (
    isSilent &&
    (isTold || (passedOver !== undefined && before.sends.length > 1)) &&
    isConcerned &&
    seen.end !== 'returned' &&
    seen.sends.some(({ error }) => error !== undefined)
  )
    return { message: 'it throws, though the task says what is told then', certain: true };
  const repeated = isSilent ? repeatedInSpite(subject, one, before, seen) : undefined;
  if (repeated !== undefined)
    return { message: `a request that is not answered is sent again, though "${repeated}"`, certain: true };
  if (isUnheard(mischief) && sentAgain !== undefined && !hasKindsOfRequests(subject) && isSentOnce(one, before, seen))
    return {
      message: `a request that is not answered is not sent again, though "${excerpt(sentAgain)}"`,
      certain: true,
    };
  if (seen.end !== 'returned' || seen.value === undefined) return undefined;
  if (isUnheard(mischief) && thrown !== undefined && seen.sends.length > 0)
    return { message: `it answers, though "${excerpt(thrown)}"`, certain: true };
  if (mischief === 'fails at its first message')
    return passesOver(one, before, seen)
      ? undefined
      : { message: `it asks no further, though "${excerpt(passedOver ?? '')}"`, certain: true };
  const [issue] = seen.issues;
  if (issue) return { message: `the output breaks its schema at "${issue.pointer}": ${issue.message}`, certain: true };
  if (mischief === 'answers the second request first') {
    return caseDifferences(subject, one, seen).length > 0
      ? { message: 'the output depends on the order in which answers arrive', certain: true }
      : undefined;
  }
  const asBefore = equalJson(seen.value, before.value ?? null);
  const other = cases.find((known) => equalJson(known.one.output, seen.value ?? null));
  if (mischief === 'fails from its second message on') {
    const isUnanswered = seen.sends.some(({ error }) => error !== undefined);
    return thrown !== undefined && isUnanswered && other && !asBefore
      ? { message: `it answers as in case ${other.one.testCase}, though "${excerpt(thrown)}"`, certain: true }
      : undefined;
  }
  if (mischief === 'answers another request') {
    // What tells nothing of the peer's, or is told of a peer that fails as well, is what the candidate says of an answer it does not take, too.
    const isHeard = !unheard.some((value) => equalJson(seen.value ?? null, value));
    return asBefore && before.value !== undefined && tellsOf(one) && isHeard
      ? {
          message: 'the answer is taken although its id is not that of the request',
          certain: demandsMatchingIds(subject) || hasOthersRefused(subject, one.case),
        }
      : undefined;
  }
  if (mischief === 'times out from its second message on') {
    const unanswered = seen.sends.filter(({ error }) => error !== undefined).map(({ request }) => leavesOf(request));
    const isMeant = (leaves: Leaf[]) => leaves.some(({ value }) => messages.some((message) => message === value));
    const lost = soFar === undefined || unanswered.length === 0 ? undefined : lostOf(one, before, seen.value);
    if (lost !== undefined)
      return {
        message: `the output has no ${JSON.stringify(lost)}, which the peer told before, though "${excerpt(soFar ?? '')}"`,
        certain: true,
      };
    if (unanswered.length === 0 || (messages.length > 0 && !unanswered.some(isMeant))) return undefined;
  }
  if (
    isSilent &&
    isConcerned &&
    names.length > 0 &&
    !(asBefore && mischief === 'times out from its second message on') &&
    !holdsConstant(seen.value, names)
  )
    return {
      message: `the output has none of ${names.join(', ')}, by which the task names a peer that gives no answer`,
      certain: true,
    };
  if (mischief === 'times out from its second message on') return undefined;
  const isForeign =
    mischief === 'answers what the protocol has for an error' ||
    (mischief === 'answers with values of other types' && subject.payload === 'text' && demandsErrors(subject));
  if (isForeign && other)
    return {
      message: `it reports what it reports for case ${other.one.testCase}, which the peer has not said`,
      certain: true,
    };
  const unusable = seen.sends.length === 0 || seen.sends.every(({ error }) => error !== undefined);
  // A mistyped answer may be a good one where the agreement has no schema.
  if (!unusable && mischief.startsWith('answers')) return undefined;
  const repeats =
    asBefore &&
    reportsFailure(one.case.response) !== true &&
    carriesPeerData(one) &&
    !mayReportFailure(subject, one, seen.value) &&
    (repeatsTheAnswer(subject, one) || !countsAsAnAnswer(subject, one));
  if (repeats || claimsSuccess(cases, seen.value))
    return { message: 'it reports success without an answer', certain: true };
  return other
    ? {
        message: `it reports what it reports for case ${other.one.testCase}, which the peer has not said`,
        certain: false,
      }
    : undefined;
}

function excerpt(sentence: string): string {
  return sentence.trim().slice(0, 200);
}

/** Whether the first request of a run, that had no answer, was sent no more often than where it had one. */
function isSentOnce({ loose }: RunnableCase, before: Observation, { sends }: Observation): boolean {
  const [first] = sends;
  if (first?.error === undefined) return false;
  const isAlike = ({ request }: { request: Json }) => looseDifferences(first.request, request, loose).length === 0;
  return sends.filter(isAlike).length <= before.sends.filter(isAlike).length;
}

/** What the first answer told, the usual output tells, and this one does not. */
function lostOf({ input }: RunnableCase, before: Observation, output: Json): Json | undefined {
  const asked = JSON.stringify(input);
  const usual = leavesOf(before.value ?? null).map(({ value }) => value);
  const now = leavesOf(output);
  return leavesOf(before.sends[0]?.response ?? null).find(
    ({ value }) =>
      typeof value === 'string' &&
      tellsMore(value) &&
      !asked.includes(value) &&
      usual.includes(value) &&
      !now.some((leaf) => leaf.value === value),
  )?.value;
}

/** Whether all but the first request of a run are made again that need nothing of the answer to the first. */
function passesOver({ input, loose }: RunnableCase, before: Observation, seen: Observation): boolean {
  const [first, ...further] = before.sends;
  const asked = JSON.stringify([input, first?.request ?? null]);
  const told = leavesOf(first?.response ?? null).filter(
    ({ value }) => tellsMore(value) && !asked.includes(String(value)),
  );
  return further.every(
    ({ request }) =>
      leavesOf(request).some(({ value }) => told.some((one) => one.value === value)) ||
      seen.sends.some((other) => looseDifferences(request, other.request, loose).length === 0),
  );
}

/** Whether what is told of messages that have no answer, those with one of these values or all, is told of one that a run sent. */
function concerns(messages: readonly string[], { sends }: Observation): boolean {
  const unanswered = sends.filter(({ error }) => error !== undefined).flatMap(({ request }) => leavesOf(request));
  return messages.length === 0 || unanswered.some(({ value }) => messages.some((message) => message === value));
}

/** The sentence of document or task that forbids what was done: a request was sent again after it had no answer. */
function repeatedInSpite(
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
function hasKindsOfRequests({ requestSchema, cases }: Subject): boolean {
  const listed = JSON.stringify(requestSchema ?? null);
  const kinds = Map.groupBy(
    cases.flatMap(({ request }) => leavesOf(request).filter(({ value }) => listed.includes(JSON.stringify(value)))),
    ({ pointer }) => pointer,
  );
  return [...kinds.values()].some((leaves) => new Set(leaves.map(({ value }) => value)).size > 1);
}

/**
 * Whether all that an output tells are words that the task has and the peer's answer has not: such a word may be the task's name for a peer
 * that gives no answer as well. Where the peer's answer is a success by its form, a sentence about failures must have it.
 */
function mayReportFailure(subject: Subject, one: RunnableCase, output: Json): boolean {
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
    const sentences = taskSentencesOf(subject).filter((sentence) => hasWord(sentence, word));
    return isSuccess
      ? sentences.some((sentence) => FAILS.test(sentence))
      : sentences.length > 0 || hasWord(schema, word);
  });
}

/** Whether an output has a member true that is so in all cases in which the peer did what it was asked for, and false in all in which it did not. */
function claimsSuccess(cases: readonly SeenCase[], output: Json): boolean {
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

/** Whether the output of a case tells something that only the peer's answer can tell. */
function carriesPeerData(one: RunnableCase): boolean {
  return tellsOf(one) || leavesOf(one.output).some(({ value }) => value === true);
}

/** Values of an output, and of an answer, of which each is looked for in each. */
const maxToldValues = 100;

/**
 * Whether the output of a case holds a text or number of the peer's answer that was not asked with, and as which document or task have
 * nothing else count.
 */
function repeatsTheAnswer(subject: Subject, one: RunnableCase): boolean {
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
function countsAsAnAnswer(subject: Subject, one: RunnableCase): boolean {
  const told = leavesOf(one.output).filter(({ value }) => tellsMore(value));
  return allSentencesOf(subject).some(
    (sentence) =>
      TREATED_LIKE.test(sentence) &&
      (NO_ANSWER.test(sentence) || FAILS.test(sentence) || told.some(({ value }) => hasWord(sentence, String(value)))),
  );
}

/** Whether the output of a case holds a text or number that was not asked with. */
function tellsOf(one: RunnableCase): boolean {
  const asked = JSON.stringify(one.input);
  return leavesOf(one.output).some(({ value }) => tellsMore(value) && !asked.includes(String(value)));
}

function tellsMore(value: Json): boolean {
  return value !== null && typeof value !== 'boolean' && String(value).length > 1;
}

function demandsMatchingIds({ agreement }: Subject): boolean {
  const { text } = agreement;
  return (
    /\b(?:another|other|different|wrong|unknown|foreign) (?:\w*id|identifier|correlation|reference)s?\b[^.\n]{0,80}\b(?:ignored?|discard\w*|reject\w*|refused?|dropp?e?d?|as an error)\b/i.test(
      text,
    ) ||
    (/\b(?:ids?|identifiers?|message_?ids?|correlation\w*|nonce)\b[^.\n]{0,80}\b(?:do(?:es)? not match|must match|must equal|mismatch|differs?|is unknown)\b[^.\n]{0,80}/i.test(
      text,
    ) &&
      /\b(?:discard|ignore|reject|refuse|drop|treat(?:ed)? as)\w*/i.test(text) &&
      failureRulesOf(text).failures)
  );
}

/** Whether a sentence of document or task, or two in a row, has answers refused whose id is another than that of the request. */
function hasOthersRefused(subject: Subject, { request, response }: RunnableCase['case']): boolean {
  const asked = isObject(request) ? Object.entries(request) : [];
  const answered = isObject(response) ? Object.entries(response) : [];
  const names = asked.flatMap(([name, value]) =>
    answered.flatMap(([other, back]) => (typeof value === 'string' && back === value ? [name, other] : [])),
  );
  const tasks = taskSentencesOf(subject);
  if (tasks.some((one) => ANSWER_TO_ANOTHER.test(one) && (NO_ANSWER.test(one) || REFUSED.test(one)) && !MAY.test(one)))
    return true;
  const sentences = allSentencesOf(subject);
  return sentences.some((sentence, index) => {
    if (!REFUSED.test(sentence) || UNSURE.test(sentence)) return false;
    if (ANSWER_TO_ANOTHER.test(sentence)) return true;
    if (!ANSWER.test(sentence)) return false;
    if (OTHERS.test(sentence)) return REPEATED.test(sentences[index - 1] ?? '');
    return (
      DIFFERS.test(sentence) &&
      (ID_WORD.test(sentence) || names.some((name) => quotes(sentence, name) || isAnother(sentence, name)))
    );
  });
}

/** Whether a sentence has the name of a member as code, or one that no word of the language is, such as `messageNo` and `流水号`. */
function quotes(sentence: string, name: string): boolean {
  return (
    [`\`${name}\``, `"${name}"`, `“${name}”`].some((quoted) => sentence.includes(quoted)) ||
    (/\p{Ll}\p{Lu}|\p{L}_\p{L}|[^\u0000-\u024f]{2}/u.test(name) && hasWord(sentence, name))
  );
}

function isAnother(sentence: string, name: string): boolean {
  return (
    /^\w+$/.test(name) && new RegExp(`\\b(?:another|other|different|wrong|foreign)\\s+${name}\\b`, 'i').test(sentence)
  );
}

const OTHERS = /\b(?:any|all|every)? ?other (?:answers?|repl(?:y|ies)|responses?)\b/i;
const REPEATED = /\b(?:answers?|repl(?:y|ies)|responses?)\b[^.\n]{0,60}\b(?:repeats?|echo\w*|same|copies|carries)\b/i;
/** How often, where that is more than once. */
const SEVERAL_TIMES =
  /\b(?:twice|thrice|two|three|four|five|several|times|until|every|\d+ attempts)\b|[两三四五多数]次/i;
const MAY = /\b(?:may|might|unless)\b/i;
const UNSURE = /\b(?:may|might|can|unless|should)\b/i;
