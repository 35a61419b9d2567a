/**
 * Runs benchmarks and prints the results. `npm run bench` runs every part in turn, `npm run bench -- <part>` one of
 * them:
 *
 * - `jobs [count]`: the cost of a job
 * - `checks [rounds]`: the cost of each check for a candidate
 * - `sandbox`: the cost of a run in the sandbox
 * - `readings [rounds]`: the cost of readings
 * - `scale [--short | --long]`: many jobs at once
 * - `tenants [jobs]`: how long one tenant waits while another floods the queue
 * - `history [count]`: the cost of recording jobs: their history, metrics and heartbeats
 * - `preflight [rounds] [generated]`: the cost of hostile documents
 */
import { spawnSync } from 'node:child_process';

/** Each part, and its arguments when all parts run. */
const parts: Readonly<Record<string, { run(): Promise<unknown>; words: readonly string[] }>> = {
  jobs: { run: () => import('./bench-jobs.ts'), words: [] },
  checks: { run: () => import('./bench-checks.ts'), words: [] },
  readings: { run: () => import('./bench-readings.ts'), words: [] },
  sandbox: { run: () => import('./bench-sandbox.ts'), words: [] },
  scale: { run: () => import('./bench-scale.ts'), words: [] },
  tenants: { run: () => import('./bench-tenants.ts'), words: ['5000'] },
  history: { run: () => import('./bench-history.ts'), words: [] },
  preflight: { run: () => import('./bench-preflight.ts'), words: ['1'] },
};

const [, script = '', wanted] = process.argv;
const part = wanted !== undefined && Object.hasOwn(parts, wanted) ? parts[wanted] : undefined;
if (part) await part.run();
else if (wanted !== undefined) {
  console.error(`Cannot bench: found part ${wanted}, wanted ${Object.keys(parts).join(', ')} or none for all`);
  process.exitCode = 64;
} else {
  for (const [name, { words }] of Object.entries(parts)) {
    console.log(`\n# ${name}\n`);
    // A separate process for each part, so that no part profits from code that another has warmed up.
    const { status } = spawnSync(process.execPath, [...process.execArgv, script, name, ...words], { stdio: 'inherit' });
    if (status !== 0) process.exitCode = 1;
  }
}
