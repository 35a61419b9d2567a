/**
 * Prints the cost of readings. First, for the recorded ones of `fixtures/unread`: entries, and tokens of question and
 * answer. Then, for one sound handler of each agreement: runs and CPU time of its derived cases, compared with those of
 * the checks and of the cases alone. Last, for one job with a scripted model: tokens by purpose, compared with those of
 * a bare question. `npm run bench -- readings [rounds]`; 3 rounds by default, of which the lowest counts.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { bundleHandler, createSandbox, type Sandbox } from '../sandbox/index.ts';
import { estimateTokens } from '../src/completion/prices.ts';
import type { Reading } from '../src/contract/reading.ts';
import type { Trier } from '../src/contract/trial.ts';
import { readQuestions } from '../src/deriving/read.ts';
import { createTrier } from '../src/hosting/trier.ts';
import type { Requirements } from '../src/job/requirements.ts';
import { judgeReading } from '../src/readings/judge-reading.ts';
import { caseScenarios } from '../src/verification/case-scenarios.ts';
import { defaultCheckPolicy, verify } from '../src/verification/checks.ts';
import { asRead } from '../src/verification/hidden-words.ts';
import { measureTokens } from './bench-tokens.ts';
import { cannedReading, readingOf } from './canned-reading.ts';
import { plainFunctionUs, plainUsOfTargets } from './plain-function.ts';
import { measureOf, openFixture, unreadFolder } from './try-candidate.ts';
import { openReadings } from './try-reading.ts';

/** The speed of an average model. */
const tokensPerSecond = 60;

const rounds = Number(process.argv[3] ?? 3);
if (!Number.isSafeInteger(rounds) || rounds < 1) {
  console.error(`Cannot bench: found ${process.argv[3]} rounds, wanted a whole number from 1`);
  process.exit(64);
}

/** An agreement with its recorded reading and one sound handler. */
interface Recorded {
  requirements: Requirements;
  reading: Reading;
  /** Invalid entries of the reading. */
  dropped: number;
  source: string;
}

/** The cost of some runs of a handler. */
interface Cost {
  runs: number;
  ownMs: number;
  isolateMs: number;
}

const recorded = await openAll();
console.log(
  `${recorded.length} recorded readings, ${recorded.reduce((sum, { dropped }) => sum + dropped, 0)} entries of them dropped; tokens are estimated, four ASCII characters or one other to a token`,
);
const answers = recorded.filter(({ reading }) => reading.reader.name.endsWith('by our question'));
console.table({ ...sizesOf('all', recorded), ...sizesOf('answers to our question', answers) });
printWireForm();

const plainUs = plainFunctionUs();
const costs = await costsOfAll();
console.log(`One sound handler an agreement, least of ${rounds} rounds; CPU in ms; Node ${process.version}`);
console.table(
  Object.fromEntries(
    (['cases', 'checks', 'derived'] as const).map((what) => [
      { cases: 'floor: the cases alone', checks: 'all checks', derived: 'derived cases' }[what],
      costRow(costs.map((cost) => cost[what])),
    ]),
  ),
);
console.log(
  `the plain function with JSON: ${plainUs.toFixed(1)} µs before, ${plainFunctionUs().toFixed(1)} after; ${plainUsOfTargets} µs where targets were set`,
);

console.log('One job of the product agreement whose first answer is sound, with a reading of 28 derived cases:');
console.table(await measureTokens());

