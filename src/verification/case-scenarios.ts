import type { Scenario } from '../contract/trial.ts';
import { casePeer } from './case-peer.ts';
import { type RunnableCase, runnableCases } from './runnable-cases.ts';
import { defaultTrialNowMs, type Subject } from './subject.ts';

const otherSeed = 'another-seed';

/** Changes every part of a time, date included. */
const otherNowMs = 33 * 86_400_000 + 3_661_007;

/** The runs of the negotiated cases, in the order that `judgeCases` expects. */
export function caseScenarios(subject: Subject): Scenario[] {
  return runnableCases(subject).flatMap((one) => {
    const first = caseScenario(subject, one);
    if (!needsProof(one)) return [first];
    return [first, atAnotherTime(first)];
  });
}

/** The same run with another seed and clock: an output that differs does not follow from the input. */
export function atAnotherTime(scenario: Scenario): Scenario {
  return { ...scenario, seed: `${scenario.seed}-${otherSeed}`, nowMs: scenario.nowMs + otherNowMs };
}

/** The run of one case. */
export function caseScenario(subject: Subject, one: RunnableCase): Scenario {
  return {
    input: one.input,
    tools: subject.tools as Scenario['tools'],
    ...(subject.role === 'requester' ? { peer: casePeer(runnableCases(subject), subject.cases, one) } : {}),
    seed: `case-${one.testCase}`,
    nowMs: subject.nowMs ?? defaultTrialNowMs,
  };
}

export function needsProof(one: RunnableCase): boolean {
  return one.loose.some(({ as }) => as !== 'text');
}
