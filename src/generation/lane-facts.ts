import type { CaseReport } from '../contract/outcome.ts';
import type { Observation } from '../contract/trial.ts';
import { derivedCheck } from '../deriving/judge-derived.ts';
import type { Code } from '../kernel/errors.ts';
import type { Json } from '../kernel/json.ts';
import type { EarlierAnswer, RepairDerived, RepairFacts } from '../prompting/render-repair.ts';
import type { BrokenCase } from '../readings/judge-reading.ts';
import { caseScenarios } from '../verification/case-scenarios.ts';
import type { CheckFact } from '../verification/checks.ts';
import { runnableCases } from '../verification/runnable-cases.ts';
import type { Assignment } from './assignment.ts';
import type { Failed } from './lane-candidate.ts';

/** The runs of the cases that a candidate failed, for its repair. */
export function repairCases(
  { subject }: Assignment,
  observations: readonly Observation[],
  broken: readonly CaseReport[],
): NonNullable<RepairFacts['cases']> {
  const runnable = runnableCases(subject);
  return broken.flatMap(({ testCase, differences }) => {
    const one = runnable.find((candidate) => candidate.testCase === testCase);
    const seen = observationOf({ subject }, observations, testCase);
    if (!one || !seen) return [];
    const { end, value, message, position, calls, sends } = seen;
    return [
      {
        testCase,
        input: one.input,
        expected: one.output,
        got: value,
        differences,
        end,
        message,
        position,
        calls,
        ...(subject.role === 'requester' ? { sends } : {}),
      },
    ];
  });
}

/** The first run of a case, which its differences are about. */
export function observationOf(
  { subject }: Pick<Assignment, 'subject'>,
  observations: readonly Observation[],
  testCase: number,
): Observation | undefined {
  return observations[caseScenarios(subject).findIndex(({ seed }) => seed === `case-${testCase}`)];
}

/** The findings of the checks, for a repair. */
export function repairChecks(facts: readonly CheckFact[]): NonNullable<RepairFacts['checks']> {
  const names = [...new Set(facts.map(({ check }) => check))];
  return names.map((name) => ({
    name,
    facts: facts.filter(({ check }) => check === name).map(factText),
  }));
}

/** A derived case that a candidate broke, as a finding. Its message is the same whatever the candidate did. */
export function derivedFact({ entry, world, breaches: [first] }: BrokenCase): CheckFact {
  const { got } = first ?? {};
  return {
    check: derivedCheck,
    code: 'CANDIDATE_DERIVED_CASE',
    rule: 'derived-cases/broken',
    message: `the agreement says "${entry.quote}": ${entry.claim}`,
    input: world.scenario.input,
    ...(got === undefined ? {} : { got }),
  };
}

/** The same for a repair: the sentence, the world, and the breaches. */
export function repairDerived({ entry, world, seen, breaches }: BrokenCase): RepairDerived {
  return {
    quote: entry.quote,
    claim: entry.claim,
    input: world.scenario.input,
    ...(entry.tools === undefined ? {} : { tools: entry.tools as unknown as Json }),
    ...(entry.peer === undefined ? {} : { peer: entry.peer as unknown as Json }),
    found: breaches.map(({ message }) => message),
    ...(seen.position === undefined ? {} : { position: seen.position }),
  };
}

/** One finding with its values, on one line. */
export function factText({ message, input, expected, got }: CheckFact): string {
  const values = Object.entries({ input, expected, got }).flatMap(([what, value]) =>
    value === undefined ? [] : [`${what}: ${JSON.stringify(value)}`],
  );
  return [message, ...values].join('; ');
}

/** What the next prompt says about a failed answer that it does not show. */
export function earlierAnswer({ code, message, facts, isRepeat }: Failed): EarlierAnswer {
  if (code === 'CANDIDATE_TOO_LONG')
    return {
      message: 'An answer was cut off, for it was too long: give a shorter module, and nothing beside it.',
      facts,
    };
  if (code === 'CANDIDATE_NO_CODE')
    return { message: `${message}. Wanted: one fenced ts block with the whole module, and nothing after it.`, facts };
  if (code === 'CANDIDATE_WITHHELD') return { message: 'An answer was withheld by its server.', facts };
  if (facts === null) return { message: `${message}.`, facts };
  const again = isRepeat ? ', and then written again unchanged' : '';
  return { message: `A module was refused${again}:`, facts };
}

/** The number of faults. */
export function faultCount(facts: RepairFacts | null): number {
  if (!facts) return 1;
  return [facts.typeFaults, facts.bundleFaults, facts.cases, facts.checks, facts.derived].reduce(
    (sum, list) => sum + (list?.length ?? 0),
    0,
  );
}

/** Identifies a failure by its code and facts, wherever they occur in the source. */
export function failureSignature(code: Code, facts: RepairFacts | null): string {
  const { typeFaults = [], bundleFaults = [], cases = [], checks = [], derived = [] } = facts ?? {};
  return JSON.stringify([
    code,
    [...typeFaults, ...bundleFaults].map(({ message }) => message),
    cases.map(({ testCase, end, message, got, differences }) => [testCase, end, message, got, differences]),
    checks,
    derived.map(({ quote, claim, input, found }) => [quote, claim, input, found]),
  ]);
}