async function openAll(): Promise<Recorded[]> {
  const found: Recorded[] = [];
  for (const entry of readdirSync(unreadFolder, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    const folder = new URL(`${entry.name}/`, unreadFolder);
    const requirements = await openFixture(folder);
    const sound = readdirSync(folder).find((name) => name.startsWith('sound-'));
    const { readings, dropped } = await openReadings(requirements, folder);
    const [reading] = readings;
    if (sound === undefined || reading === undefined)
      throw new Error(`Cannot bench ${entry.name}: wanted a sound handler and a reading`);
    found.push({
      requirements,
      reading,
      dropped: dropped.length,
      source: readFileSync(new URL(sound, folder), 'utf8'),
    });
  }
  return found;
}

function sizesOf(what: string, list: readonly Recorded[]): Record<string, object> {
  const questions = list.map(({ requirements }) => readQuestions(asRead(requirements.subject)));
  const tokens = list.map(({ reading }) => estimateTokens(storedLines(reading)));
  return {
    [`${what}: derived cases`]: spread(list.map(({ reading }) => reading.derived.length)),
    [`${what}: questions`]: spread(questions.map((parts) => parts.length)),
    [`${what}: tokens of the questions`]: spread(
      questions.map((parts) =>
        parts
          .flatMap(({ system, turns }) => [system, ...turns.map(({ text }) => text)])
          .reduce((sum, text) => sum + estimateTokens(text), 0),
      ),
    ),
    [`${what}: tokens of the answer, as stored`]: spread(tokens),
    [`${what}: seconds of the answer, as stored, at ${tokensPerSecond} tokens a second`]: spread(
      tokens.map((count) => Math.round(count / tokensPerSecond)),
    ),
  };
}

/** A reading as lines in the stored form, without the text of the units, which the reader does not write. */
function storedLines({ derived, units, waitMs }: Reading): string {
  const entries = derived.map(({ quote, ...entry }) => (entry.of === undefined ? { quote, ...entry } : entry));
  return [...entries, ...units, ...(waitMs === undefined ? [] : [{ waitMs }])]
    .map((entry) => JSON.stringify(entry))
    .join('\n');
}

/** Prints how much longer the stored form is, because recorded answers exist only in that form. */
function printWireForm(): void {
  const job = new URL('../fixtures/examples/anp-product-en.amended.job.json', import.meta.url);
  const { subject } = measureOf(JSON.parse(readFileSync(job, 'utf8')));
  const answer = cannedReading();
  const [wire, stored] = [estimateTokens(answer), estimateTokens(storedLines(readingOf(answer, subject)))];
  console.log(
    `A reader writes a shorter form, which is not kept. The scripted reader's answer has ${wire} tokens as written and ${stored} as stored.`,
  );
}

async function costsOfAll(): Promise<Record<'cases' | 'checks' | 'derived', Cost>[]> {
  const sandbox = await createSandbox({ cells: 1 });
  try {
    const found = [];
    for (const one of recorded) found.push(await costsOf(one, sandbox));
    return found;
  } finally {
    await sandbox.close();
  }
}

async function costsOf({ requirements, reading, source }: Recorded, sandbox: Sandbox) {
  const { subject, surface, exportName } = requirements;
  const bundled = await bundleHandler(source, exportName);
  if (!bundled.ok) throw new Error('Cannot bench: found a handler that cannot be bundled, wanted a sound one');
  const handler = await sandbox.load(bundled.bundle, exportName);
  const { signal } = new AbortController();
  const least: Partial<Record<'cases' | 'checks' | 'derived', Cost>> = {};
  try {
    // One extra round, for just-in-time compilation to settle.
    for (let round = 0; round <= rounds; round += 1) {
      const trier = createTrier(handler, surface, () => undefined, subject.trialSeed);
      const note = async <Found>(what: keyof typeof least, work: (counting: Trier) => Promise<Found>) => {
        const [result, cost] = await costOf(trier, work);
        if (round > 0) least[what] = lesser(least[what] ?? cost, cost);
        return result;
      };
      const observations = await note('cases', (counting) => counting.try(caseScenarios(subject), signal));
      const code = { source, bundle: bundled.bundle };
      await note('checks', (counting) => verify(subject, code, observations, counting, defaultCheckPolicy, signal));
      await note('derived', (counting) => judgeReading(reading.derived, subject, counting, signal));
    }
    return least as Record<'cases' | 'checks' | 'derived', Cost>;
  } finally {
    await handler.close();
  }
}

/** The lower of two measurements of the same runs. */
function lesser(one: Cost, other: Cost): Cost {
  return {
    runs: other.runs,
    ownMs: Math.min(one.ownMs, other.ownMs),
    isolateMs: Math.min(one.isolateMs, other.isolateMs),
  };
}

/** Does some work with a trier that counts its runs, and returns the cost. */
async function costOf<Found>(trier: Trier, work: (counting: Trier) => Promise<Found>): Promise<[Found, Cost]> {
  let runs = 0;
  let isolateMs = 0;
  const counting: Trier = {
    async try(scenarios, signal) {
      const seen = await trier.try(scenarios, signal);
      runs += seen.length;
      isolateMs += seen.reduce((sum, { cpuMs }) => sum + cpuMs, 0);
      return seen;
    },
  };
  const before = process.cpuUsage();
  const found = await work(counting);
  const { user, system } = process.cpuUsage(before);
  return [found, { runs, ownMs: (user + system) / 1_000, isolateMs }];
}

function costRow(list: readonly Cost[]): Record<string, number> {
  const runs = spread(list.map((cost) => cost.runs));
  const own = spread(list.map((cost) => cost.ownMs));
  const isolate = spread(list.map((cost) => cost.isolateMs));
  const [allMs, allRuns] = list.reduce(([ms, count], cost) => [ms + cost.ownMs, count + cost.runs], [0, 0]);
  return {
    'runs, median': runs.median,
    'runs, most': runs.most,
    'here, median': own.median,
    'here, most': own.most,
    'in the isolate, median': isolate.median,
    'in the isolate, most': isolate.most,
    'here, each run': rounded(allMs / allRuns),
  };
}

function spread(all: readonly number[]): { least: number; median: number; most: number } {
  const sorted = all.toSorted((one, other) => one - other);
  const at = (index: number) => rounded(sorted[index] ?? Number.NaN);
  return { least: at(0), median: at(sorted.length >> 1), most: at(sorted.length - 1) };
}

function rounded(value: number): number {
  return Math.round(100 * value) / 100;
}
