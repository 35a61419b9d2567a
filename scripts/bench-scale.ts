/**
 * Measures a worker under many jobs, with lower bounds from the same run. Measures stored handlers, one at a time and
 * all at once. Measures 64 different agreements at once, with a model that takes 2 s for a module and as long for a
 * reading, with one worker process and with two. Measures the same with readings and without, in turn; `--short` does
 * only that. Measures what each process needs for a job, and what our envelope adds to a queue. With `--long`, also the
 * memory after 1,000 and after 10,000 jobs. Redis, model server and workers share the machine.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Queue, QueueEvents, Worker } from 'bullmq';
import { connect, createProducer, disconnect, keysOf, localRedis } from '../queues/index.ts';
import type { Outcome } from '../src/contract/outcome.ts';
import { jobReader } from '../src/pipeline/job-reader.ts';
import { readScripts } from '../src/scripted-model/script.ts';
import { startScriptedModel } from '../src/scripted-model/server.ts';
import { measureEnvelopes } from './bench-envelopes.ts';
import { usedBy } from './bench-processes.ts';
import { cannedReading } from './canned-reading.ts';
import { plainFunctionUs, plainUsOfTargets } from './plain-function.ts';

const root = join(import.meta.dirname, '..');
const job = JSON.parse(readFileSync(join(root, 'fixtures/examples/anp-product-en.amended.job.json'), 'utf8'));
const scripts = readScripts(join(root, 'fixtures/completions'));
const [long, short] = ['--long', '--short'].map((option) => process.argv.includes(option));
const modelLatencyMs = 2_000;
const atOnce = 64;
/**
 * Jobs that wait in addition to the running ones, so that no slot of one worker waits for this process. Two workers
 * have more slots than there are jobs.
 */
const backlogOfOne = 16;
const generationsToWarm = 1_000;
const measured = 10 * atOnce;
/** Generations before each measurement with readings, or without; and the number of measurements. */
const [warmingOfTurn, turns] = short ? [3 * atOnce, 2] : [generationsToWarm, 1];
/** Target for the share of the ideal rate with readings. */
const wantedShare = 0.9;

const redis = await localRedis();
const reply = scripts.find(({ name }) => name === 'product-en-provider-amended.md')?.reply ?? '';
let latencyMs = 0;
let questions = 0;
let readerQuestions = 0;
const reading = cannedReading();
const model = await startScriptedModel({
  behave: ({ to }) => {
    if (to === 'read') {
      readerQuestions += 1;
      return { kind: 'reply', text: reading, pieceCharacters: reading.length, pauseMs: latencyMs };
    }
    questions += 1;
    // Each module is different, as with a real model.
    const text = reply.replace(/^export /m, `// ${questions}\n$&`);
    return { kind: 'reply', text, pieceCharacters: text.length, pauseMs: latencyMs };
  },
});
const producer = createProducer({ jobs: jobReader, url: redis.url });
const reader = connect(redis.url, 'worker');
const outcomes = keysOf().outcomes('default');
let last = '0';
let agreements = 0;
const rows: Record<string, Record<string, number | string>> = {};
const costs: Record<string, Record<string, number>> = {};

const ideal = atOnce / (modelLatencyMs / 1_000);
try {
  if (!short) await measureAll();
  await compareReadings();
  console.log('Processor time of a job, in milliseconds; "bench" is the producer, the reader and the model server:');
  console.table(costs);
} finally {
  await producer.close();
  await disconnect(reader);
  await model.close();
  await redis.close();
}

