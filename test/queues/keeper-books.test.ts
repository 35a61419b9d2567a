import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'bullmq';
import { keysOf } from '../../queues/index.ts';
import type { JobCloser } from '../../queues/jobs/job-closer.ts';
import { Outcomes } from '../../queues/jobs/outcomes.ts';
import { Turns } from '../../queues/jobs/turns.ts';
import { Keeper } from '../../queues/keeper/keeper.ts';
import { jobReader } from '../../src/pipeline/job-reader.ts';
import { codes, envelope, jobData, queueUnderTest, until } from './queue-under-test.ts';

const keys = keysOf();
const hourMs = 3_600_000;
const patient = (more = {}) => jobData({ timeoutMs: 600_000, ...more });

type Seen = Awaited<ReturnType<typeof queueUnderTest>>;

/** Another worker, which knows nothing of outcomes, ends all waiting jobs. */
async function endedByAnother(seen: Seen, state: 'failed' | 'completed', jobs: number, reason = 'no'): Promise<void> {
  const { queue, connection } = seen;
  const work = () => (state === 'failed' ? Promise.reject(new Error(reason)) : Promise.resolve('done'));
  const other = new Worker(queue.name, work, { connection, prefix: keys.prefix });
  other.on('error', () => {});
  await until(async () => (await queue.getJobCountByTypes(state)) === jobs).finally(() => other.close());
}

/** Sets the time at which BullMQ finished a job. */
async function endedAt({ connection }: Seen, jobId: string, atMs: number): Promise<void> {
  await connection.zadd(`${keys.queue}:failed`, atMs, jobId);
  await connection.hset(`${keys.queue}:${jobId}`, 'finishedOn', atMs);
}

/** Starts a worker whose only slot is busy for the whole test: its keeper goes on. */
async function busy({ consume, queue, events }: Seen): Promise<void> {
  await consume({
    concurrency: 1,
    process: (_, signal) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined), { once: true })),
  });
  await queue.add('generate', patient(), { jobId: 'keeps-busy' });
  await until(() => events.some(({ event, jobId }) => event === 'taken' && jobId === 'keeps-busy'));
}

test('every job that BullMQ ended by itself gets an outcome, however it ended and within days of its end', async (t) => {
  const seen = await queueUnderTest(t);
  await seen.queue.add('generate', patient(), { jobId: 'was-completed' });
  await endedByAnother(seen, 'completed', 1);
  await seen.queue.add('generate', patient(), { jobId: 'failed-long-ago' });
  await endedByAnother(seen, 'failed', 1);
  await endedAt(seen, 'failed-long-ago', Date.now() - hourMs);
  await seen.consume();
  for (const jobId of ['was-completed', 'failed-long-ago'])
    assert.deepEqual(codes(await seen.outcome(jobId)), ['PLATFORM_JOB_GIVEN_UP'], jobId);
});

test('a job with an id of BullMQ’s own gets no outcome, failed or past its deadline', async (t) => {
  const seen = await queueUnderTest(t);
  const { queue, connection, outcome } = seen;
  const failed = await queue.add('generate', patient());
  await queue.add('generate', patient(), { jobId: 'was-failed' });
  await endedByAnother(seen, 'failed', 2);
  await busy(seen);
  await outcome('was-failed');
  const waiting = await queue.add('generate', jobData({ timeoutMs: 1_000 }));
  await queue.add('generate', jobData({ timeoutMs: 1_000 }), { jobId: 'still-waiting' });
  await outcome('still-waiting');
  await until(async () => (await connection.zrange(keys.deadlines, '0', '-1')).join() === 'keeps-busy');
  for (const { id } of [failed, waiting]) assert.equal(await connection.exists(keys.outcome(id ?? '')), 0);
});

