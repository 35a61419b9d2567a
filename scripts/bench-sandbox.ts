import { type ChildProcess, fork } from 'node:child_process';
import { createRequire } from 'node:module';
import { loadavg } from 'node:os';
import vm from 'node:vm';
import { Worker } from 'node:worker_threads';
import type ivmTypes from 'isolated-vm';
import { bundleHandler, createSandbox, type OnCall, type Run } from '../sandbox/index.ts';
import { handlerText, input, plainFunction, plainUsOfTargets } from './plain-function.ts';

const quick = process.argv.includes('--quick');
const rounds = quick ? 10 : 40;

interface Line {
  what: string;
  found: string;
  target: string;
}

function print({ what, found, target }: Line): void {
  console.log(`${what.padEnd(60)}  ${found}${target && `  (target: ${target})`}`);
}

const median = (values: number[]): number => quantile(values, 0.5);
const lowest = (values: number[]): number => quantile(values, 0.05);
/**
 * The ratio of two measurements, taken turn by turn while the machine ran at the same speed for both; the median of the
 * turns.
 */
const betweenTurns = (one: number[][], floor: number[][]): number =>
  median(one.map((values, turn) => median(values) / median(floor[turn] ?? [])));

function quantile(values: number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Microseconds of one call, averaged over many calls; several samples. */
function timeSync(count: number, call: () => void, times = rounds): number[] {
  for (let warm = 0; warm < count * 5; warm += 1) call();
  return Array.from({ length: times }, () => {
    const begun = performance.now();
    for (let index = 0; index < count; index += 1) call();
    return ((performance.now() - begun) / count) * 1_000;
  });
}

/** Microseconds of one of the `share` operations that each call performs. */
async function timeAsync(share: number, call: () => Promise<unknown>, times = rounds): Promise<number[]> {
  for (let warm = 0; warm < Math.min(times, 20); warm += 1) await call();
  const samples: number[] = [];
  for (let round = 0; round < times; round += 1) {
    const begun = performance.now();
    await call();
    samples.push(((performance.now() - begun) / share) * 1_000);
  }
  return samples;
}

const plainRun: Run = { input, seed: 'bench', nowMs: 0, tools: [], send: false };
const noCall: OnCall = async () => ({ output: 'null' });

function bareIsolate(): { call(): void; dispose(): void } {
  const ivm = createRequire(import.meta.url)('isolated-vm') as typeof ivmTypes;
  const isolate = new ivm.Isolate({ memoryLimit: 64 });
  const context = isolate.createContextSync();
  const handle = context.evalSync(`${handlerText}; (text) => JSON.stringify(handle(JSON.parse(text)))`, {
    reference: true,
  }) as unknown as ivmTypes.Reference<(text: string) => string>;
  return {
    call: () => {
      handle.applySync(undefined, [input], { timeout: 1_000 });
    },
    dispose: () => isolate.dispose(),
  };
}

function nodeVm(): () => void {
  const context = vm.createContext({});
  vm.runInContext(handlerText, context);
  const script = new vm.Script('JSON.stringify(handle(JSON.parse(text)))');
  return () => {
    (context as { text?: string }).text = input;
    script.runInContext(context, { timeout: 1_000 });
  };
}

function workerThread(): { call(): Promise<void>; end(): Promise<unknown> } {
  const worker = new Worker(
    `${handlerText}; const { parentPort } = require('node:worker_threads'); parentPort.on('message', (text) => parentPort.postMessage(JSON.stringify(handle(JSON.parse(text)))))`,
    { eval: true },
  );
  return {
    call: () =>
      new Promise((resolve) => {
        worker.once('message', () => resolve());
        worker.postMessage(input);
      }),
    end: () => worker.terminate(),
  };
}

function childProcess(): { call(): Promise<void>; end(): void } {
  const code = `${handlerText}; process.on('message', (text) => process.send(JSON.stringify(handle(JSON.parse(text)))))`;
  const child: ChildProcess = fork('-', [], {
    execArgv: ['--eval', code],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  return {
    call: () =>
      new Promise((resolve) => {
        child.once('message', () => resolve());
        child.send(input);
      }),
    end: () => {
      child.kill();
    },
  };
}

/** quickjs-emscripten with the same handler, if installed; it is not a dependency of the package. */
async function quickJs(): Promise<{ call(): void; dispose(): void } | undefined> {
  const name = 'quickjs-emscripten';
  const library = (await import(name).catch(() => undefined)) as
    | { getQuickJS(): Promise<{ newContext(): QuickContext }> }
    | undefined;
  if (!library) return undefined;
  const context = (await library.getQuickJS()).newContext();
  const handle = context.unwrapResult(
    context.evalCode(`${handlerText}; (text) => JSON.stringify(handle(JSON.parse(text)))`),
  );
  return {
    call: () => {
      const text = context.newString(input);
      const result = context.unwrapResult(context.callFunction(handle, context.undefined, text));
      context.getString(result);
      text.dispose();
      result.dispose();
    },
    dispose: () => {
      handle.dispose();
      context.dispose();
    },
  };
}

interface QuickHandle {
  dispose(): void;
}
interface QuickContext extends QuickHandle {
  undefined: QuickHandle;
  evalCode(code: string): unknown;
  unwrapResult(result: unknown): QuickHandle;
  callFunction(handle: QuickHandle, self: QuickHandle, text: QuickHandle): unknown;
  newString(text: string): QuickHandle;
  getString(handle: QuickHandle): string;
}

async function bundled(source: string): Promise<string> {
  const result = await bundleHandler(source, 'handle');
  if (!result.ok) throw new Error(JSON.stringify(result.faults));
  return result.bundle;
}

const times = (value: number): string => `${value.toFixed(2)} ×`;
const ratio = (value: number, floor: number): string => times(value / floor);
const micro = (value: number): string => `${value.toFixed(1)} µs`;
const milli = (value: number): string => `${(value / 1_000).toFixed(2)} ms`;

/**
 * Prints a time with its target, and the ratio to the plain function's time, which does not depend on the current speed
 * of the machine.
 */
function printAgainstPlain(line: {
  what: string;
  /** Microseconds of one operation, turn by turn. */
  ours: number[][];
  plain: number[][];
  target: number;
  show(us: number): string;
}): void {
  const { what, ours, plain, target, show } = line;
  print({ what, found: `${show(median(ours.flat()))}; ${show(lowest(ours.flat()))}`, target: `under ${show(target)}` });
  print({
    what: `  against the plain function with JSON (${micro(median(plain.flat()))})`,
    found: `${times(betweenTurns(ours, plain))}; ${ratio(lowest(ours.flat()), lowest(plain.flat()))}`,
    target: `${ratio(target, plainUsOfTargets)}, which is ${show(target)} where it takes ${micro(plainUsOfTargets)}`,
  });
}

const load = loadavg()
  .map((one) => one.toFixed(1))
  .join(' ');
console.log(
  `Medians, those of ratios turn by turn, and after a semicolon the fastest twentieth, on Node ${process.version}, ${process.platform} ${process.arch}, load ${load}`,
);
const bundle = await bundled(`export ${handlerText}`);

for (const strict of [[], ['jitless']] as const) {
  const sandbox = await createSandbox({ cells: 1, strict });
  const where = [sandbox.layers.level, ...strict].join(', ');
  const loaded = await sandbox.load(bundle, 'handle');
  const hundred = Array.from({ length: 100 }, () => plainRun);
  const plain = plainFunction();
  const bare = bareIsolate();
  // Many short turns, so that the load and speed of the machine affect all measurements alike.
  const samples: Record<'plain' | 'bare' | 'ours' | 'busy', number[][]> = { plain: [], bare: [], ours: [], busy: [] };
  const framesInARow = async () => {
    for (let frame = 0; frame < 10; frame += 1) await loaded.runAll(hundred, noCall);
  };
  await timeAsync(1, () => loaded.runAll(hundred, noCall), 30);
  for (let turn = 0; turn < rounds; turn += 1) {
    samples.plain.push(timeSync(200, plain, 20));
    samples.bare.push(timeSync(200, bare.call, 20));
    samples.ours.push(await timeAsync(100, () => loaded.runAll(hundred, noCall), 20));
    samples.busy.push(await timeAsync(2_000, () => Promise.all([framesInARow(), framesInARow()]), 3));
  }
  bare.dispose();
  // On a busy machine the fastest twentieth shows the cost of a run, and the median includes waiting.
  const [plainUs, plainLow] = [median(samples.plain.flat()), lowest(samples.plain.flat())];
  const [bareUs, bareLow] = [median(samples.bare.flat()), lowest(samples.bare.flat())];
  for (const [underWay, of] of [
    ['one frame under way', samples.ours],
    ['two', samples.busy],
  ] as const) {
    const low = lowest(of.flat());
    const found = `${micro(median(of.flat()))}; ${micro(low)}`;
    print({ what: `one request, 100 per frame, ${underWay} (${where})`, found, target: '' });
    print({
      what: `  against the plain function with JSON (${micro(plainUs)})`,
      found: `${times(betweenTurns(of, samples.plain))}; ${ratio(low, plainLow)}`,
      target: 'at most 3 ×',
    });
    print({
      what: `  against a bare isolated-vm call (${micro(bareUs)})`,
      found: `${times(betweenTurns(of, samples.bare))}; ${ratio(low, bareLow)}`,
      target: 'at most 1.6 ×',
    });
  }
  const single = median(await timeAsync(1, () => loaded.run(plainRun, noCall), rounds * 5));
  print({
    what: `one request, one per frame (${where})`,
    found: `${micro(single)}, ${ratio(single, plainUs)}`,
    target: '',
  });

  // One run with many calls, minus the cost of a run without calls.
  const caller = await sandbox.load(
    await bundled(`export async function handle(request: any, context: any) {
  let last;
  for (let index = 0; index < request.calls; index += 1) last = await context.call.look({ index });
  return last ?? null;
}`),
    'handle',
  );
  const answers = {
    look: Object.fromEntries(
      Array.from({ length: 100 }, (_, index) => [JSON.stringify({ index }), { output: '{"found":true}' }]),
    ),
  };
  const calling = (calls: number): Run => ({ ...plainRun, input: JSON.stringify({ calls }), tools: ['look'], answers });
  const trips: Record<'plain' | 'ours', number[][]> = { plain: [], ours: [] };
  // Until the code that handles calls is compiled too.
  for (let warm = 0; warm < 10 * rounds; warm += 1) await caller.run(calling(100), noCall);
  for (let turn = 0; turn < rounds; turn += 1) {
    trips.plain.push(timeSync(200, plain, 5));
    // The lowest one: a higher value would subtract more than the run costs.
    const without = Math.min(...(await timeAsync(1, () => caller.run(calling(0), noCall), 3)));
    const withCalls = await timeAsync(1, () => caller.run(calling(100), noCall), 3);
    trips.ours.push(withCalls.map((us) => (us - without) / 100));
  }
  printAgainstPlain({
    what: `one tool round trip (${where})`,
    ...trips,
    target: 10,
    show: micro,
  });

  const twenty = hundred.slice(0, 20);
  let serial = 0;
  const fresh: Record<'plain' | 'ours', number[][]> = { plain: [], ours: [] };
  for (let turn = 0; turn < rounds; turn += 1) {
    fresh.plain.push(timeSync(200, plain, 5));
    const took: number[] = [];
    // One after the other, so that each waits for its isolate.
    for (let index = 0; index < 5; index += 1) {
      serial += 1;
      const begun = performance.now();
      const handler = await sandbox.load(`// ${serial}\n${bundle}`, 'handle');
      await handler.runAll(twenty, noCall);
      await handler.close();
      took.push((performance.now() - begun) * 1_000);
    }
    fresh.ours.push(took);
  }
  printAgainstPlain({
    what: `fresh handler with 20 cases (${where})`,
    ...fresh,
    target: 4_000,
    show: milli,
  });
  await sandbox.close();
}

{
  const sandbox = await createSandbox({ cells: 1, strict: ['fresh-contexts'] });
  const loaded = await sandbox.load(bundle, 'handle');
  const hundred = Array.from({ length: 100 }, () => plainRun);
  const own = await timeAsync(100, () => loaded.runAll(hundred, noCall), quick ? 3 : 20);
  print({
    what: `one request, 100 per frame (${sandbox.layers.level}, fresh-contexts)`,
    found: `${micro(median(own))}; ${micro(lowest(own))}`,
    target: '',
  });
  await sandbox.close();
}

{
  const sandbox = await createSandbox({ cells: 1 });
  const sound = await sandbox.load(bundle, 'handle');
  const after: number[] = [];
  for (let kill = 0; kill < (quick ? 5 : 40); kill += 1) {
    const source = `export const handle = () => Array.prototype.indexOf.call({ length: 2 ** 53 - 1 } as any, ${kill});`;
    const hostile = await sandbox.load(await bundled(source), 'handle', { stepMs: 50, watchdogMs: 100 });
    await hostile.run(plainRun, noCall);
    const begun = performance.now();
    await sound.run(plainRun, noCall);
    after.push((performance.now() - begun) * 1_000);
  }
  print({
    what: `next run after an attack killed a cell, p99 of ${after.length}`,
    found: milli(quantile(after, 0.99)),
    target: 'under 30 ms',
  });

  const residentMb = () => {
    (globalThis as { gc?: () => void }).gc?.();
    return process.memoryUsage.rss() / 1_048_576;
  };
  const attack = await bundled('export const handle = () => { for (;;); };');
  const runs = quick ? 1_000 : 10_000;
  const memory: number[] = [];
  for (let index = 0; index < runs; index += 1) {
    if (index % 10 === 0) {
      const handler = await sandbox.load(`// ${index}\n${attack}`, 'handle', { stepMs: 1 });
      await handler.run(plainRun, noCall);
      await handler.close();
    } else await sound.run(plainRun, noCall);
    if (index % (runs / 10) === runs / 10 - 1) memory.push(residentMb());
  }
  print({
    what: `parent's memory, ${runs} runs, every tenth an attack (MB)`,
    found: memory.map((one) => one.toFixed(0)).join(' '),
    target: 'no growth',
  });
  await sandbox.close();
}

{
  const plainUs = median(timeSync(200, plainFunction()));
  const beside = (what: string, us: number) =>
    print({ what: `beside ours: ${what}`, found: `${micro(us)}, ${ratio(us, plainUs)}`, target: '' });
  beside('node:vm with a timeout', median(timeSync(20, nodeVm())));
  const worker = workerThread();
  beside('a worker thread, one message each', median(await timeAsync(1, worker.call, rounds * 10)));
  await worker.end();
  const child = childProcess();
  beside('a bare child process, one message each', median(await timeAsync(1, child.call, rounds * 10)));
  child.end();
  const quickjs = await quickJs();
  if (quickjs) {
    beside('quickjs-emscripten', median(timeSync(20, quickjs.call)));
    quickjs.dispose();
  } else print({ what: 'beside ours: quickjs-emscripten', found: 'not installed', target: '' });
}