async function measureAll(): Promise<void> {
  const one = await startWorker();
  await play([named('warm', 0)]);
  rows['stored handler, one at a time'] = spread(await oneByOne(200));
  rows['floor: bare BullMQ, one at a time'] = spread(await bareJobs(200));
  await play(many('burst-warm', 200));
  rows['stored handler, all at once, one worker'] = {
    'jobs per s': await costing('stored handler', one, 600, () => rate(many('burst', 600))),
  };
  const two = await startWorker();
  await play(many('two-warm', 200));
  rows['stored handler, all at once, two workers'] = { 'jobs per s': await rate(many('burst-two', 600)) };
  await stop(two);
  if (long) await memoryOf('stored handler', one, (count) => many(`memory-${agreements++}`, count));
  const seconds = modelLatencyMs / 1_000;
  const underModel = async (age: string, underWay: () => Promise<number>) => {
    latencyMs = modelLatencyMs;
    const [asked, readingsAsked] = [questions, readerQuestions];
    const steady = await underWay();
    rows[`${atOnce} agreements always under way, model of ${seconds} s, ${age}`] = {
      ...share(steady),
      'modules asked for a job': Math.round((100 * (questions - asked)) / measured) / 100,
      'readings a job': Math.round((100 * (readerQuestions - readingsAsked)) / measured) / 100,
    };
    rows[`${atOnce} agreements submitted at once, model of ${seconds} s, ${age}`] = share(
      await rate(Array.from({ length: atOnce }, another)),
    );
    latencyMs = 0;
  };
  // The first generations of a worker are slower, because V8 has not compiled its code yet.
  for (const age of ['young', `after ${generationsToWarm} generations`]) {
    await underModel(age, () => costing(`generate, ${age}`, one, measured, () => flood(measured, backlogOfOne)));
    await generate(generationsToWarm - agreements);
  }
  const second = await startWorker();
  await generate(2 * generationsToWarm);
  await underModel('two workers', () => flood(measured, 0));
  await stop(second);
  if (long) await memoryOf('generate', one, (count) => Array.from({ length: count }, another));
  await stop(one);
  console.table(rows);
  console.log(`The plain function of the sandbox's bench took ${plainUsOfTargets} µs where the targets were set.`);
  console.log(
    'The queue alone, 10 jobs at once, in milliseconds of processor time a job, Redis included; and bytes in Redis:',
  );
  console.table(await measureEnvelopes(redis.url, job));
}

/**
 * Prints the share of the ideal rate that workers reach with readings and without, in turn, because the speed of the
 * machine varies.
 */
async function compareReadings(): Promise<void> {
  const found: Record<'late' | 'off', string[]> = { late: [], off: [] };
  let best = 0;
  for (let turn = 0; turn < turns; turn += 1) {
    for (const mode of ['late', 'off'] as const) {
      const worker = await startWorker(mode);
      const what = `generate, readings ${mode}, turn ${turn + 1}`;
      await demandState(mode === 'off' ? 'off' : 'complete');
      await generate(warmingOfTurn);
      latencyMs = modelLatencyMs;
      const perSecond = await costing(what, worker, measured, () => flood(measured, backlogOfOne));
      latencyMs = 0;
      if (mode === 'late') best = Math.max(best, perSecond / ideal);
      const { 'of the ideal': part, 'plain function, µs': plainUs } = share(perSecond);
      found[mode].push(`${part} (plain function ${plainUs} µs)`);
      await stop(worker);
    }
  }
  console.log(
    `Of the ideal of ${ideal} jobs a second, ${atOnce} under way and a model of ${modelLatencyMs / 1_000} s, a worker after ${warmingOfTurn} generations: with readings ${found.late.join(', ')}; PROTOSMITH_READING=off ${found.off.join(', ')}. Wanted with readings, in the best turn: ${100 * wantedShare} %, ${best >= wantedShare ? 'kept' : 'NOT kept'}`,
  );
}

/** Runs a job, and throws if its reading has another state. */
async function demandState(wanted: string): Promise<void> {
  const { jobId } = await producer.submit('generate', another());
  await ended();
  const { state } = ((await producer.outcomeOf(jobId)) as Outcome | null)?.report.reading ?? {};
  if (state !== wanted) throw new Error(`Cannot measure jobs: found a reading that is ${state}, wanted ${wanted}`);
}