test('a job that failed for a reused id makes room for the one that the id belongs to, after a while', async (t) => {
  const seen = await queueUnderTest(t);
  const { queue, connection } = seen;
  for (const jobId of ['old', 'recent']) await queue.add('generate', patient(), { jobId });
  await endedByAnother(seen, 'failed', 2, 'JOB_ID_REUSED: other data');
  await endedAt(seen, 'old', Date.now() - hourMs);
  await busy(seen);
  await until(async () => (await queue.getJob('old')) === undefined);
  assert.ok(await queue.getJob('recent'));
  assert.equal(await connection.exists(keys.outcome('old'), keys.outcome('recent')), 0);
});

test('what an id has that was used for other data too is told to the one that it belongs to, never to the other', async (t) => {
  const seen = await queueUnderTest(t);
  const { queue, consume, outcome, entries } = seen;
  await consume();
  const put = (negotiationId: string) =>
    queue.add('generate', jobData({ negotiationId, replyTo: negotiationId }), { jobId: 'shared' });
  const refused = () => until(async () => (await queue.getJobState('shared')) === 'failed');
  const told = async () => (await entries('owner')).map(({ negotiationId, replayed }) => [negotiationId, replayed]);
  await put('owner');
  await outcome('shared');
  await until(async () => (await queue.getJob('shared')) === undefined);
  for (const [again, replays] of [
    ['owner', 1],
    ['other', 2],
  ] as const) {
    await put('other');
    await refused();
    await put(again);
    await until(async () => (await told()).length > replays);
    // A worker answers a job submitted now.
    await until(async () => (await queue.getJob('shared')) === undefined);
  }
  await put('owner');
  await until(async () => (await told()).length === 4);
  assert.deepEqual(await told(), [['owner', '0'], ...Array.from({ length: 3 }, () => ['owner', '1'])]);
  assert.deepEqual(await entries('other'), []);
});

test('a job with a priority has its deadline too while no worker has a hand free', async (t) => {
  const seen = await queueUnderTest(t);
  await busy(seen);
  await seen.queue.add('generate', jobData({ timeoutMs: 1_000 }), { jobId: 'urgent', priority: 3 });
  assert.deepEqual(codes(await seen.outcome('urgent')), ['PLATFORM_DEADLINE']);
});

test('nothing is kept of jobs that are gone', async (t) => {
  const seen = await queueUnderTest(t);
  const { connection } = seen;
  await connection.zadd(keys.due, 1, 'gone');
  await connection.zadd(keys.deadlines, 1, 'gone');
  await seen.consume();
  await until(async () => (await connection.exists(keys.due, keys.deadlines)) === 0);
  assert.equal(await connection.exists(keys.outcome('gone')), 0);
});

test('a job that has its outcome is not given up a second time', async (t) => {
  const seen = await queueUnderTest(t);
  const { queue, producer, connection, events } = seen;
  await queue.add('generate', patient(), { jobId: 'done' });
  await producer.closeExpired('done', { kind: 'generate', data: patient() });
  await endedByAnother(seen, 'failed', 1);
  await connection.zadd(keys.deadlines, 1, 'done');
  await seen.consume();
  await until(async () => (await connection.exists(keys.deadlines)) === 0);
  assert.deepEqual(
    events.filter(({ event }) => event === 'given-up'),
    [],
  );
});

test('the moment at which Redis took a job is noted with it, whatever its time stamp says, and stays', async (t) => {
  const seen = await queueUnderTest(t);
  const { queue, connection } = seen;
  await busy(seen);
  const takenAt = (jobId: string) => connection.hget(`${keys.queue}:${jobId}`, 'takenAtMs');
  const timestamp = Date.now() - hourMs;
  for (const jobId of ['known', 'behind']) await queue.add('generate', patient(), { jobId, timestamp });
  await queue.add('generate', patient(), { jobId: 'ahead', timestamp: Date.now() + hourMs });
  await queue.add('generate', patient(), { jobId: 'right' });
  const knownMs = String(Date.now() - 5_000);
  await connection.hset(`${keys.queue}:known`, 'takenAtMs', knownMs);
  // More than one batch.
  const others = connection.pipeline();
  for (let n = 0; n < 1_100; n += 1) others.xadd(`${keys.queue}:events`, '*', 'event', 'progress', 'jobId', 'another');
  await others.exec();
  await queue.add('generate', patient(), { jobId: 'last', timestamp });
  await until(() => takenAt('last'));
  const addedAt = new Map<string, string>();
  for (const [id, fields] of await connection.xrange(`${keys.queue}:events`, '-', '+'))
    if (fields.includes('added')) addedAt.set(fields[fields.indexOf('jobId') + 1] ?? '', id.split('-')[0] ?? '');
  for (const jobId of ['behind', 'ahead', 'last']) assert.equal(await takenAt(jobId), addedAt.get(jobId), jobId);
  assert.equal(await takenAt('known'), knownMs);
  // Trusted if it was read within a second.
  const stamp = await connection.hget(`${keys.queue}:right`, 'timestamp');
  assert.ok([stamp, addedAt.get('right')].includes((await takenAt('right')) ?? ''));
});

