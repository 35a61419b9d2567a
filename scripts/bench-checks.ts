/**
 * Prints the cost of each check of src/verification for one sound candidate of the product example: runs, and CPU time
 * of this process and of the isolate. The cost that all checks share is subtracted. Then prints the targets and the
 * speed of the machine. 20 rounds by default.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleHandler, createSandbox } from '../sandbox/index.ts';
import { analyze } from '../src/analysis/analyze.ts';
import { extractCandidate } from '../src/completion/extract-candidate.ts';
import type { Job } from '../src/contract/job.ts';
import type { Trier } from '../src/contract/trial.ts';
import { sourceLocator } from '../src/hosting/source-position.ts';
import { createTrier } from '../src/hosting/trier.ts';
import { readJob } from '../src/intake/read-job.ts';
import { clear } from '../src/job/clear.ts';
import { requirementsOf } from '../src/job/requirements.ts';
import { readScripts } from '../src/scripted-model/script.ts';
import { caseScenarios } from '../src/verification/case-scenarios.ts';
import { checks, defaultCheckPolicy, verify } from '../src/verification/checks.ts';
import { plainFunctionUs, plainUsOfTargets } from './plain-function.ts';

/** Targets for all checks together on the product example: runs, and CPU time in milliseconds. */
const target = { runs: 120, ms: 25 };

const rounds = Number(process.argv[3] ?? 20);
if (!Number.isSafeInteger(rounds) || rounds < 1) {
  console.error(`Cannot bench: found ${process.argv[3]} rounds, wanted a whole number from 1`);
  process.exit(64);
}

const root = join(import.meta.dirname, '..');
const reading = readJob(
  'generate',
  JSON.parse(readFileSync(join(root, 'fixtures/examples/anp-product-en.consistent.job.json'), 'utf8')),
);
if (!reading.ok) throw new Error('Cannot bench: the example is no job');
const job: Job = reading.job;
const { subject, surface } = requirementsOf(clear(analyze(job)), 'seed');
const script = readScripts(join(root, 'fixtures/completions')).find(({ name }) => name.endsWith('provider-repair.md'));
const candidate = extractCandidate(script?.reply ?? '');
if (candidate.kind !== 'code') throw new Error('Cannot bench: the example has no handler');
const { source } = candidate;
const bundled = await bundleHandler(source, 'handle');
if (!bundled.ok) throw new Error('Cannot bench: the handler cannot be bundled');

const sandbox = await createSandbox({ cells: 1 });
const handler = await sandbox.load(bundled.bundle, 'handle');
const trier = createTrier(handler, surface, sourceLocator(source, bundled.map), subject.trialSeed);
const observations = await trier.try(caseScenarios(subject), AbortSignal.timeout(60_000));
const plainUs = plainFunctionUs();
try {
  const none = await costOf([]);
  const rows: Record<string, object> = {};
  for (const check of checks) {
    const { result, runs, ownMs, isolateMs, wallMs } = await costOf([check]);
    rows[check.name] = {
      result,
      runs,
      'CPU ms here': rounded(ownMs - none.ownMs),
      'CPU ms in the isolate': rounded(isolateMs - none.isolateMs),
      'wall ms': rounded(wallMs - none.wallMs),
    };
  }
  const all = await costOf(checks);
  rows['all of them'] = {
    result: all.result,
    runs: all.runs,
    'CPU ms here': rounded(all.ownMs - none.ownMs),
    'CPU ms in the isolate': rounded(all.isolateMs - none.isolateMs),
    'wall ms': rounded(all.wallMs - none.wallMs),
  };
  console.log(`product example, median of ${rounds} rounds; sandbox: ${sandbox.layers.level}; Node ${process.version}`);
  console.table(rows);
  const allMs = rounded(all.ownMs - none.ownMs + all.isolateMs - none.isolateMs);
  const verdict = all.runs <= target.runs && allMs <= target.ms ? 'kept' : 'NOT kept';
  console.log(
    `all of them: ${all.runs} runs and ${allMs} ms of processor time; wanted at most ${target.runs} and ${target.ms}: ${verdict}`,
  );
  console.log(
    `the plain function with JSON: ${plainUs.toFixed(1)} µs before, ${plainFunctionUs().toFixed(1)} after; ${plainUsOfTargets} µs where targets were set`,
  );
} finally {
  await handler.close();
  await sandbox.close();
}

async function costOf(list: typeof checks) {
  const found: { ownMs: number; isolateMs: number; wallMs: number }[] = [];
  let isolateMs = 0;
  const counting: Trier = {
    async try(scenarios, signal) {
      const observations = await trier.try(scenarios, signal);
      isolateMs += observations.reduce((sum, { cpuMs }) => sum + cpuMs, 0);
      return observations;
    },
  };
  let result = '';
  let runs = 0;
  // One extra round, for just-in-time compilation to settle.
  for (let round = 0; round <= rounds; round += 1) {
    isolateMs = 0;
    const startMs = performance.now();
    const before = process.cpuUsage();
    const { reports } = await verify(
      subject,
      { source, bundle: bundled.ok ? bundled.bundle : '' },
      observations,
      counting,
      defaultCheckPolicy,
      AbortSignal.timeout(60_000),
      list,
    );
    const { user, system } = process.cpuUsage(before);
    if (round > 0) found.push({ ownMs: (user + system) / 1_000, isolateMs, wallMs: performance.now() - startMs });
    result = [...new Set(reports.map((one) => one.result))].join(', ');
    runs = reports.reduce((sum, one) => sum + one.runs, 0);
  }
  const median = (of: (one: (typeof found)[number]) => number) =>
    found.map(of).sort((one, other) => one - other)[Math.floor(found.length / 2)] ?? Number.NaN;
  return {
    result,
    runs,
    ownMs: median(({ ownMs }) => ownMs),
    isolateMs: median((one) => one.isolateMs),
    wallMs: median(({ wallMs }) => wallMs),
  };
}

function rounded(ms: number): number {
  return Number(Math.max(0, ms).toFixed(2));
}
