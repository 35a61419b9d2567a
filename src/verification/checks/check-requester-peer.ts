import type { Observation, Scenario } from '../../contract/trial.ts';
import type { Json } from '../../kernel/json.ts';
import { equalJson } from '../../schemas/equal-json.ts';
import { caseDifferences, type RunnableCase } from '../case-scenarios.ts';
import type { Check, CheckFact, CheckFindings, SeenCase } from '../check.ts';
import { reportsFailure } from '../failure-answer.ts';
import { looseDifferences } from '../loose-places.ts';
import { demandsMatchingIds, hasOthersRefused } from '../prose/answers-to-others.ts';
import { boundOfRepeats } from '../prose/bound-of-repeats.ts';
import { completeInSpite } from '../prose/complete-lists.ts';
import { excerpt, holdsConstant } from '../prose/documented-answers.ts';
import { unansweredPeerOf } from '../prose/unanswered-peer.ts';
import { tellsUnshownName } from '../prose/unshown-names.ts';
import { type Leaf, leavesOf } from '../scalar-kinds.ts';
import type { Subject } from '../subject.ts';
import { isUnheard, type Mischief, mischiefsOf, repeatedRequest } from '../worlds/misbehaving-peer.ts';
import { actedOnRefused, actedTooSoon } from './acted-in-spite.ts';
import {
  hasKindsOfRequests,
  isSentOnce,
  otherIdInSpite,
  repeatedInSpite,
  sameIdInSpite,
  timesSent,
} from './sent-again.ts';
import {
  carriesPeerData,
  claimsSuccess,
  countsAsAnAnswer,
  mayReportFailure,
  repeatsTheAnswer,
  tellsMore,
  tellsOf,
} from './told-without-answer.ts';

