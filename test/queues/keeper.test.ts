import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Queue, Worker } from 'bullmq';
import { createConsumer, DEFAULT_PREFIX } from '../../queues/index.ts';
import { jobReader } from '../../src/pipeline/job-reader.ts';
import { reportFault } from '../system/fault-report.ts';
import { codes, envelope, jobData, queueUnderTest, until } from './queue-under-test.ts';
import { workerProcesses } from './worker-processes.ts';

test('a job of a dead worker is closed at its deadline, long before its lock runs out', async (t) => {
  const seen = await queueUnderTest(t);
  const { redis, producer, consume } = seen;
  const workers = workerProcesses(t, redis.url);
  const first = await workers.start({ lockMs: 600_000 });
  await producer.submit('generate', jobData({ timeoutMs: 10_000 }), { jobId: 'a-60000ms' });
  await until(() => workers.works('a-60000ms') === 1);
  first.child.kill('SIGKILL');
  const sinceMs = Date.now();
  let worked = 0;
  await consume({
    process: async () => {
      worked += 1;
      return undefined;
    },
  });
  const [found] = await reportFault(seen, 'worker dead, deadline before the end of its lock', ['a-60000ms'], sinceMs);
  assert.deepEqual(found && codes(found), ['PLATFORM_DEADLINE']);
  assert.equal(worked, 0);
});

test('jobs whose deadline passes while they wait for a busy worker are closed, without work', async (t) => {
  const { producer, queue, consume, outcome, entries } = await queueUnderTest(t);
  let worked = 0;
  await consume({
    concurrency: 1,
    process: ({ kind, data }, signal) =>
      new Promise((resolve) => {
        worked += 1;
        signal.addEventListener('abort', () => resolve(envelope(kind, data, 'error')));
      }),
  });
  await producer.submit('generate', jobData({ timeoutMs: 60_000 }), { jobId: 'busy' });
  await until(() => worked === 1);
  const jobIds = Array.from({ length: 30 }, (_, index) => `waits-${index}`);
  for (const jobId of jobIds) await producer.submit('generate', jobData({ timeoutMs: 1_000 }), { jobId });
  for (const jobId of jobIds) assert.deepEqual(codes(await outcome(jobId)), ['PLATFORM_DEADLINE']);
  await until(async () => (await queue.getJobCountByTypes('waiting', 'prioritized')) === 0);
  assert.equal(worked, 1);
  assert.equal((await entries()).length, jobIds.length);
});

test('a job that Redis left on none of the lists of the queue waits again', async (t) => {
  const { queue, connection, consume, outcome, events } = await queueUnderTest(t);
  await queue.add('generate', jobData({ timeoutMs: 600_000 }), { jobId: 'lost', delay: 500_000 });
  await queue.add('generate', jobData({ timeoutMs: 600_000 }), { jobId: 'kept', delay: 500_000 });
  await consume();
  await until(async () => (await connection.zscore('{protosmith}:deadlines', 'kept')) !== null);
  // As a script of BullMQ that may not use its next command.
  await connection.zrem('{protosmith}:code-generation:delayed', 'lost');
  assert.equal((await outcome('lost')).verdict, 'generated');
  assert.deepEqual(
    events.filter(({ event }) => event === 'mended').map(({ jobId }) => jobId),
    ['lost'],
  );
  assert.equal(await queue.getJobState('kept'), 'delayed');
});

