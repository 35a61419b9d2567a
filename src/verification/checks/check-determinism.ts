import type { Observation, Scenario } from '../../contract/trial.ts';
import type { Json } from '../../kernel/json.ts';
import { equalJson } from '../../schemas/equal-json.ts';
import type { Check, CheckFindings, Finding, SeenCase } from '../check.ts';
import { caseDifferences } from '../judge-cases.ts';
import type { Subject } from '../subject.ts';
import { otherTimeMs } from '../worlds/other-times.ts';

/** Least runs with another seed, and at another time, if there are fewer cases. */
const [minLater, minMoved] = [8, 5];

/** Most runs at other times. */
const maxMoved = 20;

/**
 * Runs each case again: unchanged, and with another seed, so at another second and with other answer times. Some also
 * run at other hours, days and years.
 */
export const determinism: Check = {
  name: 'determinism',
  reason: 'The same input must give the same answer and the same calls, or the cases have proven nothing.',
  *run({ subject, cases, elsewhere }): Generator<Scenario[], CheckFindings, Observation[]> {
    if (cases.length === 0) return { findings: [], skipped: 'there is no case to run again' };
    const later = repeated(cases, Math.max(minLater, cases.length)).map(
      ({ scenario }, nth): Scenario => ({ ...scenario, seed: `${scenario.seed}-later-${nth}` }),
    );
    const moved = movedCases(subject, cases);
    const observations = [...(yield [...cases, ...moved].map(({ scenario }) => scenario).concat(later))];
    const again = observations.splice(0, cases.length);
    const elsewhen = [...elsewhere, ...moved.map((one) => ({ ...one, seen: observations.shift() as Observation }))];
    const isBroken = (one: SeenCase, run: Observation) => caseDifferences(subject, one.one, run).length > 0;
    const [atOtherTime] = elsewhen.filter((one) => isBroken(one, one.seen));
    return {
      findings: [
        ...cases.flatMap((one, index) => {
          const same = again[index] as Observation;
          if (!equalJson(traceOf(one.seen), traceOf(same)))
            return [factOf('determinism/same-run', one, same, 'the same run gave another answer or other calls')];
          const other = observations.find((run, nth) => nth % cases.length === index && isBroken(one, run));
          return other === undefined ? [] : [factOf('determinism/later-run', one, other, changedLater)];
        }),
        ...(atOtherTime === undefined ? [] : [factOfTime(cases, atOtherTime)]),
      ],
    };
  },
};

const changedLater =
  'another seed, a moment later and with other answer times of tools, changed a value that is not loose';

/** The cases in turn, `count` times in all. */
function repeated(cases: readonly SeenCase[], count: number): SeenCase[] {
  return Array.from({ length: count }, (_, nth) => cases[nth % cases.length] as SeenCase);
}

/** Some of the cases at other times; none if the data name a time of day. */
function movedCases(subject: Subject, cases: readonly SeenCase[]): SeenCase[] {
  const count = Math.min(maxMoved, Math.max(minMoved, cases.length));
  return repeated(cases, count).flatMap((one, nth) => {
    const nowMs = otherTimeMs(subject, `${nth}`);
    return nowMs === undefined ? [] : [{ ...one, scenario: { ...one.scenario, nowMs } }];
  });
}

function factOfTime(cases: readonly SeenCase[], moved: SeenCase): Finding {
  const usual = cases.find(({ one: { testCase } }) => testCase === moved.one.testCase) ?? moved;
  const at = new Date(moved.scenario.nowMs).toISOString().slice(0, 16);
  return factOf('determinism/other-time', usual, moved.seen, `at ${at} it changed a value that is not loose`);
}

/** Everything observable that a run did. */
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