/** Lets a requester's peer misbehave. */
export const requesterPeer: Check = {
  name: 'requester-peer',
  reason: 'A peer may be down, slow, broken or confused; our agent must not be told that all went well.',
  certain:
    'The peer gave no usable answer, as none but the id of its request, and the candidate hangs, breaks its output schema, or reports the same success as when it had one, or what the cases have for success alone, or throws, or tells it by another name, though the task says what is told then, or answers though errors are to reach the caller, or does not go on, keep what it was told or try again where the task has it do so; a request is sent more often than document or task allows, or again with the id that it had where the document wants a new one; an answer to another request is taken although the document says that the ids must match, or acted upon and then not taken; what the document has done only after an answer is done though that has not come; the output depends on the order in which answers to concurrent requests arrive; a line that is no answer of the protocol is reported as what another line says.',
  uncertain:
    'The output after a failure is one that a case has for another reason; an answer to another request is taken where the document is silent.',
  *run({ subject, cases }): Generator<Scenario[], CheckFindings, Observation[]> {
    if (subject.role !== 'requester') return { failures: [], warnings: [], skipped: 'the candidate is a provider' };
    const plans = cases.filter(({ seen }) => seen.sends.length > 0).flatMap((one) => mischiefsOf(subject, one));
    if (plans.length === 0) return { failures: [], warnings: [], skipped: 'no case sends a request' };
    const seen = yield plans.map(({ one, peer }) => ({ ...one.scenario, peer }));
    const findings: CheckFindings = { failures: [], warnings: [] };
    for (const [index, { one, mischief }] of plans.entries()) {
      const observation = seen[index] as Observation;
      const untaken = seen.flatMap(({ value }, at) => {
        const plan = plans[at];
        if (value === undefined || plan === undefined) return [];
        const isOfAnother = plan.mischief === mischief && !equalJson(value, plan.one.seen.value ?? null);
        return isOfAnother || (plan.one === one && isUnheard(plan.mischief)) ? [value] : [];
      });
      const silent = seen[plans.findIndex((plan) => plan.one === one && plan.mischief === 'times out')];
      const act = actsInSpite(subject, one, mischief, observation, silent);
      const fault = act
        ? { message: act, certain: true }
        : faultOf(subject, cases, one, mischief, observation, untaken);
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
    for (const { one, seen: before } of cases) {
      const sentence = sameIdInSpite(subject, one, before);
      if (sentence === undefined) continue;
      findings.failures.push({
        code: 'CANDIDATE_PEER_FAILURE',
        message: `case ${one.testCase}: two messages have the same id, though "${excerpt(sentence)}"`,
        testCase: one.testCase,
        input: one.input,
      });
      break;
    }
    return findings;
  },
};

/** An act upon an answer that is not taken, or that has not come. */
function actsInSpite(
  subject: Subject,
  { one, seen: before }: SeenCase,
  mischief: Mischief,
  seen: Observation,
  silent: Observation | undefined,
): string | undefined {
  if (mischief === 'answers the second request first' || mischief === 'answers what is repeated as it did first')
    return undefined;
  if (mischief.startsWith('answers')) {
    const tool = silent && actedOnRefused(subject, before, silent, seen);
    return tool && `${tool} acts upon an answer that is not taken`;
  }
  const early = actedTooSoon(subject, one, before, seen);
  return early && `${early.tool} acts all the same, though "${excerpt(early.sentence)}"`;
}

/** Whether document or task have whatever the protocol does not have taken for an error. */
function demandsErrors({ agreement, task }: Subject): boolean {
  return /\bany (?:other (?:line|answer|message|reply|response|code)|(?:line|answer|message) that is not)\b[^.\n]{0,60}\b(?:errors?|failures?)\b/i.test(
    `${task?.description ?? ''}\n${agreement.text}`,
  );
}

function faultOf(
  subject: Subject,
  cases: readonly SeenCase[],
  seenCase: SeenCase,
  mischief: Mischief,
  seen: Observation,
  untaken: readonly Json[],
): { message: string; certain: boolean } | undefined {
  const { one, seen: before } = seenCase;
  if (seen.end === 'timed-out' || seen.end === 'out-of-memory' || seen.end === 'killed')
    return { message: `the run ended as "${seen.end}"`, certain: true };
  const { isTold, isToldOfUnusable, names, messages, thrown, passedOver, soFar, sentAgain } = unansweredPeerOf(
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
  if (mischief === 'answers what is repeated as it did first') {
    const [asked, bound] = [repeatedRequest(one, before), boundOfRepeats(subject)];
    const times = asked === undefined ? 0 : timesSent(asked, one, seen);
    return bound !== undefined && times > bound.most
      ? { message: `a request is sent ${times} times, though "${excerpt(bound.sentence)}"`, certain: true }
      : undefined;
  }
  const repeated = isSilent ? repeatedInSpite(subject, one, before, seen) : undefined;
  if (repeated !== undefined)
    return { message: `a request that is not answered is sent again, though "${repeated}"`, certain: true };
  const renamed = isSilent ? otherIdInSpite(subject, one, seen) : undefined;
  if (renamed !== undefined)
    return {
      message: `a request that is not answered is sent again with another id, though "${renamed}"`,
      certain: true,
    };
  if (isUnheard(mischief) && sentAgain !== undefined && !hasKindsOfRequests(subject) && isSentOnce(one, before, seen))
    return {
      message: `a request that is not answered is not sent again, though "${excerpt(sentAgain)}"`,
      certain: true,
    };
  if (seen.end !== 'returned' || seen.value === undefined) return undefined;
  if (isUnheard(mischief) && thrown !== undefined && seen.sends.length > 0)
    return { message: `it answers, though "${excerpt(thrown)}"`, certain: true };
  if (mischief === 'fails at its first message' || mischief === 'times out at its first message')
    return passesOver(one, before, seen)
      ? undefined
      : { message: `it asks no further, though "${excerpt(passedOver ?? '')}"`, certain: true };
  const [issue] = seen.issues;
  if (issue) return { message: `the output breaks its schema at "${issue.pointer}": ${issue.message}`, certain: true };
  // An empty line, or an id without anything, is no answer of any protocol of which a case shows more.
  const isUnusable =
    mischief === 'answers with its id alone' ||
    (mischief === 'answers without what it must have' && subject.payload === 'text');
  const isOfAll =
    messages.length === 0 ||
    seen.sends.every(({ request }) => leavesOf(request).some(({ value }) => messages.some((one) => one === value)));
  if (isUnusable && isToldOfUnusable && isOfAll && names.length > 0 && !holdsConstant(seen.value, names))
    return {
      message: `the output has none of ${names.join(', ')}, by which the task names an answer that cannot be used`,
      certain: !tellsUnshownName({ subject, cases }, seenCase, seen.value),
    };
  if (mischief === 'answers the second request first') {
    return caseDifferences(subject, one, seen).length > 0
      ? { message: 'the output depends on the order in which answers arrive', certain: true }
      : undefined;
  }
  if (mischief.endsWith('from its second message on') && seen.sends.some(({ error }) => error !== undefined)) {
    const incomplete = completeInSpite(subject, one.output, seen.value);
    if (incomplete !== undefined)
      return { message: `the output says that it is complete, though "${excerpt(incomplete)}"`, certain: true };
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
    // What tells nothing of the peer's, or is told of a peer that fails or of such an answer elsewhere as well, is what the candidate says of an answer it does not take, too.
    const isHeard = !untaken.some((value) => equalJson(seen.value ?? null, value));
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
  const isNameless =
    isSilent &&
    isConcerned &&
    names.length > 0 &&
    !(asBefore && mischief === 'times out from its second message on') &&
    !holdsConstant(seen.value, names);
  const nameless = `the output has none of ${names.join(', ')}, by which the task names a peer that gives no answer`;
  // An output with another name of the task's may be the one that its sentences mean.
  const mayBeMeant = isNameless && tellsUnshownName({ subject, cases }, seenCase, seen.value);
  if (isNameless && !mayBeMeant) return { message: nameless, certain: true };
  if (mischief === 'times out from its second message on') return undefined;
  const isForeign =
    mischief === 'answers with values of other types' && subject.payload === 'text' && demandsErrors(subject);
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
    // What says itself that something failed claims no success.
    reportsFailure(seen.value) !== true &&
    carriesPeerData(cases, one) &&
    !mayReportFailure(subject, one, seen.value) &&
    (repeatsTheAnswer(subject, one) || !countsAsAnAnswer(subject, one));
  if (repeats || claimsSuccess(cases, seen.value))
    return { message: 'it reports success without an answer', certain: true };
  if (mayBeMeant) return { message: nameless, certain: false };
  return other && !isAsTold(subject, seen.value)
    ? {
        message: `it reports what it reports for case ${other.one.testCase}, which the peer has not said`,
        certain: false,
      }
    : undefined;
}

/** Whether an output is what the task has told of a peer that gives no answer, or nothing is told of one, which is passed over. */
function isAsTold(subject: Subject, output: Json): boolean {
  return (['silent', 'failing'] as const).some((how) => {
    const { names, passedOver } = unansweredPeerOf(subject, how);
    return passedOver !== undefined || (names.length > 0 && holdsConstant(output, names));
  });
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
