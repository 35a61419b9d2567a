import type { Observation, Peer, Scenario } from '../../contract/trial.ts';
import { isObject, type Json } from '../../kernel/json.ts';
import { equalJson } from '../../schemas/equal-json.ts';
import type { Check, CheckFacts, Finding, SeenCase } from '../check.ts';
import { reportsFailure } from '../failure-answer.ts';
import { caseDifferences } from '../judge-cases.ts';
import { untoldIn } from './untold.ts';

type Mischief = 'gives no answer' | 'answers with values of other types' | 'answers the second request first';

interface Plan {
  one: SeenCase;
  mischief: Mischief;
  peer: Peer;
}

/** Runs a requester with a misbehaving peer. */
export const requesterPeer: Check = {
  name: 'requester-peer',
  reason: 'A peer may be down, slow or broken; no handler knows what it did not send.',
  *run(facts) {
    if (facts.subject.role !== 'requester') return { findings: [], skipped: 'the candidate is a provider' };
    const plans = facts.cases.filter(({ seen }) => seen.sends.length > 0).flatMap(plansOf);
    if (plans.length === 0) return { findings: [], skipped: 'no case sends a request' };
    const observations = yield plans.map(({ one, peer }): Scenario => ({ ...one.scenario, peer }));
    return { findings: plans.flatMap((plan, index) => faultOf(facts, plan, observations[index] as Observation)) };
  },
};

const UNREACHABLE = { error: { code: 'FAILED', message: '' } } as const;

function plansOf(one: SeenCase): Plan[] {
  const usual = one.scenario.peer;
  const plans: Plan[] = [{ one, mischief: 'gives no answer', peer: () => UNREACHABLE }];
  if (usual === undefined) return plans;
  const mistyping: Peer = async (request, nth, before) => {
    const answer = await usual(request, nth, before);
    return 'response' in answer ? { response: mistyped(answer.response) } : answer;
  };
  plans.push({ one, mischief: 'answers with values of other types', peer: mistyping });
  if (one.seen.sends.length > 1)
    plans.push({ one, mischief: 'answers the second request first', peer: secondFirst(usual) });
  return plans;
}

function mistyped(response: Json): Json {
  if (typeof response === 'string') return '\u0000';
  if (!isObject(response)) return 'text';
  return Object.fromEntries(
    Object.entries(response).map(([name, value]) => [name, typeof value === 'string' ? 0 : 'text']),
  );
}

/** How long the first answer is delayed if no second request comes, in milliseconds. */
const holdMs = 30;

/** A peer whose first answer arrives after its second, if the candidate does not wait for the first. */
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

function faultOf(facts: CheckFacts, { one: seenCase, mischief }: Plan, seen: Observation): Finding[] {
  const { one, seen: before } = seenCase;
  const fact = (rule: Finding['rule'], message: string): Finding[] => [
    {
      rule,
      message: `case ${one.testCase}, where the peer ${mischief}: ${message}`.slice(0, 500),
      testCase: one.testCase,
      input: one.input,
      ...(seen.value === undefined ? {} : { got: seen.value }),
    },
  ];
  if (seen.end === 'timed-out' || seen.end === 'out-of-memory' || seen.end === 'killed')
    return fact('requester-peer/hangs', `the run ended as "${seen.end}"`);
  if (seen.end !== 'returned' || seen.value === undefined) return [];
  const [issue] = seen.issues;
  if (issue)
    return fact('requester-peer/breaks-schema', `the output breaks its schema at "${issue.pointer}": ${issue.message}`);
  if (mischief === 'answers the second request first')
    return caseDifferences(facts.subject, one, seen).length > 0
      ? fact('requester-peer/follows-order-of-arrival', 'the output depends on the order in which answers arrive')
      : [];
  // A mistyped answer may be right if the agreement has no schema.
  if (seen.sends.some(({ error }) => error === undefined)) return [];
  const known = [one.input, before.calls.map(({ output }) => output ?? null)];
  const untold = untoldIn(facts, [one.case.response], known, seen.value);
  if (untold !== undefined)
    return fact(
      'requester-peer/tells-what-nobody-told',
      `it answers with ${JSON.stringify(untold)}, which the peer did not send`,
    );
  return equalJson(seen.value, before.value ?? null) &&
    reportsFailure(seen.value) !== true &&
    reportsFailure(one.case.response) !== true
    ? fact('requester-peer/same-without-answer', 'it reports the same as when the peer answers')
    : [];
}
