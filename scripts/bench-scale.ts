/**
 * Measures how a worker does under many jobs, next to floors of the same run: stored handlers one at a time and all at once, by one
 * worker process and by two; many agreements at once with a model that takes 2 s; and, with `--long`, the worker's memory after
 * 1,000 and after 10,000 jobs. Redis, model server and workers share the machine.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Queue, QueueEvents, Worker } from 'bullmq';
import { connect, createProducer, disconnect, keysOf, localRedis } from '../queues/index.ts';
import { readScripts } from '../src/scripted-model/script.ts';
import { startScriptedModel } from '../src/scripted-model/server.ts';

const root = join(import.meta.dirname, '..');
const job = JSON.parse(readFileSync(join(root, 'fixtures/examples/anp-product-en.amended.job.json'), 'utf8'));
const scripts = readScripts(join(root, 'fixtures/completions'));
const long = process.argv.includes('--long');
const modelLatencyMs = 2_000;
const atOnce = 64;

const redis = await localRedis();
const reply = scripts.find(({ name }) => name === 'product-en-provider-amended.md')?.reply ?? '';
let latencyMs = 0;
const model = await startScriptedModel({
  behave: () => ({ kind: 'reply', text: reply, pieceCharacters: reply.length, pauseMs: latencyMs }),
});
const producer = createProducer({ url: redis.url });
const reader = connect(redis.url, 'worker');
const outcomes = keysOf().outcomes('default');
let last = '0';
const rows: Record<string, Record<string, number | string>> = {};

try {
  const one = await startWorker();
  await play([named('warm', 0)]);
  rows['stored handler, one at a time'] = spread(await oneByOne(200));
  rows['floor: bare BullMQ, one at a time'] = spread(await bareJobs(200));
  await play(many('burst-warm', 200));
  rows['stored handler, all at once, one worker'] = { 'jobs per s': await rate(many('burst', 600)) };
  if (long) await memoryOf(one);
  const two = await startWorker();
  rows['stored handler, all at once, two workers'] = { 'jobs per s': await rate(many('burst-two', 600)) };
  await stop(two);
  latencyMs = modelLatencyMs;
  const perSecond = await rate(Array.from({ length: atOnce }, (_, index) => fresh(index)));
  const ideal = atOnce / (modelLatencyMs / 1_000);
  rows[`${atOnce} agreements at once, model of ${modelLatencyMs / 1_000} s`] = {
    'jobs per s': perSecond,
    'of the ideal': `${Math.round((100 * perSecond) / ideal)} %`,
  };
  await stop(one);
  console.table(rows);
} finally {
  await producer.close();
  await disconnect(reader);
  await model.close();
  await redis.close();
}

function named(mark: string, index: number): object {
  return { ...job, tenant: 'bench', negotiationId: `${mark}-${index}` };
}

function many(mark: string, count: number): object[] {
  return Array.from({ length: count }, (_, index) => named(mark, index));
}

/** A job of an agreement that no handler is stored for. */
function fresh(index: number): object {
  return { ...job, tenant: `bench-${index}`, negotiationId: `fresh-${index}`, timeoutMs: 60_000 };
}

/** Submits jobs and waits until each has its outcome. */
async function play(jobs: readonly object[]): Promise<void> {
  await Promise.all(jobs.map((data) => producer.submit('generate', data)));
  for (let left = jobs.length; left > 0; ) {
    const read = await reader.xread('COUNT', 1_000, 'BLOCK', 60_000, 'STREAMS', outcomes, last);
    const entries = read?.[0]?.[1] ?? [];
    if (entries.length === 0) throw new Error(`Cannot measure jobs: found ${left} without an outcome, wanted none`);
    for (const [id, fields] of entries) {
      last = id;
      left -= 1;
      if (fields[fields.indexOf('verdict') + 1] !== 'generated')
        throw new Error('Cannot measure jobs: wanted generated');
    }
  }
}

async function rate(jobs: readonly object[]): Promise<number> {
  const startMs = performance.now();
  await play(jobs);
  return Math.round((10_000 * jobs.length) / (performance.now() - startMs)) / 10;
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

/** The worker's own resident memory after 1,000 and after 10,000 jobs. */
async function memoryOf(worker: ChildProcess): Promise<void> {
  for (const [from, to] of [
    [0, 1_000],
    [1_000, 10_000],
  ] as const) {
    for (let done = from; done < to; done += 500) await play(many(`memory-${done}`, 500));
    const status = readFileSync(`/proc/${worker.pid}/status`, 'utf8');
    const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(status) ?? [];
    rows[`worker's memory after ${to} more jobs`] = { MB: Math.round(Number(kilobytes) / 1_024) };
  }
}

function spread(all: readonly number[]): Record<string, number> {
  const sorted = [...all].sort((one, other) => one - other);
  const at = (share: number) => Math.round(10 * (sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN)) / 10;
  return { 'p50 ms': at(0.5), 'p99 ms': at(0.99) };
}

async function startWorker(): Promise<ChildProcess> {
  const worker = spawn(process.execPath, [join(root, 'src/main.ts'), 'worker'], {
    env: {
      ...process.env,
      REDIS_URL: redis.url,
      OPENAI_BASE_URL: model.baseUrl,
      PROTOSMITH_MODEL: 'scripted',
      PROTOSMITH_GENERATOR: 'scripted',
      PROTOSMITH_CONCURRENCY: String(atOnce),
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