test('BullMQ’s events are read once for all jobs, and a job put twice was taken when it was put last', async (t) => {
  const { queue, connection } = await queueUnderTest(t);
  const outcomes = new Outcomes(connection, keys, 60);
  const log = `${keys.queue}:events`;
  const timestamp = Date.now() - hourMs;
  for (const jobId of ['a', 'b']) await queue.add('generate', patient(), { jobId, timestamp });
  const addedAtMs = Number((await connection.xrevrange(log, '+', '-', 'COUNT', 1))[0]?.[0].split('-')[0]);
  await connection.del(log);
  await connection.xadd(log, '1000-0', 'event', 'added', 'jobId', 'a');
  const others = connection.pipeline();
  for (let n = 0; n < 1_500; n += 1) others.xadd(log, `2000-${n}`, 'event', 'added', 'jobId', `gone-${n}`);
  await others.exec();
  for (const jobId of ['b', 'a']) await connection.xadd(log, `${addedAtMs}-*`, 'event', 'added', 'jobId', jobId);
  assert.equal((await outcomes.begin('a', timestamp, 0)).takenAtMs, addedAtMs);
  await connection.del(log);
  assert.equal((await outcomes.begin('b', timestamp, 0)).takenAtMs, addedAtMs);
});

test('a job whose time stamp is none is taken when it was looked at first, and others have their deadlines', async (t) => {
  const seen = await queueUnderTest(t);
  const { queue, connection } = seen;
  await busy(seen);
  const sinceMs = Date.now();
  await queue.add('generate', patient(), { jobId: 'odd' });
  await connection.multi().del(`${keys.queue}:events`).hset(`${keys.queue}:odd`, 'timestamp', 'soon').exec();
  await queue.add('generate', jobData({ timeoutMs: 1_000 }), { jobId: 'behind-it' });
  assert.deepEqual(codes(await seen.outcome('behind-it')), ['PLATFORM_DEADLINE']);
  const deadlineMs = Number(await connection.zscore(keys.deadlines, 'odd'));
  assert.ok(deadlineMs >= sinceMs + 599_000 && deadlineMs <= Date.now() + 600_000, `${deadlineMs - sinceMs}`);
});

test('a job put again that has no outcome yet keeps no other from being announced', async (t) => {
  const seen = await queueUnderTest(t);
  const { queue, connection, outcome, entries, events } = seen;
  await seen.consume({ process: async ({ kind, data }) => envelope(kind, data) });
  await queue.add('generate', patient({ replyTo: 'mine' }), { jobId: 'ended' });
  await outcome('ended');
  await until(async () => (await queue.getJob('ended')) === undefined);
  const log = `${keys.queue}:events`;
  await connection
    .multi()
    .xadd(log, '*', 'event', 'duplicated', 'jobId', 'unheard-of')
    .xadd(log, '*', 'event', 'duplicated', 'jobId', 'ended')
    .exec();
  await until(async () => (await entries('mine')).length === 2);
  await until(() => events.some(({ event }) => event === 'replayed'));
  assert.deepEqual(
    events.filter(({ event }) => event === 'replayed'),
    [
      {
        event: 'replayed',
        jobId: 'ended',
        kind: 'generate',
        negotiationId: 'n-1',
        tenant: 'default',
        verdict: 'generated',
      },
    ],
  );
});

