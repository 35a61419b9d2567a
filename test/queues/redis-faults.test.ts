import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  connect,
  createProducer,
  disconnect,
  type LocalRedis,
  localRedis,
  redisServerPath,
} from '../../queues/index.ts';
import { jobReader } from '../../src/pipeline/job-reader.ts';
import { reportFault } from '../system/fault-report.ts';
import { envelope, fieldsOf, jobData, queueUnderTest, until } from './queue-under-test.ts';
import { workerProcesses } from './worker-processes.ts';

const skip = redisServerPath() === undefined ? 'needs a real redis-server to kill, freeze or fill' : false;
const patient = { timeoutMs: 120_000 };

/** A Redis that can be killed and restarted; with an append-only file, or without persistence. */
async function restartable(t: TestContext, { durable = true } = {}) {
  const dir = await mkdtemp(join(tmpdir(), 'protosmith-aof-'));
  const kept = durable ? { dir } : {};
  const first = await localRedis(kept);
  const port = Number(new URL(first.url).port);
  let current: LocalRedis = first;
  t.after(async () => {
    await current.close();
    await rm(dir, { recursive: true, force: true });
  });
  return {
    url: first.url,
    kill: () => process.kill(current.pid ?? 0, 'SIGKILL'),
    async start() {
      current = await localRedis({ ...kept, port });
    },
  };
}

/** The outcomes in a restarted Redis. */
function outcomesOf(t: TestContext, url: string) {
  const producer = createProducer({ jobs: jobReader, url });
  const connection = connect(url, 'worker');
  t.after(() => Promise.all([producer.close(), disconnect(connection)]));
  return {
    outcome: (jobId: string) => producer.waitForOutcome(jobId, { untilMs: Date.now() + 60_000 }),
    async entries() {
      const entries = await connection.xrange('{protosmith}:outcomes:default', '-', '+');
      return entries.map(([, fields]) => fieldsOf(fields));
    },
  };
}

test('Redis killed and started again with its append-only file: nothing is lost, nothing doubled', {
  skip,
}, async (t) => {
  const redis = await restartable(t);
  const workers = workerProcesses(t, redis.url);
  await workers.start({ lockMs: 2_000 });
  await workers.start({ lockMs: 2_000 });
  const producer = createProducer({ jobs: jobReader, url: redis.url });
  t.after(() => producer.close());
  const jobIds = Array.from({ length: 40 }, (_, index) => `${index}-job-200ms`);
  for (const jobId of jobIds) await producer.submit('generate', jobData(patient), { jobId });
  // Its policy may lose the writes of the last second.
  await sleep(1_200);
  redis.kill();
  await sleep(2_000);
  await redis.start();
  const outcomes = await reportFault(
    outcomesOf(t, redis.url),
    'Redis killed and started again with its file',
    jobIds,
    Date.now(),
  );
  assert.ok(outcomes.every((found) => found?.verdict === 'generated'));
});

test('workers are back by themselves within seconds of an outage', { skip }, async (t) => {
  const redis = await restartable(t);
  const workers = workerProcesses(t, redis.url);
  await workers.start();
  redis.kill();
  await sleep(7_000);
  await redis.start();
  const producer = createProducer({ jobs: jobReader, url: redis.url });
  t.after(() => producer.close());
  await producer.submit('generate', jobData(patient), { jobId: 'a' });
  const found = await producer.waitForOutcome('a', { untilMs: Date.now() + 30_000 });
  assert.equal(found?.verdict, 'generated');
  const errors = workers.said.filter((line) => line.event === 'redis-error');
  assert.ok(errors.length < 10, `${errors.length} errors told`);
});

