import type { Observation, Peer, Scenario } from '../../contract/trial.ts';
import type { Json } from '../../kernel/json.ts';
import type { Check, CheckFindings, SeenCase } from '../check.ts';
import { caseDifferences } from '../judge-cases.ts';
import type { Subject } from '../subject.ts';
import { inAnotherOrder } from '../worlds/member-orders.ts';

/** Least runs, if there are fewer cases, and most runs. */
const [minRuns, maxRuns] = [3, 20];

/** Runs cases with the members of requests and of the peer's answers in another order. */
export const memberOrder: Check = {
  name: 'member-order',
  reason: 'The members of a JSON object have no order: a peer may write them in any.',
  *run({ subject, cases }): Generator<Scenario[], CheckFindings, Observation[]> {
    const movable = cases.filter((one) => isMoved(subject, one));
    if (movable.length === 0) return { findings: [], skipped: 'no case has members whose order may change' };
    const count = Math.min(maxRuns, Math.max(minRuns, movable.length));
    const plans = Array.from({ length: count }, (_, nth) => ({ one: movable[nth % movable.length] as SeenCase, nth }));
    const observations = yield plans.map(({ one, nth }) => moved(subject, one, nth));
    const findings = plans.flatMap(({ one }, index) => {
      const again = observations[index] as Observation;
      if (caseDifferences(subject, one.one, again).length === 0) return [];
      return [
        {
          rule: 'member-order/answer-follows' as const,
          message: `case ${one.one.testCase}: the members in another order changed a value that is not loose`,
          testCase: one.one.testCase,
          input: one.one.input,
          ...(one.seen.value === undefined ? {} : { expected: one.seen.value }),
          ...(again.value === undefined ? {} : { got: again.value }),
        },
      ];
    });
    return { findings: findings.slice(0, 1) };
  },
};

/** The run of a case with all members reordered. */
function moved(subject: Subject, { scenario }: SeenCase, nth: number): Scenario {
  const seed = `${subject.trialSeed} order ${nth}`;
  const { peer } = scenario;
  const movedPeer: Peer = async (...asked) => {
    const answer = (await peer?.(...asked)) as Awaited<ReturnType<Peer>>;
    return 'response' in answer ? { response: inAnotherOrder(answer.response, subject.responseSchema, seed) } : answer;
  };
  return {
    ...scenario,
    input: inAnotherOrder(scenario.input, inputSchemaOf(subject), seed),
    ...(peer === undefined ? {} : { peer: movedPeer }),
  };
}

/** Whether a case has members to reorder. */
function isMoved(subject: Subject, { scenario, one }: SeenCase): boolean {
  const differs = (value: Json, schema: Json) =>
    JSON.stringify(inAnotherOrder(value, schema, '')) !== JSON.stringify(value);
  return (
    differs(scenario.input, inputSchemaOf(subject)) ||
    (subject.role === 'requester' && differs(one.case.response, subject.responseSchema))
  );
}

function inputSchemaOf({ role, requestSchema, task }: Subject): Json {
  return role === 'provider' ? requestSchema : (task?.inputSchema ?? null);
}
