import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keysOf } from '../../queues/index.ts';
import { codes, envelope, jobData, queueUnderTest, until } from './queue-under-test.ts';

const keys = keysOf();

/** A queue whose worker processes one job until `end` is called. */
async function busy(t: Parameters<typeof queueUnderTest>[0], deduplication: { id: string; [name: string]: unknown }) {
  const seen = await queueUnderTest(t);
  const { promise, resolve } = Promise.withResolvers<void>();
  await seen.consume({
    process: async ({ jobId, kind, data }) => {
      if (jobId === 'first') await promise;
      return envelope(kind, data);
    },
  });
  const put = (jobId: string, more: { delay?: number } = {}) =>
    seen.queue.add('generate', jobData({ timeoutMs: 60_000 }), { jobId, deduplication, ...more });
  return { ...seen, put, end: () => resolve() };
}

test('a job that BullMQ’s deduplication ignored ends with an error that names the one in its place', async (t) => {
  const { put, end, outcome, entries, connection, queue } = await busy(t, { id: 'one' });
  for (const jobId of ['first', 'second', 'third']) await put(jobId);
  for (const jobId of ['second', 'third']) {
    const found = await outcome(jobId);
    assert.deepEqual(
      [found.verdict, codes(found), found.negotiationId, found.kind],
      ['error', ['JOB_DEDUPLICATED'], null, null],
    );
    assert.match(JSON.stringify(found.findings), /found job \\"first\\" in its place/);
  }
  end();
  assert.equal((await outcome('first')).verdict, 'generated');
  await until(async () => (await queue.getJob('first')) === undefined);
  await put('fourth');
  assert.equal((await outcome('fourth')).verdict, 'generated');
  const told = (await entries()).map(({ jobId, final, replayed }) => [jobId, final, replayed].join());
  assert.deepEqual(told.sort(), ['first,1,0', 'fourth,1,0', 'second,1,0', 'third,1,0']);
  assert.equal(await connection.exists(keys.deadlines), 0);
});

test('a job that came again while deduplication lasted, having its outcome, has that announced again', async (t) => {
  const { put, end, outcome, queue, entries } = await busy(t, { id: 'one', ttl: 600_000 });
  end();
  await put('first');
  assert.equal((await outcome('first')).verdict, 'generated');
  await until(async () => (await queue.getJob('first')) === undefined);
  await put('first');
  await put('second');
  assert.deepEqual(codes(await outcome('second')), ['JOB_DEDUPLICATED']);
  assert.equal((await outcome('first')).verdict, 'generated');
  const told = async () => (await entries()).map(({ jobId, replayed }) => [jobId, replayed].join()).sort();
  await until(async () => (await told()).length === 3);
  assert.deepEqual(await told(), ['first,0', 'first,1', 'second,0']);
});

test('a delayed job in whose place BullMQ put a later one ends, and the later one is done', async (t) => {
  const { put, outcome } = await busy(t, { id: 'one', replace: true });
  await put('put-off', { delay: 30_000 });
  await put('later', { delay: 100 });
  assert.deepEqual(codes(await outcome('put-off')), ['JOB_DEDUPLICATED']);
  assert.equal((await outcome('later')).verdict, 'generated');
});

test('the last job that BullMQ keeps until the active one ends is done, and those before it end', async (t) => {
  const { put, end, outcome, events, producer, connection } = await busy(t, { id: 'one', keepLastIfActive: true });
  await put('first');
  await until(() => events.some(({ event, jobId }) => event === 'taken' && jobId === 'first'));
  await put('kept');
  // The keeper has read about it before another one replaces it.
  const seen = await connection.get(keys.seen);
  await until(async () => (await connection.get(keys.seen)) !== seen);
  await put('kept-then');
  await put('last');
  for (const jobId of ['kept', 'kept-then']) assert.deepEqual(codes(await outcome(jobId)), ['JOB_DEDUPLICATED'], jobId);
  assert.equal(await producer.outcomeOf('last'), null);
  end();
  for (const jobId of ['first', 'last']) assert.equal((await outcome(jobId)).verdict, 'generated', jobId);
});
