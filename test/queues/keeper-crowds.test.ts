import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { FlowProducer } from 'bullmq';
import { keysOf } from '../../queues/index.ts';
import { codes, envelope, jobData, queueUnderTest, until } from './queue-under-test.ts';

const keys = keysOf();
const patient = (more = {}) => jobData({ timeoutMs: 600_000, ...more });

type Seen = Awaited<ReturnType<typeof queueUnderTest>>;

/** Adds many jobs at once. */
async function crowd({ queue }: Seen, size: number, more: (nth: number) => object = () => ({})): Promise<string[]> {
  const jobIds = Array.from({ length: size }, (_, nth) => `crowd-${nth}`);
  await queue.addBulk(
    jobIds.map((jobId, nth) => ({ name: 'review', data: patient({ attempt: nth, ...more(nth) }), opts: { jobId } })),
  );
  return jobIds;
}

/** How often Redis got a command since its statistics were reset. */
async function callsOf({ connection }: Seen, command: string): Promise<number> {
  return Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(await connection.info('commandstats'))?.[1] ?? 0);
}

test('a deadline is kept however many jobs wait before it, also of one that the events tell of no more', async (t) => {
  const seen = await queueUnderTest(t);
  const { queue, connection, outcome } = seen;
  await queue.pause();
  await crowd(seen, 2_100, (nth) => (nth === 1_500 ? { timeoutMs: 1_000 } : {}));
  await connection.del(`${keys.queue}:events`);
  await seen.consume();
  assert.deepEqual(codes(await outcome('crowd-1500')), ['PLATFORM_DEADLINE']);
  await until(async () => (await connection.zcard(keys.deadlines)) === 2_099);
  // So many that scanning them takes half a minute.
  const gone = Array.from({ length: 30_000 }, (_, nth) => `gone-${nth}`);
  await connection.lpush(`${keys.queue}:wait`, ...gone);
  await queue.add('review', jobData({ timeoutMs: 1_000 }), { jobId: 'last' });
  assert.deepEqual(codes(await outcome('last', 15_000)), ['PLATFORM_DEADLINE']);
});

test('a job put again just before a crowd is announced again', async (t) => {
  const seen = await queueUnderTest(t);
  const { queue, connection, outcome, entries, consume } = seen;
  await consume();
  await queue.add('review', patient({ replyTo: 'mine' }), { jobId: 'kept', removeOnComplete: { age: 3_600 } });
  await outcome('kept');
  await until(async () => (await queue.getJobState('kept')) === 'completed');
  await queue.add('review', patient({ replyTo: 'mine' }), { jobId: 'kept' });
  const jobIds = await crowd(seen, 1_000);
  await until(async () => (await connection.exists(jobIds.map((jobId) => keys.outcome(jobId)))) === jobIds.length);
  await until(async () => (await entries('mine')).length === 2);
});

test('a job put again many times is announced again once', async (t) => {
  const seen = await queueUnderTest(t);
  const { queue, connection, outcome, entries, consume } = seen;
  await consume();
  for (const jobId of ['many', 'once']) {
    await queue.add('review', patient({ replyTo: jobId }), { jobId, removeOnComplete: { age: 3_600 } });
    await outcome(jobId);
  }
  await until(async () => (await queue.getJobCountByTypes('completed')) === 2);
  const log = connection.multi();
  for (let n = 0; n < 1_500; n += 1) log.xadd(`${keys.queue}:events`, '*', 'event', 'duplicated', 'jobId', 'many');
  log.xadd(`${keys.queue}:events`, '*', 'event', 'duplicated', 'jobId', 'once');
  await log.exec();
  await until(async () => (await entries('once')).length === 2);
  assert.equal((await entries('many')).length, 2);
});

test('a backlog costs Redis no search for each job', async (t) => {
  const seen = await queueUnderTest(t);
  const { queue, connection, consume } = seen;
  await queue.pause();
  const jobIds = await crowd(seen, 500);
  // A timestamp of the last second is trusted.
  await sleep(1_100);
  await consume();
  await until(async () => (await connection.zcard(keys.deadlines)) === jobIds.length);
  await connection.config('RESETSTAT');
  await queue.resume();
  await until(async () => (await connection.exists(jobIds.map((jobId) => keys.outcome(jobId)))) === jobIds.length);
  const searches = (await callsOf(seen, 'xrange')) + (await callsOf(seen, 'xrevrange'));
  assert.ok(searches < 100, `${searches} searches for ${jobIds.length} jobs`);
});

