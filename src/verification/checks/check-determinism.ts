import type { Observation, Scenario } from '../../contract/trial.ts';
import type { Json } from '../../kernel/json.ts';
import { equalJson } from '../../schemas/equal-json.ts';
import { caseDifferences } from '../case-scenarios.ts';
import type { Check, CheckFindings, Finding, SeenCase } from '../check.ts';

/** Little enough that nothing expires meanwhile. */
const laterMs = 61_013;

/** What a tool may well take; in a case's own run none takes any time, and a handler could tell by that where it is. */
const tickMs = 7;

/** Runs each case again: as it was, and with another seed a minute later, when tools take their time. */
export const determinism: Check = {
  name: 'determinism',
  reason: 'The same input must give the same answer and the same calls, or the cases have proven nothing.',
  *run({ subject, cases }): Generator<Scenario[], CheckFindings, Observation[]> {
    if (cases.length === 0) return { findings: [], skipped: 'there is no case to run again' };
    const seen = yield cases.flatMap(({ scenario }) => [
      scenario,
      { ...scenario, seed: `${scenario.seed}-later`, nowMs: scenario.nowMs + laterMs, tickMs },
    ]);
    const findings = cases.flatMap((one, index) => {
      const [again, later] = [seen[index * 2] as Observation, seen[index * 2 + 1] as Observation];
      if (!equalJson(traceOf(one.seen), traceOf(again)))
        return [factOf('determinism/same-run', one, again, 'the same run gave another answer or other calls')];
      return caseDifferences(subject, one.one, later).length > 0
        ? [
            factOf(
              'determinism/later-run',
              one,
              later,
              'another seed, a minute later, with tools that take their time, changed an answer that is not loose',
            ),
          ]
        : [];
    });
    return { findings };
  },
};

/** All that a run did that can be seen from without. */
export function traceOf(seen: Observation): Json {
  return [
    seen.end,
    seen.value ?? null,
    seen.calls.map(({ tool, input }) => [tool, input]),
    seen.sends.map(({ request }) => request),
  ];
}

function factOf(rule: Finding['rule'], { one, seen }: SeenCase, again: Observation, message: string): Finding {
  return {
    rule,
    message: `case ${one.testCase}: ${message}`,
    testCase: one.testCase,
    input: one.input,
    ...(seen.value === undefined ? {} : { expected: seen.value }),
    ...(again.value === undefined ? {} : { got: again.value }),
  };
}
