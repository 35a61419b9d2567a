/**
 * Runs the tests under test/:
 *
 * - `npm test`: all but the long proofs
 * - `npm test -- <part of a path> …`: the files whose paths contain one of the parts
 * - `npm run test:full`: all
 * - `npm run test:full -- --drawn-by <text>`: a few of the long proofs, always the same ones for the same text
 *
 * The last line is `N passed, N failed, N skipped`. Exit code 1 if a test failed, if a file crashed, hung or
 * contains no test, if no file matches a part, or if no test ran.
 */
import { spawn } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { drawnBy, longProofs } from './long-proofs.ts';
import { bundleCommandLine } from './test-bundle.ts';
import type { TestSummary } from './test-summary.ts';

/**
 * A process that runs longer than this counts as hung, in milliseconds. The slowest one takes half of it on an
 * idle machine.
 */
const processTimeoutMs = 600_000;
/** How long to wait for output after a process has ended, in milliseconds. */
const lastOutputMs = 1_000;
/**
 * Processes at a time: twice the processors, because many tests wait for locks and deadlines; limited because of
 * memory.
 */
const concurrency = Math.min(2 * availableParallelism(), 6);
/**
 * Folders whose files do not affect each other. They share processes, because starting one takes longer than most of
 * these files.
 */
const sharing = [
  'analysis',
  'architecture',
  'families',
  'intake',
  'kernel',
  'kinds',
  'lexicon',
  'operator/console',
  'pipeline',
  'prompting',
  'readings',
  'sandbox/hostile',
  'schemas',
  'service-descriptions',
  'verification',
];
/** The files with a process of their own that take longest, the most of it waiting. */
const longest = [
  'test/operator/demo.test.ts',
  'test/operator/command-line.test.ts',
  'test/operator/secrets.test.ts',
  'test/sandbox/memory.test.ts',
  'test/typing/type-checker.test.ts',
];
/** Most files in a shared process: few enough to locate a hang, and to use all processors. */
const filesPerProcess = 24;

const root = join(import.meta.dirname, '..');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { full: { type: 'boolean' }, 'drawn-by': { type: 'string' } },
});
const wanted = positionals.map((part) => part.replace(/^\.\//, ''));
const files = globSync('test/**/*.test.ts', { cwd: root }).filter(isChosen).sort();
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

/** If most files run, starting processes faster pays for bundling their program. */
const bundle = wanted.length === 0 ? await bundleCommandLine(root, scratch) : undefined;
const queue = filesByProcess().entries();
await Promise.all(
  Array.from({ length: concurrency }, async () => {
    for (const [index, share] of queue) await testFiles(share, join(scratch, `${index}.json`));
  }),
);
rmSync(scratch, { recursive: true, force: true });
const missing = wanted.filter((part) => !files.some((file) => file.includes(part)));
if (files.length === 0 || missing.length > 0)
  console.log(`Cannot test ${missing.join(', ') || 'anything'}: found no file, wanted test/**/*.test.ts`);
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exitCode = failed > 0 || passed === 0 || missing.length > 0 ? 1 : 0;

function isChosen(file: string): boolean {
  const draw = values['drawn-by'];
  if (draw !== undefined) return drawnBy(draw).includes(file);
  if (wanted.length > 0) return wanted.some((part) => file.includes(part));
  return values.full === true || !longProofs.includes(file);
}

/** The files of each process, the longest first, so that no processor idles at the end. */
function filesByProcess(): string[][] {
  const folderOf = (file: string) =>
    longProofs.includes(file) ? undefined : sharing.find((folder) => file.startsWith(`test/${folder}/`));
  const alone = files.filter((file) => folderOf(file) === undefined).map((file) => [file]);
  const together = sharing.flatMap((folder) => {
    const all = files.filter((file) => folderOf(file) === folder);
    return Array.from({ length: Math.ceil(all.length / filesPerProcess) }, (_, nth) =>
      all.slice(nth * filesPerProcess, (nth + 1) * filesPerProcess),
    );
  });
  const isLongest = ([file = '']: string[]) => longest.includes(file);
  return [...alone.filter(isLongest), ...together, ...alone.filter((share) => !isLongest(share))];
}

async function testFiles(share: string[], summaryFile: string): Promise<void> {
  const startMs = performance.now();
  const { output, ending } = await runFiles(share, summaryFile);
  const summary = readSummary(summaryFile);
  const fault = faultOf(summary, ending);
  passed += summary?.passed ?? 0;
  failed += Math.max(summary?.failed ?? 0, fault === undefined ? 0 : 1);
  skipped += summary?.skipped.length ?? 0;
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
  const name = share.length === 1 ? share[0] : `${share[0]} … ${share.at(-1)} (${share.length} files)`;
  console.log(
    `${fault === undefined ? '✔' : '✖'} ${name}: ${fault ?? `${summary?.passed ?? 0} passed`} (${seconds} s)`,
  );
  if (fault !== undefined) console.log(output);
  else for (const [line] of output.matchAll(/fault: .*; jobs: .*/g)) console.log(`  ${line}`);
  for (const reason of summary?.skipped ?? []) console.log(`  skipped: ${reason}`);
}

/** The fault of a process that ended; `undefined` if there is none. */
function faultOf(summary: TestSummary | undefined, ending: string): string | undefined {
  if (summary !== undefined && summary.failed > 0) return `${summary.failed} failed`;
  if (summary !== undefined && summary.empty.length > 0) return `${summary.empty.join(', ')} holds no test`;
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

/**
 * Runs files in one process with its own process group, so that everything it started ends with it, even after a hang.
 */
function runFiles(share: string[], summaryFile: string): Promise<{ output: string; ending: string }> {
  const reporters = [
    ['--test-reporter=spec', '--test-reporter-destination=stdout'],
    [`--test-reporter=${join(import.meta.dirname, 'test-summary.ts')}`, `--test-reporter-destination=${summaryFile}`],
  ];
  // A single file needs no test runner, and its hooks end with it.
  const together = share.length > 1 ? ['--test', '--test-isolation=none'] : [];
  const child = spawn(process.execPath, [...together, ...reporters.flat(), ...share], {
    cwd: root,
    // The processes share a cache of compiled code.
    env: {
      ...process.env,
      NODE_COMPILE_CACHE: join(scratch, 'compiled'),
      ...(bundle === undefined ? {} : { TESTED_COMMAND_LINE: bundle }),
    },
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
  }, processTimeoutMs);
  return new Promise((resolve) => {
    const finish = (code: number | null, signal: NodeJS.Signals | null) => {
      const ending = hung
        ? `a hang of ${processTimeoutMs / 1000} s`
        : signal === null
          ? `exit code ${code}`
          : `${signal}`;
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
      // A process that left the group may keep the pipes open forever.
      setTimeout(finish, lastOutputMs, code, signal);
    });
    child.once('close', finish);
  });
}

function endGroup(group: number): void {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // The group has no process left.
  }
}
