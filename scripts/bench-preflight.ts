/**
 * Prints the CPU time of reading a hostile document, its preflight and its amendments, in milliseconds. Measures the
 * documents of the tests, each as the first one of a process and in a warm process, and many generated ones in one
 * process. Also prints the time of the plain function of the sandbox's bench in the same run, and the times scaled to
 * the speed of that function when the targets were set. `npm run bench -- preflight [rounds] [generated]`; 3 rounds by
 * default, of which the lowest counts, and 100 generated documents.
 */
import { spawnSync } from 'node:child_process';
import { analyze } from '../src/analysis/analyze.ts';
import { decide } from '../src/analysis/decide.ts';
import { preflight } from '../src/analysis/rules.ts';
import { validatorOf } from '../src/schemas/validator-of.ts';
import { attackingDocuments } from '../test/analysis/attacking-documents.ts';
import { type HostileDocument, hostileDocuments } from '../test/analysis/hostile-documents.ts';
import { mixedDocument } from '../test/analysis/mixed-documents.ts';
import { sampleJob } from '../test/analysis/sample-job.ts';
import { plainFunctionUs, plainUsOfTargets } from './plain-function.ts';

const documents: Readonly<Record<string, () => HostileDocument>> = { ...hostileDocuments, ...attackingDocuments };

const [, , , roundsGiven = '3', generatedGiven = '100', only] = process.argv;
const [rounds, generated] = [roundsGiven, generatedGiven].map(Number) as [number, number];
if (![rounds, generated].every((count) => Number.isSafeInteger(count) && count >= 1)) {
  console.error(`Cannot bench: found ${roundsGiven} rounds of ${generatedGiven}, wanted whole numbers from 1`);
  process.exit(64);
}

if (only === 'flood') console.log(JSON.stringify(floodOf(generated)));
else if (only === 'warm') console.log(JSON.stringify(warmCosts()));
else if (only !== undefined) {
  const made = documents[only];
  if (made === undefined) throw new TypeError(`Cannot bench document: found ${only}, wanted one of the tests`);
  console.log(JSON.stringify(costMs(made())));
} else {
  const plainUs: number[] = [];
  const often = <Result>(name: string): Result[] =>
    Array.from({ length: rounds }, () => {
      plainUs.push(plainFunctionUs());
      return inProcess<Result>(name);
    });
  const names = Object.keys(documents);
  const firsts = names.map((name) => Math.min(...often<number>(name)));
  const warm = often<number[]>('warm');
  const floods = often<number[]>('flood');
  const us = plainUs.sort((one, other) => one - other)[plainUs.length >> 1] as number;
  const rows = names.map((document, index) => ({
    document,
    'first of a process': Math.round(firsts[index] as number),
    'in a warm process': Math.round(leastAt(warm, index)),
  }));
  rows.sort((one, other) => other['in a warm process'] - one['in a warm process']);
  console.log(`CPU ms a document, least of ${rounds} rounds; Node ${process.version}`);
  console.table(rows);
  console.log(`the plain function with JSON: ${us.toFixed(1)} µs; ${plainUsOfTargets} µs where targets were set`);
  for (const column of ['first of a process', 'in a warm process'] as const)
    summarise(
      column,
      rows.map((row) => ({ document: row.document, ms: row[column] })),
      us,
    );
  summarise(
    'generated',
    Array.from({ length: generated }, (_, seed) => ({
      document: `seed ${seed}`,
      ms: Math.round(leastAt(floods, seed)),
    })),
    us,
  );
}

function leastAt(perRound: readonly (readonly number[])[], index: number): number {
  return Math.min(...perRound.map((round) => round[index] ?? Number.NaN));
}

function warmCosts(): number[] {
  const made = Object.values(documents);
  const passes = [0, 1, 2].map((pass) =>
    made.map((make, index) => {
      forget(pass * made.length + index);
      return costMs(make(), `Round ${pass}.\n`);
    }),
  );
  // The first pass warms the process up.
  return made.map((_, index) => leastAt(passes.slice(1), index));
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

/** Fills the caches of schemas and patterns with others, so that no result of the last document is reused. */
function forget(round: number): void {
  for (let n = 0; n < 101; n += 1)
    validatorOf({ pattern: `^${round}-${n}`, patternProperties: { [`^${n}-${round}`]: {} } });
}

function costMs({ document, cases, more }: HostileDocument, salt = ''): number {
  const job = sampleJob(`${salt}${document}`, cases, more);
  const started = process.cpuUsage();
  const analyzed = analyze(job);
  decide(analyzed, preflight(analyzed));
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1_000;
}

function inProcess<Result>(name: string): Result {
  const args = ['scripts/bench.ts', 'preflight', String(rounds), String(generated), name];
  return JSON.parse(spawnSync(process.execPath, args, { encoding: 'utf8' }).stdout) as Result;
}

function summarise(what: string, costs: readonly { document: string; ms: number }[], plainUs: number): void {
  const share = plainUsOfTargets / plainUs;
  const below = (factor: number) => costs.filter(({ ms }) => ms * factor < 100).length;
  const worst = costs.reduce((one, other) => (other.ms > one.ms ? other : one));
  console.log(
    `${what}: ${below(1)} of ${costs.length} below 100 ms, the worst ${worst.ms} ms (${worst.document}); at ${plainUsOfTargets} µs ${below(share)} and ${Math.round(worst.ms * share)} ms`,
  );
}
