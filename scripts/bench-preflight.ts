/**
 * Prints what reading, preflight and settling cost for the hostile documents of the tests, in ms of processor time: of the first document of a
 * process, of one in a process that has judged others, and the worst of each. 3 rounds by default, of which the least counts.
 */
import { spawnSync } from 'node:child_process';
import { analyze } from '../src/analysis/analyze.ts';
import { preflight } from '../src/analysis/rules.ts';
import { settle } from '../src/analysis/settle.ts';
import { hostileDocuments } from '../test/analysis/hostile-documents.ts';
import { sampleJob } from '../test/analysis/sample-job.ts';

const [, , , roundsGiven = '3', only] = process.argv;
const rounds = Number(roundsGiven);
if (!Number.isSafeInteger(rounds) || rounds < 1) {
  console.error(`Cannot bench: found ${roundsGiven} rounds, wanted a whole number from 1`);
  process.exit(64);
}

if (only !== undefined) {
  const first = costMs(only, '');
  // Another text each time: what is remembered of the last one must not count.
  const next = Array.from({ length: rounds + 2 }, (_, round) => costMs(only, `Round ${round}.\n`));
  console.log(JSON.stringify({ first, warm: Math.min(...next) }));
} else {
  const rows = Object.keys(hostileDocuments).map((name) => {
    const costs = Array.from({ length: rounds }, () => inProcess(name));
    const least = (of: 'first' | 'warm') => Math.round(Math.min(...costs.map((cost) => cost[of])));
    return { document: name, 'first of a process': least('first'), 'in a warm process': least('warm') };
  });
  rows.sort((one, other) => other['in a warm process'] - one['in a warm process']);
  console.log(`CPU ms a document, least of ${rounds} rounds; Node ${process.version}`);
  console.table(rows);
  for (const column of ['first of a process', 'in a warm process'] as const) {
    const below = rows.filter((row) => row[column] < 100).length;
    const worst = rows.reduce((one, other) => (other[column] > one[column] ? other : one));
    console.log(
      `${column}: ${below} of ${rows.length} below 100 ms, the worst ${worst[column]} ms (${worst.document})`,
    );
  }
}

function costMs(name: string, salt: string): number {
  const { document, cases, more } = hostileDocuments[name]?.() ?? { document: '' };
  const job = sampleJob(`${salt}${document}`, cases, more);
  const started = process.cpuUsage();
  const analyzed = analyze(job);
  settle(analyzed, preflight(analyzed));
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1_000;
}

function inProcess(name: string): { first: number; warm: number } {
  const { stdout } = spawnSync(process.execPath, ['scripts/bench.ts', 'preflight', '2', name], { encoding: 'utf8' });
  return JSON.parse(stdout) as { first: number; warm: number };
}
