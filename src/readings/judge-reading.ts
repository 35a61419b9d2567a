import type { DerivedCase } from '../contract/reading.ts';
import type { Observation, Scenario, Trier } from '../contract/trial.ts';
import type { Json } from '../kernel/json.ts';
import { caseScenario, runnableCases } from '../verification/case-scenarios.ts';
import type { Subject } from '../verification/subject.ts';
import { type Breach, breachesOf, isVoid } from './breaches.ts';
import { brokenRequestCases, worldsOf } from './broken-requests.ts';
import type { OtherRun, World, WorldRun } from './world.ts';

/** A derived case that a candidate broke. */
export interface BrokenCase {
  entry: DerivedCase;
  world: World;
  seen: Observation;
  breaches: Breach[];
  /** The request or task of the world that it was compared with. */
  other?: Json;
}

/** The result of a candidate on the derived cases of a reading. */
export interface ReadingTrial {
  /** Runs of the candidate. */
  runs: number;
  /** Derived cases that were judged, including those made from others. */
  judged: number;
  broken: BrokenCase[];
}

/**
 * Runs the valid derived cases of a reading on a candidate, in one call of the trier. Rejects only as the trier does.
 */
export async function judgeReading(
  entries: readonly DerivedCase[],
  subject: Subject,
  trier: Trier,
  signal: AbortSignal,
): Promise<ReadingTrial> {
  const given = worldsOf(entries, subject);
  const worlds = [...given, ...worldsOf(brokenRequestCases(given, subject), subject)];
  const { runs, trials } = await runWorlds(worlds, subject, trier, signal);
  return {
    runs,
    judged: trials.filter((run) => !isVoid(run)).length,
    broken: trials.flatMap((run) => {
      const breaches = breachesOf(run, subject);
      if (breaches.length === 0) return [];
      const { world, seen } = run;
      const other = otherInput(run);
      return [{ entry: world.entry, world, seen, breaches, ...(other === undefined ? {} : { other }) }];
    }),
  };
}

/** The request or task of the world that a run is compared with. */
export function otherInput({ world: { entry }, others }: WorldRun): Json | undefined {
  return entry.expect.alike && others.get(entry.expect.alike.to)?.input;
}

/**
 * Runs worlds, and the negotiated cases that they are compared with, in one call of the trier. Rejects only as the
 * trier does.
 */
export async function runWorlds(
  worlds: readonly World[],
  subject: Subject,
  trier: Trier,
  signal: AbortSignal,
): Promise<{ runs: number; trials: WorldRun[] }> {
  const compared = casesComparedWith(worlds, subject);
  const scenarios = [...worlds.map(({ scenario }) => scenario), ...compared.map(({ scenario }) => scenario)];
  if (scenarios.length === 0) return { runs: 0, trials: [] };
  const seen = await trier.try(scenarios, signal);
  const others = new Map<string | number, OtherRun>();
  for (const [index, { entry, scenario }] of worlds.entries())
    if (entry.id !== undefined) others.set(entry.id, { input: scenario.input, seen: seen[index] as Observation });
  for (const [index, { testCase, scenario }] of compared.entries())
    others.set(testCase, { input: scenario.input, seen: seen[worlds.length + index] as Observation });
  const trials = worlds.map((world, index) => ({ world, seen: seen[index] as Observation, others }));
  return { runs: scenarios.length, trials };
}

/** The negotiated cases that derived cases are compared with. */
function casesComparedWith(worlds: readonly World[], subject: Subject): { testCase: number; scenario: Scenario }[] {
  const wanted = new Set(
    worlds.flatMap(({ entry }) => (typeof entry.expect.alike?.to === 'number' ? [entry.expect.alike.to] : [])),
  );
  return runnableCases(subject).flatMap((one) =>
    wanted.has(one.testCase) ? [{ testCase: one.testCase, scenario: caseScenario(subject, one) }] : [],
  );
}