test('workers outlive a Redis that forgot everything: new jobs run, by queue and by stream', { skip }, async (t) => {
  const redis = await restartable(t, { durable: false });
  const workers = workerProcesses(t, redis.url);
  await workers.start();
  const producer = createProducer({ jobs: jobReader, url: redis.url });
  t.after(() => producer.close());
  await producer.submit('generate', jobData(patient), { jobId: 'forgotten-2000ms' });
  await until(() => workers.works('forgotten-2000ms') === 1);
  redis.kill();
  await sleep(500);
  await redis.start();
  await producer.submit('generate', jobData(patient), { jobId: 'new' });
  assert.equal((await producer.waitForOutcome('new', { untilMs: Date.now() + 30_000 }))?.verdict, 'generated');
  const connection = connect(redis.url, 'worker');
  await connection.xadd('{protosmith}:intake', '*', 'jobId', 'by-stream', 'data', JSON.stringify(jobData(patient)));
  await disconnect(connection);
  assert.equal((await producer.waitForOutcome('by-stream', { untilMs: Date.now() + 30_000 }))?.verdict, 'generated');
});

test('a worker whose Redis is gone ends within seconds when it is stopped', { skip }, async (t) => {
  const redis = await restartable(t);
  const workers = workerProcesses(t, redis.url);
  const { child, exited } = await workers.start({ drainMs: 60_000 });
  redis.kill();
  await until(() => workers.said.some((line) => line.event === 'redis-error'));
  child.kill('SIGTERM');
  const left = await Promise.race([exited, sleep(30_000, 'late', { ref: false })]);
  assert.deepEqual(left, [0, null]);
});

test('Redis frozen for longer than the lock: duplicates are suppressed, and the worker that lost its lock gives up', {
  skip,
}, async (t) => {
  const seen = await queueUnderTest(t);
  const { redis, producer } = seen;
  const workers = workerProcesses(t, redis.url);
  await workers.start({ lockMs: 4_000 });
  await workers.start({ lockMs: 4_000 });
  const deaf = Array.from({ length: 3 }, (_, index) => `deaf-${index}-15000ms`);
  const jobIds = [...deaf, ...Array.from({ length: 3 }, (_, index) => `${index}-job-8000ms`)];
  for (const jobId of jobIds) await producer.submit('generate', jobData(patient), { jobId });
  await until(() => jobIds.every((jobId) => workers.works(jobId) === 1));
  process.kill(redis.pid ?? 0, 'SIGSTOP');
  await sleep(6_000);
  process.kill(redis.pid ?? 0, 'SIGCONT');
  const outcomes = await reportFault(seen, 'Redis frozen for longer than the lock', jobIds, Date.now());
  assert.ok(outcomes.every(({ verdict }) => verdict === 'generated'));
  assert.ok(workers.said.some((line) => line.event === 'lock-lost'));
  // Processes that ignore the abort end twice.
  for (const jobId of deaf)
    await until(() => workers.said.some((line) => line.event === 'suppressed' && line.jobId === jobId));
  const entries = (await seen.entries()).filter(({ replayed }) => replayed === '0');
  assert.equal(entries.length, jobIds.length);
});

test('a producer says within seconds that a frozen Redis does not answer', { skip }, async (t) => {
  const { redis, producer } = await queueUnderTest(t);
  await producer.submit('generate', jobData(), { jobId: 'a' });
  process.kill(redis.pid ?? 0, 'SIGSTOP');
  try {
    await assert.rejects(producer.submit('generate', jobData(), { jobId: 'b' }), {
      code: 'PLATFORM_REDIS_UNREACHABLE',
    });
  } finally {
    process.kill(redis.pid ?? 0, 'SIGCONT');
  }
  await producer.submit('generate', jobData(), { jobId: 'c' });
});