function share(perSecond: number) {
  return {
    'jobs per s': perSecond,
    'of the ideal': `${Math.round((100 * perSecond) / ideal)} %`,
    'plain function, µs': Math.round(10 * plainFunctionUs()) / 10,
  };
}

async function generate(count: number): Promise<void> {
  for (let done = 0; done < count; done += atOnce) await play(Array.from({ length: atOnce }, another));
}

function named(mark: string, index: number): object {
  return { ...job, tenant: 'bench', negotiationId: `${mark}-${index}`, timeoutMs: 60_000 };
}

function many(mark: string, count: number): object[] {
  return Array.from({ length: count }, (_, index) => named(mark, index));
}

/** A job with a new agreement: its text and schemas differ from all before, so that no cache applies. */
function another(): object {
  agreements += 1;
  const text = job.agreement.candidateProtocols as string;
  const candidateProtocols = text.replaceAll(/("title": "\w+)"/g, `$1${agreements}"`);
  return {
    ...job,
    agreement: { ...job.agreement, candidateProtocols },
    tenant: 'bench-generate',
    negotiationId: `another-${agreements}`,
    timeoutMs: 60_000,
  };
}

async function submit(jobs: readonly object[]): Promise<void> {
  await Promise.all(jobs.map((data) => producer.submit('generate', data)));
}

/** Waits for at least one outcome. Returns how many there were. */
async function ended(): Promise<number> {
  const read = await reader.xread('COUNT', 1_000, 'BLOCK', 60_000, 'STREAMS', outcomes, last);
  const entries = read?.[0]?.[1] ?? [];
  if (entries.length === 0)
    throw new Error('Cannot measure jobs: found none that ends within a minute, wanted outcomes');
  for (const [id, fields] of entries) {
    last = id;
    if (fields[fields.indexOf('verdict') + 1] !== 'generated') throw new Error('Cannot measure jobs: wanted generated');
  }
  return entries.length;
}

/** Submits jobs and waits for all outcomes. */
async function play(jobs: readonly object[]): Promise<void> {
  await submit(jobs);
  for (let left = jobs.length; left > 0; ) left -= await ended();
}

async function rate(jobs: readonly object[]): Promise<number> {
  const startMs = performance.now();
  await play(jobs);
  return Math.round((10_000 * jobs.length) / (performance.now() - startMs)) / 10;
}

/**
 * Keeps this many jobs running. Returns jobs per second, without the first and last ones, while the slots fill and
 * empty.
 */
async function flood(count: number, backlog: number): Promise<number> {
  let submitted = atOnce + backlog;
  await submit(Array.from({ length: submitted }, another));
  let done = 0;
  let fromMs = Number.NaN;
  let from = 0;
  while (submitted < count) {
    const now = await ended();
    done += now;
    if (Number.isNaN(fromMs) && done >= atOnce) {
      fromMs = performance.now();
      from = done;
    }
    const next = Math.min(now, count - submitted);
    submitted += next;
    await submit(Array.from({ length: next }, another));
  }
  const perSecond = (1_000 * (done - from)) / (performance.now() - fromMs);
  while (done < count) done += await ended();
  return Math.round(10 * perSecond) / 10;
}

async function oneByOne(count: number): Promise<number[]> {
  const found: number[] = [];
  for (const data of many('single', count)) {
    const startMs = performance.now();
    await play([data]);
    found.push(performance.now() - startMs);
  }
  return found;
}

async function bareJobs(count: number): Promise<number[]> {
  const connection = connect(redis.url, 'worker');
  const queue = new Queue('bare', { connection });
  const events = new QueueEvents('bare', { connection });
  const worker = new Worker('bare', async () => 1, { connection });
  await Promise.all([events.waitUntilReady(), worker.waitUntilReady()]);
  const found: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const startMs = performance.now();
    const added = await queue.add('bare', job, { removeOnComplete: true });
    await added.waitUntilFinished(events);
    found.push(performance.now() - startMs);
  }
  await worker.close();
  await events.close();
  await queue.close();
  await disconnect(connection);
  return found;
}

