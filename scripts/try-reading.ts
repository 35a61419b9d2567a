import { readdir, readFile } from 'node:fs/promises';
import { bundleHandler, type Sandbox } from '../sandbox/index.ts';
import type { DerivedCase, Reading } from '../src/contract/reading.ts';
import { createTrier } from '../src/hosting/trier.ts';
import type { Requirements } from '../src/job/requirements.ts';
import { canonicalJson } from '../src/kernel/digest.ts';
import type { Json } from '../src/kernel/json.ts';
import { answersOf, confirmedPart } from '../src/readings/confirmed.ts';
import { type BrokenCase, judgeReading } from '../src/readings/judge-reading.ts';
import type { Dropped } from '../src/readings/load-reading.ts';
import { validReading } from '../src/readings/valid-reading.ts';
import { caseScenarios } from '../src/verification/case-scenarios.ts';

/** The readings of one agreement, and the number of dropped entries. */
export interface FixtureReadings {
  readings: Reading[];
  /** Entries of all files, and the number of dropped ones. */
  all: number;
  dropped: (Dropped & { file: string })[];
}

/** Reads every `reading*.json` of a folder, or the one file of this agreement in a folder of readings. */
export async function openReadings(
  requirements: Requirements,
  folder: URL,
  agreement?: string,
): Promise<FixtureReadings> {
  const names = await readdir(folder).catch((): string[] => []);
  const files = names.filter((name) =>
    agreement === undefined ? /^reading.*\.json$/.test(name) : name === `${agreement}.json`,
  );
  if (agreement !== undefined && names.includes(agreement))
    return openReadings(requirements, new URL(`${agreement}/`, folder));
  const found: FixtureReadings = { readings: [], all: 0, dropped: [] };
  for (const file of files.sort()) {
    const value = JSON.parse(await readFile(new URL(file, folder), 'utf8')) as Json;
    const { reading, dropped } = validReading(value, requirements.subject);
    found.readings.push(reading);
    found.all += reading.derived.length + dropped.length;
    found.dropped.push(...dropped.map((one) => ({ ...one, file })));
  }
  return found;
}

/**
 * The derived cases that a candidate breaks, and which of them a second set of readings confirms; without a second set,
 * all of them.
 */
export async function tryReadings(
  requirements: Requirements,
  source: string,
  readings: readonly Reading[],
  second: readonly Reading[] | null,
  sandbox: Sandbox,
): Promise<{ runs: number; confirmed: BrokenCase[]; contested: BrokenCase[] }> {
  const none = { runs: 0, confirmed: [], contested: [] };
  const bundled = await bundleHandler(source, requirements.exportName);
  if (!bundled.ok || readings.length === 0) return none;
  const handler = await sandbox.load(bundled.bundle, requirements.exportName);
  try {
    const { signal } = new AbortController();
    const trier = createTrier(handler, requirements.surface, () => undefined, requirements.subject.trialSeed);
    await trier.try(caseScenarios(requirements.subject), signal);
    const judge = async (reading: Reading) => judgeReading(reading.derived, requirements.subject, trier, signal);
    const trials = await inTurn(readings, judge);
    const broken = trials.flatMap((trial) => trial.broken);
    const runs = trials.reduce((sum, trial) => sum + trial.runs, 0);
    if (second === null) return { runs, confirmed: broken, contested: [] };
    const others = (await inTurn(second, judge)).flatMap((trial) => trial.broken);
    const entries = second.flatMap(({ derived }) => derived);
    const parts = broken.map((one) => ({ one, part: borneOut(one, entries, others) }));
    return {
      runs,
      confirmed: parts.flatMap(({ part }) => part ?? []),
      contested: parts.flatMap(({ one, part }) => (part === null ? [one] : [])),
    };
  } finally {
    await handler.close();
  }
}

async function inTurn<T, U>(list: readonly T[], work: (one: T) => Promise<U>): Promise<U[]> {
  const results: U[] = [];
  for (const one of list) results.push(await work(one));
  return results;
}

/**
 * The part of a broken case that a second set of readings confirms. If the set has the same world, its
 * expectation there decides. Else the whole case counts, if the candidate breaks another case of that set for
 * the same words.
 */
function borneOut(
  broken: BrokenCase,
  entries: readonly DerivedCase[],
  others: readonly BrokenCase[],
): BrokenCase | null {
  const world = worldOf(broken.entry);
  const same = entries.filter((entry) => worldOf(entry) === world);
  if (same.length > 0) {
    const answers = Object.assign({}, ...same.map(answersOf)) as ReturnType<typeof answersOf>;
    return confirmedPart(broken, answers);
  }
  const words = wordsOf(broken.entry);
  return others.some(({ entry }) =>
    wordsOf(entry).some((one) => words.some((other) => one.includes(other) || other.includes(one))),
  )
    ? broken
    : null;
}

function worldOf({ base, request = [], tools = {}, peer = [] }: DerivedCase): string {
  return canonicalJson(JSON.parse(JSON.stringify({ base, request, tools, peer })) as Json);
}

/** The passages that demand a derived case. */
function wordsOf({ quote }: DerivedCase): string[] {
  return quote.split(' … ').map((words) => words.replaceAll(/[\s*_`#-]+/g, ' ').trim());
}
