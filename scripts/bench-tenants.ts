/**
 * Measures how long the jobs of one tenant wait while another has 50,000 jobs on the queue, against what they wait
 * alone. The work of a job is a pause, so that the queue alone is measured: one worker process with 10 slots, jobs that
 * take 100 ms, and 200 jobs of the measured tenant: all at once, and one every 100 ms. The flood comes from our client,
 * and from BullMQ's own, which asks for no turn. argv: the size of the flood.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Queue } from 'bullmq';
import {
  connect,
  createConsumer,
  createProducer,
  DEFAULT_PREFIX,
  disconnect,
  type LocalRedis,
  localRedis,
  QUEUE_NAME,
} from '../queues/index.ts';
import { jobReader } from '../src/pipeline/job-reader.ts';
import { errorEnvelope } from '../src/pipeline/outcome-of.ts';

const slots = 10;
const workMs = 100;
const measured = 200;
const trickleMs = 100;
/** The target: how many times as long as alone the 99th percentile may be. */
const wantedTimes = 2;

const url = process.env.PROTOSMITH_BENCH_WORKER;
if (url !== undefined) work(url);
else await measure(Number(process.argv.find((word) => /^\d+$/.test(word)) ?? 50_000));

/** The worker process: says how long each job of the measured tenant waited. */
function work(redisUrl: string): void {
  createConsumer({
    url: redisUrl,
    jobs: jobReader,
    concurrency: slots,
    process: async ({ kind, data }) => {
      await sleep(workMs);
      return { ...errorEnvelope(kind, data, { code: 'JOB_X', message: 'x' }), verdict: 'clean', findings: [] };
    },
    onEvent: ({ event, jobId, waitedMs }) => {
      if (event === 'taken' && jobId?.startsWith('measured')) process.send?.(waitedMs);
    },
  });
}

async function measure(flood: number): Promise<void> {
  const rows: Record<string, Record<string, string | number>> = {};
  for (const shape of ['all at once', `one every ${trickleMs} ms`]) {
    const alone = await waitsOf(shape, async () => {});
    rows[`${shape}, alone`] = spread(alone);
    for (const way of ['our client', "BullMQ's client"]) {
      const waits = await waitsOf(shape, (redis) => floodWith(way, redis, flood));
      const times = percentile(waits, 0.99) / percentile(alone, 0.99);
      rows[`${shape}, ${flood} by ${way}`] = { ...spread(waits), 'times alone, p99': Math.round(times * 100) / 100 };
      if (shape === 'all at once')
        console.log(
          `${way}: ${times.toFixed(2)} times alone, wanted at most ${wantedTimes}: ${times <= wantedTimes ? 'kept' : 'NOT kept'}`,
        );
    }
  }
  console.table(rows);
}

/** Resolves to the waits of the measured tenant's jobs, in milliseconds, by Redis' clock. */
async function waitsOf(shape: string, flood: (redis: LocalRedis) => Promise<void>): Promise<number[]> {
  const redis = await localRedis();
  await flood(redis);
  const worker = fork(fileURLToPath(import.meta.url), { env: { ...process.env, PROTOSMITH_BENCH_WORKER: redis.url } });
  const waits: number[] = [];
  worker.on('message', (waitedMs: number) => waits.push(waitedMs));
  // The flood is under way.
  await sleep(3_000);
  const producer = createProducer({ url: redis.url, jobs: jobReader });
  const submit = (index: number) => producer.submit('review', data('measured', index), { jobId: `measured-${index}` });
  const indexes = Array.from({ length: measured }, (_, index) => index);
  if (shape === 'all at once') await Promise.all(indexes.map(submit));
  else
    for (const index of indexes) {
      await submit(index);
      await sleep(trickleMs);
    }
  while (waits.length < measured) await sleep(50);
  await stop(worker);
  await producer.close();
  await redis.close();
  return waits;
}

async function floodWith(way: string, redis: LocalRedis, count: number): Promise<void> {
  const indexes = Array.from({ length: count }, (_, index) => index);
  const id = (index: number) => ({ jobId: `flood-${index}` });
  const producer = createProducer({ url: redis.url, jobs: jobReader });
  const connection = connect(redis.url, 'worker');
  const queue = new Queue(QUEUE_NAME, { connection, prefix: DEFAULT_PREFIX });
  for (let at = 0; at < count; at += 500) {
    const some = indexes.slice(at, at + 500);
    if (way === 'our client')
      await Promise.all(some.map((one) => producer.submit('review', data('flood', one), id(one))));
    else await queue.addBulk(some.map((one) => ({ name: 'review', data: data('flood', one), opts: id(one) })));
  }
  await queue.close();
  await disconnect(connection);
  await producer.close();
}

function data(tenant: string, index: number): object {
  const agreement = { action: 'protocolNegotiation', sequenceId: 1, candidateProtocols: '# X', status: 'accepted' };
  return { version: 1, negotiationId: `${tenant}-${index}`, role: 'provider', agreement, tenant, timeoutMs: 600_000 };
}

function spread(waits: readonly number[]) {
  return { 'p50, ms': percentile(waits, 0.5), 'p99, ms': percentile(waits, 0.99) };
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

async function stop(worker: ChildProcess): Promise<void> {
  const exited = once(worker, 'exit');
  worker.kill('SIGKILL');
  await exited;
}