/** Records what each process needed for one of these jobs. */
async function costing<Found>(
  what: string,
  worker: ChildProcess,
  count: number,
  work: () => Promise<Found>,
): Promise<Found> {
  const before = { ...usedBy(worker.pid ?? 0), redisMs: await redisMs(), own: process.cpuUsage() };
  const found = await work();
  const after = usedBy(worker.pid ?? 0);
  const own = process.cpuUsage(before.own);
  const each = (ms: number) => Math.round((10 * ms) / count) / 10;
  const kinds = Object.entries(after).map(([kind, { cpuMs }]) => [
    kind,
    cpuMs - before[kind as keyof typeof after].cpuMs,
  ]);
  const parts = Object.fromEntries([...kinds, ['Redis', (await redisMs()) - before.redisMs]]) as Record<string, number>;
  costs[what] = {
    ...Object.fromEntries(Object.entries(parts).map(([kind, ms]) => [kind, each(ms)])),
    together: each(Object.values(parts).reduce((sum, ms) => sum + ms, 0)),
    bench: each((own.user + own.system) / 1_000),
  };
  return found;
}

/** CPU time of Redis in milliseconds. */
async function redisMs(): Promise<number> {
  const text = await reader.info('cpu');
  return [...text.matchAll(/^used_cpu_(?:sys|user):([\d.]+)/gm)].reduce((sum, [, s]) => sum + 1_000 * Number(s), 0);
}

/**
 * Memory after 1,000 and after 10,000 jobs: resident memory of the worker and of its children, and the memory Redis
 * uses.
 */
async function memoryOf(what: string, worker: ChildProcess, jobs: (count: number) => object[]): Promise<void> {
  for (const [from, to] of [
    [0, 1_000],
    [1_000, 10_000],
  ] as const) {
    for (let done = from; done < to; done += 100) await play(jobs(100));
    const found = Object.entries(usedBy(worker.pid ?? 0)).map(([kind, { memoryMb }]) => [kind, Math.round(memoryMb)]);
    const [, bytes] = /^used_memory:(\d+)/m.exec(await reader.info('memory')) ?? [];
    rows[`MB after ${to} jobs, ${what}`] = {
      ...Object.fromEntries(found),
      Redis: Math.round(Number(bytes) / 1_048_576),
    };
  }
}

function spread(all: readonly number[]): Record<string, number> {
  const sorted = [...all].sort((one, other) => one - other);
  const at = (share: number) => Math.round(10 * (sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN)) / 10;
  return { 'p50 ms': at(0.5), 'p99 ms': at(0.99) };
}

async function startWorker(readings: 'late' | 'off' = 'late'): Promise<ChildProcess> {
  const worker = spawn(process.execPath, [join(root, 'src/main.ts'), 'worker'], {
    env: {
      ...process.env,
      // The same options as in bootstrap.mjs and docs/operations.md.
      NODE_OPTIONS: '--max-semi-space-size=32 --max-old-space-size=1024',
      REDIS_URL: redis.url,
      OPENAI_BASE_URL: model.baseUrl,
      PROTOSMITH_MODEL: 'scripted',
      PROTOSMITH_GENERATOR: 'scripted',
      PROTOSMITH_CONCURRENCY: String(atOnce),
      PROTOSMITH_READING: readings,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.once('exit', () => worker.kill('SIGKILL'));
  for await (const line of createInterface({ input: worker.stdout })) if (line.includes('"msg":"ready"')) break;
  worker.stdout.resume();
  return worker;
}

async function stop(worker: ChildProcess): Promise<void> {
  const exited = once(worker, 'exit');
  worker.kill('SIGTERM');
  await exited;
}
