/**
 * Runs the tests under test/, a process for each file: `npm test`, or `npm test -- <part of a path> …` for some of them.
 * Ends with one line `N passed, N failed, N skipped`; exit code 1 where a test failed, a file crashed, hung or held no
 * test, a part is of no file's path, or nothing was tested at all.
 */
import { spawn } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestSummary } from './test-summary.ts';

/** A file that runs longer hangs, in milliseconds; the slowest one takes a quarter of it on a quiet machine. */
const fileTimeoutMs = 480_000;
/** How long output may still come after a file's process has ended, in milliseconds. */
const lastOutputMs = 1_000;
/** Files at a time: the tests start servers and workers of their own, more of them would only measure the machine. */
const concurrency = Math.min(availableParallelism(), 4);

const root = join(import.meta.dirname, '..');
const wanted = process.argv.slice(2).map((part) => part.replace(/^\.\//, ''));
const files = globSync('test/**/*.test.ts', { cwd: root })
  .filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)))
  .sort();
const scratch = mkdtempSync(join(tmpdir(), 'protosmith-test-'));
const running = new Set<number>();
let passed = 0;
let failed = 0;
let skipped = 0;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    for (const group of running) endGroup(group);
    rmSync(scratch, { recursive: true, force: true });
    process.kill(process.pid, signal);
  });
}

const queue = files.entries();
await Promise.all(
  Array.from({ length: concurrency }, async () => {
    for (const [index, file] of queue) await testFile(file, join(scratch, `${index}.json`));
  }),
);
rmSync(scratch, { recursive: true, force: true });
const missing = wanted.filter((part) => !files.some((file) => file.includes(part)));
if (files.length === 0 || missing.length > 0)
  console.log(`Cannot test ${missing.join(', ') || 'anything'}: found no file, wanted test/**/*.test.ts`);
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exitCode = failed > 0 || passed === 0 || missing.length > 0 ? 1 : 0;

async function testFile(file: string, summaryFile: string): Promise<void> {
  const startMs = performance.now();
  const { output, ending } = await runFile(file, summaryFile);
  const summary = readSummary(summaryFile);
  const fault = faultOf(summary, ending);
  passed += summary?.passed ?? 0;
  failed += Math.max(summary?.failed ?? 0, fault === undefined ? 0 : 1);
  skipped += summary?.skipped.length ?? 0;
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
  console.log(
    `${fault === undefined ? '✔' : '✖'} ${file}: ${fault ?? `${summary?.passed ?? 0} passed`} (${seconds} s)`,
  );
  if (fault !== undefined) console.log(output);
  else for (const [line] of output.matchAll(/fault: .*; jobs: .*/g)) console.log(`  ${line}`);
  for (const reason of summary?.skipped ?? []) console.log(`  skipped: ${reason}`);
}

/** What is wrong with the way a file ended, `undefined` when nothing is. */
function faultOf(summary: TestSummary | undefined, ending: string): string | undefined {
  if (summary !== undefined && summary.failed > 0) return `${summary.failed} failed`;
  if (ending !== 'exit code 0') return `ended with ${ending}`;
  return summary === undefined || summary.passed + summary.skipped.length === 0 ? 'holds no test' : undefined;
}

function readSummary(summaryFile: string): TestSummary | undefined {
  try {
    return JSON.parse(readFileSync(summaryFile, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Runs one file in a process group of its own, so that nothing it started outlives it, hang or not. */
function runFile(file: string, summaryFile: string): Promise<{ output: string; ending: string }> {
  const reporters = [
    ['--test-reporter=spec', '--test-reporter-destination=stdout'],
    [`--test-reporter=${join(import.meta.dirname, 'test-summary.ts')}`, `--test-reporter-destination=${summaryFile}`],
  ];
  const child = spawn(process.execPath, [...reporters.flat(), file], {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { pid } = child;
  if (pid !== undefined) running.add(pid);
  let output = '';
  let hung = false;
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const watchdog = setTimeout(() => {
    hung = true;
    if (pid !== undefined) endGroup(pid);
  }, fileTimeoutMs);
  return new Promise((resolve) => {
    const finish = (code: number | null, signal: NodeJS.Signals | null) => {
      const ending = hung ? `a hang of ${fileTimeoutMs / 1000} s` : signal === null ? `exit code ${code}` : `${signal}`;
      resolve({ output, ending });
    };
    child.once('error', (error) => {
      output += error.message;
    });
    child.once('exit', (code, signal) => {
      clearTimeout(watchdog);
      if (pid !== undefined) {
        endGroup(pid);
        running.delete(pid);
      }
      // A process that left the group may hold the pipes open for ever.
      setTimeout(finish, lastOutputMs, code, signal);
    });
    child.once('close', finish);
  });
}

function endGroup(group: number): void {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // Nobody is left in it.
  }
}