test('what keeps the keeper from one job keeps it from no other', async (t) => {
  const seen = await queueUnderTest(t);
  const { queue, connection, outcome, events } = seen;
  await queue.pause();
  for (let nth = 0; nth < 250; nth += 1) {
    await connection.set(`${keys.queue}:waits-${nth}`, 'no job');
    await connection.set(`${keys.queue}:late-${nth}`, 'no job');
    await connection.lpush(`${keys.queue}:wait`, `waits-${nth}`);
    await connection.zadd(keys.deadlines, 1, `late-${nth}`);
  }
  await queue.add('review', jobData({ timeoutMs: 1_000 }), { jobId: 'behind-it' });
  await seen.consume();
  assert.deepEqual(codes(await outcome('behind-it')), ['PLATFORM_DEADLINE']);
  const mended = events.filter(({ event, code }) => event === 'mended' && code === 'OPERATOR_REDIS_KEY_TAKEN');
  assert.ok(mended.length > 250, String(mended.length));
});

test('a job with options that BullMQ cannot read is worked on, whether it waits or was fetched in vain', async (t) => {
  const seen = await queueUnderTest(t);
  const { queue, connection, outcome, consume } = seen;
  const byHand = async (jobId: string, more: Record<string, string>) => {
    const fields = { name: 'review', data: JSON.stringify(patient()), timestamp: Date.now(), delay: 0, priority: 0 };
    await connection.hset(`${keys.queue}:${jobId}`, { ...fields, opts: '{}', ...more });
    await connection.lpush(`${keys.queue}:wait`, jobId);
    await connection.zadd(`${keys.queue}:marker`, 0, '0');
  };
  await consume({ lockDurationMs: 1_000, stalledIntervalMs: 500 });
  for (const opts of ['{bad', 'null']) {
    await byHand(`opts-${opts}`, { opts });
    assert.equal((await outcome(`opts-${opts}`)).verdict, 'generated', opts);
  }
  await byHand('progress', { progress: '{bad' });
  await byHand('parent', { parent: '{bad' });
  for (const jobId of ['progress', 'parent']) assert.equal((await outcome(jobId)).verdict, 'generated', jobId);
  await queue.pause();
  await byHand('waits', { opts: '{bad' });
  await until(async () => (await connection.hget(`${keys.queue}:waits`, 'opts')) === null);
  await queue.resume();
  assert.equal((await outcome('waits')).verdict, 'generated');
});

test('a job that waits for others is closed at its deadline, and those are not', async (t) => {
  const seen = await queueUnderTest(t);
  const { queue, connection, outcome, consume } = seen;
  const flows = new FlowProducer({ connection, prefix: keys.prefix });
  flows.on('error', () => {});
  seen.atEnd(() => flows.close());
  await queue.pause();
  const child = { name: 'review', queueName: queue.name, data: patient(), opts: { jobId: 'child' } };
  const data = jobData({ timeoutMs: 1_000 });
  await flows.add({ name: 'review', queueName: queue.name, data, opts: { jobId: 'parent' }, children: [child] });
  await consume({ process: async ({ kind, data: given }) => envelope(kind, given) });
  assert.deepEqual(codes(await outcome('parent')), ['PLATFORM_DEADLINE']);
  await until(async () => (await queue.getJob('parent')) === undefined);
  await queue.resume();
  assert.equal((await outcome('child')).verdict, 'generated');
  await until(async () => (await queue.getJobCountByTypes('active', 'waiting', 'failed')) === 0);
});

test('a job that was cancelled while it waited ends as cancelled', async (t) => {
  const { queue, producer, consume, outcome } = await queueUnderTest(t);
  await queue.pause();
  await queue.add('generate', jobData({ timeoutMs: 1_000 }), { jobId: 'waits' });
  await producer.cancel('waits');
  await consume();
  assert.deepEqual(codes(await outcome('waits')), ['JOB_CANCELLED']);
});
