/**
 * Prints what reading, preflight and settling cost for hostile documents, in ms of processor time: those of the tests, as the first document of a
 * process and as one in a process that has judged others, and a flood of generated ones in one process. `npm run bench -- preflight [rounds]
 * [generated]`; 3 rounds by default, of which the least counts, and 100 generated ones.
 */
import { spawnSync } from 'node:child_process';
import { analyze } from '../src/analysis/analyze.ts';
import { preflight } from '../src/analysis/rules.ts';
import { settle } from '../src/analysis/settle.ts';
import { validatorOf } from '../src/schemas/validator-of.ts';
import { attackingDocuments } from '../test/analysis/attacking-documents.ts';
import { type HostileDocument, hostileDocuments } from '../test/analysis/hostile-documents.ts';
import { mixedDocument } from '../test/analysis/mixed-documents.ts';
import { sampleJob } from '../test/analysis/sample-job.ts';

const documents: Readonly<Record<string, () => HostileDocument>> = { ...hostileDocuments, ...attackingDocuments };

const [, , , roundsGiven = '3', generatedGiven = '100', only] = process.argv;
const [rounds, generated] = [roundsGiven, generatedGiven].map(Number) as [number, number];
if (![rounds, generated].every((count) => Number.isSafeInteger(count) && count >= 1)) {
  console.error(`Cannot bench: found ${roundsGiven} rounds of ${generatedGiven}, wanted whole numbers from 1`);
  process.exit(64);
}

if (only === 'flood') console.log(JSON.stringify(floodOf(generated)));
else if (only !== undefined) {
  const made = documents[only];
  if (made === undefined) throw new TypeError(`Cannot bench document: found ${only}, wanted one of the tests`);
  console.log(JSON.stringify(costsOf(made)));
} else {
  const names = Object.keys(documents);
  const rows = names.map((document) => {
    const costs = Array.from({ length: rounds }, () => inProcess<Costs>(document));
    const least = (of: keyof Costs) => Math.round(Math.min(...costs.map((cost) => cost[of])));
    return { document, 'first of a process': least('first'), 'in a warm process': least('warm') };
  });
  rows.sort((one, other) => other['in a warm process'] - one['in a warm process']);
  console.log(`CPU ms a document, least of ${rounds} rounds; Node ${process.version}`);
  console.table(rows);
  for (const column of ['first of a process', 'in a warm process'] as const)
    summarise(
      column,
      rows.map((row) => ({ document: row.document, ms: row[column] })),
    );
  const floods = Array.from({ length: rounds }, () => inProcess<number[]>('flood'));
  const least = Array.from({ length: generated }, (_, seed) => Math.min(...floods.map((flood) => flood[seed] ?? 0)));
  summarise(
    'generated',
    least.map((ms, seed) => ({ document: `seed ${seed}`, ms: Math.round(ms) })),
  );
}

interface Costs {
  first: number;
  warm: number;
}

function costsOf(made: () => HostileDocument): Costs {
  const first = costMs(made());
  const next = Array.from({ length: rounds + 2 }, (_, round) => {
    forget(round);
    return costMs(made(), `Round ${round}.\n`);
  });
  return { first, warm: Math.min(...next) };
}

function floodOf(count: number): number[] {
  for (let seed = 0; seed < 20; seed += 1) costMs(mixedDocument(-1 - seed));
  return Array.from({ length: count }, (_, seed) => {
    const costs = [1, 2].map((round) => {
      forget(seed * 2 + round);
      return costMs(mixedDocument(seed));
    });
    return Math.min(...costs);
  });
}

/** Has other schemas and patterns take the places of those that are remembered: what is known of the last document must not count. */
function forget(round: number): void {
  for (let n = 0; n < 101; n += 1)
    validatorOf({ pattern: `^${round}-${n}`, patternProperties: { [`^${n}-${round}`]: {} } });
}

function costMs({ document, cases, more }: HostileDocument, salt = ''): number {
  const job = sampleJob(`${salt}${document}`, cases, more);
  const started = process.cpuUsage();
  const analyzed = analyze(job);
  settle(analyzed, preflight(analyzed));
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1_000;
}

function inProcess<Result>(name: string): Result {
  const args = ['scripts/bench.ts', 'preflight', '2', String(generated), name];
  return JSON.parse(spawnSync(process.execPath, args, { encoding: 'utf8' }).stdout) as Result;
}

function summarise(what: string, costs: readonly { document: string; ms: number }[]): void {
  const below = costs.filter(({ ms }) => ms < 100).length;
  const worst = costs.reduce((one, other) => (other.ms > one.ms ? other : one));
  console.log(`${what}: ${below} of ${costs.length} below 100 ms, the worst ${worst.ms} ms (${worst.document})`);
}
