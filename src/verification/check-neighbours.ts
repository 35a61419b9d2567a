import type { Observation, Scenario } from '../contract/trial.ts';
import { isObject, type Json, valueAt } from '../kernel/json.ts';
import { equalJson } from '../schemas/equal-json.ts';
import type { RunnableCase } from './case-scenarios.ts';
import type { Check, CheckFacts, CheckFindings } from './check.ts';
import { DERIVED_NAME } from './check-renaming.ts';
import { reportsFailure } from './failure-answer.ts';
import { leavesOf } from './scalar-kinds.ts';
import { type Variation, variationsOf } from './variations.ts';

const maxVariationsPerCase = 8;

/** Fewer neighbours than this say nothing. */
const leastNeighbours = 4;

/** Changes one value of a request at a time, where the answer is worked out from the request alone. */
export const neighbours: Check = {
  name: 'neighbours',
  reason:
    'An answer that is worked out cannot be foretold for other data; but a table gives itself away by having only one answer for all of them.',
  certain:
    'Each case that succeeds without new help from tools has an answer of its own, yet all requests next to any of them get one and the same answer.',
  uncertain: 'Nothing.',
  *run(facts): Generator<Scenario[], CheckFindings, Observation[]> {
    const none: CheckFindings = { failures: [], warnings: [] };
    if (facts.subject.role === 'requester') return { ...none, skipped: 'the candidate is a requester' };
    const plans = facts.cases
      .filter(({ one }) => !one.case.negative && reportsFailure(one.output) !== true)
      .flatMap((seenCase) =>
        variationsOf(facts, seenCase, 24)
          .filter((variation) => counts(facts, variation))
          .slice(0, maxVariationsPerCase),
      );
    if (plans.length < leastNeighbours)
      return { ...none, skipped: 'no case has values that its answer could be worked out from' };
    const seen = yield plans.map(({ scenario }) => scenario);
    const told = plans.flatMap((variation, index) => {
      const observation = seen[index] as Observation;
      return sameHelp(variation.seenCase.seen, observation)
        ? [{ variation, observation, answer: plain(observation, variation.input) }]
        : [];
    });
    const [any] = told;
    if (!any || told.some(({ answer }) => !equalJson(answer, any.answer))) return none;
    const revealing = told.filter(
      ({ variation: { seenCase } }) =>
        !equalJson(plain(seenCase.seen, seenCase.one.input), any.answer) && isWorkedOut(facts, seenCase.one),
    );
    const [first] = revealing;
    if (!first || revealing.length < leastNeighbours) return none;
    const { variation, observation } = first;
    return {
      failures: [
        {
          code: 'CANDIDATE_HARD_CODED',
          message: `all ${revealing.length} requests that differ from a case in one value get one and the same answer, which is that of no case that succeeds`,
          testCase: variation.seenCase.one.testCase,
          input: variation.input,
          ...(observation.value === undefined ? {} : { got: observation.value }),
        },
      ],
      warnings: [],
      memorised: true,
    };
  },
};

/** Whether a change of this place should matter: it is no public property, no id that is only echoed, and nothing that is checked against another value. */
function counts({ vocabulary }: CheckFacts, { seenCase, pointer, name }: Variation): boolean {
  const value = valueAt(seenCase.one.input, pointer);
  if (DERIVED_NAME.test(name) || value === undefined || typeof value === 'boolean') return false;
  if (typeof value === 'string' && (vocabulary.hasText(value) || isEchoed(seenCase.one.output, value))) return false;
  return true;
}

/** Whether an answer holds a number or datum that its request does not: a yes or no may well be the same for all neighbours. */
function isWorkedOut({ vocabulary }: CheckFacts, { input, output }: RunnableCase): boolean {
  const asked = leavesOf(input).map(({ value }) => value);
  const text = asked.map(String).join('\n');
  return leavesOf(output).some(({ name, value }) => {
    if (typeof value === 'number') return !asked.includes(value) && !/code|status|error|version/i.test(name);
    if (typeof value !== 'string' || vocabulary.hasText(value)) return false;
    return [...value.matchAll(/\d+(?:\.\d+)?/g)].some(([digits]) => !text.includes(digits));
  });
}

function isEchoed(answer: Json, value: string): boolean {
  return leavesOf(answer).some((leaf) => leaf.value === value);
}

/** Whether tools told a run nothing that they had not told the other. */
function sameHelp(before: Observation, after: Observation): boolean {
  const help = (seen: Observation): Json => seen.calls.map(({ tool, input, output }) => [tool, input, output ?? null]);
  return equalJson(help(before), help(after));
}

/** How a run ended, with what it merely echoes blotted out. */
function plain(seen: Observation, input: Json): Json {
  if (seen.end !== 'returned' || seen.value === undefined) return [seen.end];
  const echoed = new Set(leavesOf(input).map(({ value }) => value));
  const blot = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(blot);
    if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, blot(item)]));
    return (typeof value === 'string' || typeof value === 'number') && echoed.has(value) ? '\u0001' : value;
  };
  return [seen.end, blot(seen.value)];
}