test('a job that a producer added by halves runs, because Redis denied a command to its BullMQ', async (t) => {
  const { redis, queue, connection, consume, outcome, atEnd } = await queueUnderTest(t);
  await queue.waitUntilReady();
  await connection.call('ACL', 'SETUSER', 'half', 'on', '>pw', '~*', '&*', '+@all', '-lpush', '-xadd');
  const url = new URL(redis.url);
  const options = { host: url.hostname, port: Number(url.port), username: 'half', password: 'pw' };
  const producer = new Queue(queue.name, { connection: options, prefix: DEFAULT_PREFIX });
  producer.on('error', () => {});
  atEnd(() => producer.close());
  const add = (jobId: string) => producer.add('generate', jobData({ timeoutMs: 600_000 }), { jobId });
  await assert.rejects(add('unheard'), /NOPERM|can't run this command/);
  await connection.call('ACL', 'SETUSER', 'half', '+xadd');
  await assert.rejects(add('heard'), /NOPERM|can't run this command/);
  await connection.call('ACL', 'SETUSER', 'half', '+lpush');
  // The producer tries again. BullMQ takes the job for one that it has already.
  await add('unheard');
  assert.equal(await queue.getWaitingCount(), 0);
  await consume();
  assert.equal((await outcome('heard', 20_000)).verdict, 'generated');
  assert.equal((await outcome('unheard')).verdict, 'generated');
});

test('a job that the queue itself failed gets its outcome from the reconciler', async (t) => {
  const seen = await queueUnderTest(t);
  const { queue, connection, consume } = seen;
  await queue.add('generate', jobData({ timeoutMs: 600_000 }), { jobId: 'a' });
  const other = new Worker(queue.name, () => Promise.reject(new Error('attempts used up')), {
    connection,
    prefix: '{protosmith}',
  });
  other.on('error', () => {});
  await until(async () => (await queue.getJobState('a')) === 'failed');
  await other.close();
  const sinceMs = Date.now();
  await consume();
  const [found] = await reportFault(seen, 'job failed by the queue itself', ['a'], sinceMs);
  assert.deepEqual(found && codes(found), ['PLATFORM_JOB_GIVEN_UP']);
  assert.match(JSON.stringify(found?.findings), /attempts used up/);
});

test('an outcome that expired is not contradicted: jobs that finished long ago are let be, and removed', async (t) => {
  const { queue, connection, consume, producer } = await queueUnderTest(t);
  await queue.add('generate', jobData({ timeoutMs: 600_000 }), { jobId: 'old' });
  const other = new Worker(queue.name, () => Promise.reject(new Error('x')), { connection, prefix: '{protosmith}' });
  other.on('error', () => {});
  await until(async () => (await queue.getJobState('old')) === 'failed');
  await other.close();
  await connection.zadd('{protosmith}:code-generation:failed', Date.now() - 4 * 86_400_000, 'old');
  await connection.hset('{protosmith}:code-generation:old', 'finishedOn', Date.now() - 4 * 86_400_000);
  await consume();
  await until(async () => (await queue.getJob('old')) === undefined);
  assert.equal(await producer.outcomeOf('old'), null);
});

test('the outcome of a failed job is announced again when its producer puts the job again', async (t) => {
  const { queue, consume, outcome, entries, connection } = await queueUnderTest(t);
  await consume({
    process: async () => {
      throw new TypeError('oops');
    },
  });
  const data = jobData({ replyTo: 'mine' });
  await queue.add('generate', data, { jobId: 'a' });
  await outcome('a');
  await until(async () => (await queue.getJobState('a')) === 'failed');
  // The keeper has started to read BullMQ's events.
  await until(() => connection.get('{protosmith}:seen'));
  await queue.add('generate', data, { jobId: 'a' });
  const found = await until(async () => {
    const all = await entries('mine');
    return all.length === 2 && all;
  });
  assert.deepEqual(
    found.map((entry) => [entry.verdict, entry.final, entry.replayed]),
    [
      ['error', '1', '0'],
      ['error', '1', '1'],
    ],
  );
});

test('a job put again just before it leaves BullMQ is announced again, one put again while it ran is not', async (t) => {
  const { queue, consume, outcome, entries, connection } = await queueUnderTest(t);
  await consume();
  const events = '{protosmith}:code-generation:events';
  await queue.add('generate', jobData({ replyTo: 'mine' }), { jobId: 'early' });
  await outcome('early');
  await queue.add('generate', jobData({ replyTo: 'mine' }), { jobId: 'late' });
  await outcome('late');
  await until(async () => (await queue.getJobCountByTypes('active', 'waiting', 'prioritized')) === 0);
  // BullMQ's event for a job that it ignores because its id exists.
  const published = await connection.xrange('{protosmith}:outcomes:mine', '-', '+');
  const [firstMs] = (published[0]?.[0] ?? '').split('-');
  await connection
    .multi()
    .del(events, '{protosmith}:seen')
    .xadd(events, `${Number(firstMs) - 5}-0`, 'event', 'duplicated', 'jobId', 'early')
    .xadd(events, '*', 'event', 'duplicated', 'jobId', 'late')
    .exec();
  const found = await until(async () => {
    const all = await entries('mine');
    return all.length === 3 && all;
  });
  assert.deepEqual(
    found.map((entry) => [entry.jobId, entry.replayed]),
    [
      ['early', '0'],
      ['late', '0'],
      ['late', '1'],
    ],
  );
});

test('the keeper is one of all workers, and another when that one ends', async (t) => {
  const { redis, connection, consume } = await queueUnderTest(t);
  const first = createConsumer({ jobs: jobReader, url: redis.url, process: async () => undefined });
  await first.ready();
  const holder = await until(() => connection.get('{protosmith}:lease:keeper'));
  await consume();
  assert.equal(await connection.get('{protosmith}:lease:keeper'), holder);
  await first.close();
  await until(async () => {
    const now = await connection.get('{protosmith}:lease:keeper');
    return now !== null && now !== holder;
  });
});