test('the keeper stays the same as long as it lives: it renews its lease', async (t) => {
  const { connection, consume } = await queueUnderTest(t);
  await consume();
  const lease = keys.lease('keeper');
  const longMs = 10 * hourMs;
  await until(() => connection.pexpire(lease, longMs));
  // A new holder waits until the lease is free.
  await until(async () => (await connection.pttl(lease)) < longMs / 2);
});

test('a delayed job whose moment has come by Redis’ clock is not left to a worker whose clock lags', async (t) => {
  const seen = await queueUnderTest(t);
  const { queue, connection } = seen;
  await queue.add('generate', patient(), { jobId: 'lags', delay: hourMs });
  await connection.zadd(keys.due, Date.now() - hourMs, 'lags');
  await seen.consume();
  assert.equal((await seen.outcome('lags')).verdict, 'generated');
});

test('noting the deadline of a job that waits keeps when it comes back, taking it in hand does not', async (t) => {
  const { connection } = await queueUnderTest(t);
  const outcomes = new Outcomes(connection, keys, 60);
  const dueMs = (await outcomes.nowMs()) - 1;
  await connection.zadd(keys.due, dueMs, 'back');
  const noted = await outcomes.begin('back', dueMs, 30_000);
  assert.equal(noted.dueMs, dueMs);
  assert.equal(await connection.zscore(keys.due, 'back'), String(dueMs));
  await outcomes.begin('back', dueMs, 30_000, { isInHand: true });
  assert.equal(await connection.zscore(keys.due, 'back'), null);
});

test('a job that is put back again while the keeper brings it back keeps its new moment', async (t) => {
  const { connection, queue } = await queueUnderTest(t);
  await connection.zadd(keys.due, Date.now() - hourMs, 'a', Date.now() - hourMs, 'b');
  const laterMs = Date.now() + hourMs;
  // BullMQ refuses to promote an active job; a worker delays it right then.
  const promote = async (jobId: string) => {
    if (jobId === 'a') await connection.zadd(keys.due, laterMs, jobId);
    throw new Error('not delayed');
  };
  const keeper = new Keeper({
    jobs: jobReader,
    connection,
    keys,
    outcomes: new Outcomes(connection, keys, 3_600),
    closer: { end: () => Promise.resolve() } as unknown as JobCloser,
    queue: Object.create(queue, { getBackend: { value: () => ({ promote }) } }),
    turns: new Turns(connection, keys, jobReader),
    retentionSeconds: 3_600,
    onError: (error) => assert.fail(String(error)),
    onEvent: () => {},
  });
  await until(async () => (await connection.zscore(keys.due, 'b')) === null).finally(() => keeper.close());
  assert.equal(await connection.zscore(keys.due, 'a'), String(laterMs));
});

test('what keeps the keeper from its other work keeps it from closing no job', async (t) => {
  const { connection, queue } = await queueUnderTest(t);
  const outcomes = new Outcomes(connection, keys, 3_600);
  const stuck = Promise.withResolvers<void>();
  const closed: string[] = [];
  const keeper = new Keeper({
    jobs: jobReader,
    connection,
    keys,
    outcomes,
    closer: { end: async ({ jobId }: { jobId: string }) => closed.push(jobId) } as unknown as JobCloser,
    queue: Object.create(queue, { getBackend: { value: () => ({ promote: () => stuck.promise }) } }),
    turns: new Turns(connection, keys, jobReader),
    retentionSeconds: 3_600,
    onError: (error) => assert.fail(String(error)),
    onEvent: () => {},
  });
  await connection.zadd(keys.due, 1, 'due');
  await queue.add('generate', jobData({ timeoutMs: 1_000 }), { jobId: 'waits' });
  await until(() => connection.exists(keys.lease('keeper')));
  await outcomes.begin('waits', Date.now(), 1_000);
  await until(() => closed.includes('waits')).finally(() => stuck.resolve());
  await keeper.close();
});