test('a full Redis: submissions are refused, workers pause and say little, and all is done after room is made', {
  skip,
}, async (t) => {
  const seen = await queueUnderTest(t);
  const { connection, producer, consume, events } = seen;
  let finish = () => {};
  const held = new Promise<void>((resolve) => {
    finish = resolve;
  });
  let worked = 0;
  const consumer = await consume({
    concurrency: 2,
    process: async ({ kind, data }) => {
      worked += 1;
      await held;
      return envelope(kind, data);
    },
  });
  const jobIds = ['a', 'b', 'c', 'd'];
  for (const jobId of jobIds) await producer.submit('generate', jobData(patient), { jobId });
  await until(() => worked === 2);
  await connection.config('SET', 'maxmemory', '1mb');
  await assert.rejects(producer.submit('generate', jobData({ attempt: 1 })), { code: 'PLATFORM_REDIS_FULL' });
  // Two outcomes are ready and cannot be published.
  finish();
  await until(() => consumer.health().paused.length > 0);
  await sleep(4_000);
  assert.deepEqual(consumer.health().paused, ['Redis takes no writes']);
  const told = events.filter((event) => event.event === 'redis-error');
  assert.ok(told.length < 10, `${told.length} errors told`);
  assert.equal(worked, 2);
  await connection.config('SET', 'maxmemory', '0');
  const outcomes = await reportFault(seen, 'Redis full', jobIds, Date.now());
  assert.ok(outcomes.every(({ verdict }) => verdict === 'generated'));
  await until(() => consumer.health().paused.length === 0);
});

test('a lock that ran out while Redis took no writes calls no work off that ends soon', { skip }, async (t) => {
  const { connection, producer, outcome, consume, events } = await queueUnderTest(t);
  const back = Promise.withResolvers<void>();
  let worked = 0;
  const consumer = await consume({
    lockDurationMs: 2_000,
    process: async ({ kind, data }, signal) => {
      worked += 1;
      await back.promise;
      // Long enough for lock renewals to fail. The next worker to take the job must not finish it.
      await sleep(worked === 1 ? 1_200 : 600_000, undefined, { signal });
      return envelope(kind, data);
    },
  });
  await producer.submit('generate', jobData(patient), { jobId: 'a' });
  await until(() => worked === 1);
  await connection.config('SET', 'min-replicas-to-write', '1');
  await until(() => consumer.health().paused.length > 0);
  await sleep(3_000);
  await connection.config('SET', 'min-replicas-to-write', '0');
  await until(() => consumer.health().paused.length === 0);
  back.resolve();
  assert.equal((await outcome('a')).verdict, 'generated');
  assert.ok(!events.some(({ event }) => event === 'lock-lost'));
});

test('work that a full Redis refuses something goes on after room is made', { skip }, async (t) => {
  const { connection, producer, outcome, consume, events } = await queueUnderTest(t);
  let filled = false;
  await consume({
    process: async ({ kind, data }) => {
      if (!filled) await connection.config('SET', 'maxmemory', '1mb');
      filled = true;
      await connection.set('{protosmith}:lease:mine', 'x');
      return envelope(kind, data);
    },
  });
  await producer.submit('generate', jobData(patient), { jobId: 'a' });
  await until(() => events.some(({ event, code }) => event === 'retried' && code === 'PLATFORM_REDIS_FULL'));
  await connection.config('SET', 'maxmemory', '0');
  assert.equal((await outcome('a')).verdict, 'generated');
  assert.equal(events.filter(({ event }) => event === 'given-up').length, 0);
});

test('a worker that finds Redis full does not spin', { skip }, async (t) => {
  const { connection, producer, outcome, consume, events } = await queueUnderTest(t);
  for (const jobId of ['a', 'b']) await producer.submit('generate', jobData(patient), { jobId });
  await connection.config('SET', 'maxmemory', '1mb');
  const consumer = await consume();
  await until(() => consumer.health().paused.length > 0);
  const before = process.cpuUsage();
  await sleep(3_000);
  const { user, system } = process.cpuUsage(before);
  assert.ok((user + system) / 1_000 < 1_000, `${Math.round((user + system) / 1_000)} ms of processor time in 3 s`);
  assert.ok(events.length < 10, `${events.length} events`);
  await connection.config('SET', 'maxmemory', '0');
  for (const jobId of ['a', 'b']) assert.equal((await outcome(jobId, 40_000)).verdict, 'generated');
});
