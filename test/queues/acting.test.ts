import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Cancelled,
  defaultHistoryLimits,
  HistoryWriter,
  jobIdOf,
  keysOf,
  openOperator,
} from '../../queues/index.ts';
import { cancelJob } from '../../queues/operator/cancel-job.ts';
import { jobReader } from '../../src/pipeline/job-reader.ts';
import { codes, envelope, jobData, queueUnderTest, until } from './queue-under-test.ts';

const keys = keysOf();
const me = { by: 'op@host', reason: null };

async function operatorUnderTest(t: Parameters<typeof queueUnderTest>[0]) {
  const under = await queueUnderTest(t);
  const operator = await openOperator({ jobs: jobReader, url: under.redis.url });
  under.atEnd(() => operator.close());
  return { ...under, operator };
}

/** Waits for the signal to abort a job. */
function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
}

/** Checks what a cancellation told. On a busy machine it may have waited for its end in vain. */
function assertTold(told: Cancelled, wanted: Cancelled): void {
  assert.deepEqual(told, told.did === 'asked' ? told : wanted);
}

test('jobs are listed by state, verdict, code, tenant, age and the beginning of their id', async (t) => {
  const { producer, consume, operator, outcome, queue } = await operatorUnderTest(t);
  const gate = Promise.withResolvers<void>();
  await consume({
    concurrency: 1,
    process: async ({ jobId, kind, data }) => {
      if (jobId === 'runs') await gate.promise;
      if (jobId === 'bad') throw Object.assign(new Error('refused'), { code: 'OPERATOR_TEST' });
      return envelope(kind, data);
    },
  });
  for (const jobId of ['good', 'bad'])
    await producer.submit('generate', jobData({ tenant: 'a', negotiationId: jobId }), { jobId });
  await Promise.all([outcome('good'), outcome('bad')]);
  await producer.submit('generate', jobData({ tenant: 'a', negotiationId: 'runs' }), { jobId: 'runs' });
  await until(async () => (await operator.jobs({ states: ['running'], limit: 9 })).jobs.length === 1);
  await producer.submit('review', jobData({ tenant: 'b', negotiationId: 'w' }), { jobId: 'waits' });
  await queue.add('generate', jobData({ tenant: 'c', negotiationId: 'w' }), { jobId: 'waits-too' });

  const list = async (filter: object) => {
    const { jobs } = await operator.jobs({ limit: 50, ...filter });
    return jobs.map(({ jobId }) => jobId);
  };
  const all = await list({});
  assert.deepEqual([all[0], ...all.slice(-2)], ['runs', 'bad', 'good']);
  assert.deepEqual(new Set(all.slice(1, 3)), new Set(['waits', 'waits-too']));
  assert.deepEqual(await list({ verdict: 'error' }), ['bad']);
  assert.deepEqual(await list({ code: 'OPERATOR_TEST' }), ['bad']);
  assert.deepEqual(await list({ code: 'OPERATOR_OTHER' }), []);
  assert.deepEqual(await list({ tenant: 'a' }), ['runs', 'bad', 'good']);
  assert.deepEqual(await list({ tenant: 'b' }), ['waits']);
  await until(async () => (await list({ tenant: 'c' })).length === 1);
  assert.deepEqual(await list({ idStart: 'go' }), ['good']);
  assert.deepEqual(await list({ untilMs: Date.now() - 3_600_000 }), []);
  assert.deepEqual((await operator.jobs({ limit: 2 })).isCut, true);
  const [listed] = (await operator.jobs({ verdict: 'error', limit: 1 })).jobs;
  assert.deepEqual(
    { ...listed, atMs: 0 },
    {
      jobId: 'bad',
      state: 'ended',
      kind: 'generate',
      tenant: 'a',
      verdict: 'error',
      codes: ['OPERATOR_TEST'],
      atMs: 0,
    },
  );
  assert.equal(await operator.jobIdLike('waits-'), 'waits-too');
  assert.equal(await operator.jobIdLike('waits'), 'waits', 'a whole id is that job');
  await assert.rejects(operator.jobIdLike('wait'), { code: 'JOB_UNKNOWN' });
  assert.equal(await operator.jobIdLike('nobody'), 'nobody');
  gate.resolve();
  await outcome('waits-too');
});

test('a list of many waiting jobs is cut, and says so', async (t) => {
  const { connection, operator } = await operatorUnderTest(t);
  const adding = connection.pipeline();
  for (let index = 0; index < 10_500; index += 1) {
    adding.hset(`${keys.queue}:j-${index}`, 'name', 'generate', 'data', '{}', 'tenant', 'a');
    adding.zadd(`${keys.queue}:prioritized`, 1_024 * 2 ** 32 + index, `j-${index}`);
  }
  await adding.exec();
  const { jobs: found, isCut } = await operator.jobs({ states: ['waiting'], idStart: 'j-10499', limit: 5 });
  assert.deepEqual([found, isCut], [[], true]);
  assert.deepEqual((await operator.jobs({ states: ['waiting'], limit: 2 })).jobs[0]?.jobId, 'j-0');
});

test('a waiting job is cancelled at once, without a worker, and once', async (t) => {
  const { producer, operator, outcome, consume, entries, queue } = await operatorUnderTest(t);
  await producer.submit('generate', jobData(), { jobId: 'waits' });
  assert.deepEqual(await Promise.all([operator.cancel('waits'), operator.cancel('waits')]), [
    { did: 'cancelled' },
    { did: 'cancelled' },
  ]);
  assert.deepEqual(codes(await outcome('waits')), ['JOB_CANCELLED']);
  assert.equal(await queue.getJobCountByTypes('waiting', 'prioritized', 'delayed', 'active'), 0);
  assert.deepEqual((await operator.tenantLoads()).tenants, [], 'it counts as waiting no more');
  assert.deepEqual(await operator.cancel('waits'), { did: 'ended', verdict: 'error' });
  assert.deepEqual(await operator.cancel('nobody'), { did: 'unknown' });
  await consume();
  assert.equal((await entries()).length, 1);
});

test('a running job is cancelled; one that ends at that moment keeps its outcome', async (t) => {
  const { producer, operator, outcome, consume, events, entries } = await operatorUnderTest(t);
  const gate = Promise.withResolvers<void>();
  await consume({
    process: async ({ jobId, kind, data }, signal) => {
      if (jobId === 'deaf') await gate.promise;
      else await untilAborted(signal);
      return envelope(kind, data);
    },
  });
  await producer.submit('generate', jobData({ attempt: 1 }), { jobId: 'hears' });
  await producer.submit('generate', jobData({ attempt: 2 }), { jobId: 'deaf' });
  await until(() => events.filter(({ event }) => event === 'taken').length === 2);
  assertTold(await operator.cancel('hears'), { did: 'cancelled' });
  assert.deepEqual(codes(await outcome('hears')), ['JOB_CANCELLED']);
  const cancelling = operator.cancel('deaf');
  gate.resolve();
  const told = await cancelling;
  const { verdict, findings } = await outcome('deaf');
  // Whoever was faster, the operator is told what counts.
  assertTold(told, findings.length > 0 ? { did: 'cancelled' } : { did: 'ended', verdict });
  assert.equal((await entries()).length, 2);
});

test('a job that ends and is removed while it is looked for is told by its outcome', async (t) => {
  const { connection, producer, queue, outcome, consume } = await operatorUnderTest(t);
  await producer.submit('generate', jobData(), { jobId: 'quick' });
  const slow = Object.create(connection, {
    exists: {
      value: async (key: string) => {
        await consume();
        await outcome('quick');
        await until(async () => (await connection.exists(key)) === 0);
        return 0;
      },
    },
  });
  assert.deepEqual(await cancelJob('quick', queue, slow, keys), { did: 'ended', verdict: 'generated' });
});

test('a job on the intake stream is cancelled', async (t) => {
  const { connection, operator, outcome, consume } = await operatorUnderTest(t);
  await connection.xadd(keys.intake, '*', 'jobId', 'streamed', 'data', JSON.stringify(jobData()));
  const cancelling = operator.cancel('streamed');
  await until(async () => (await connection.exists(keys.cancel('streamed'))) === 1);
  await consume();
  await cancelling;
  assert.deepEqual(codes(await outcome('streamed')), ['JOB_CANCELLED']);
});

test('jobs that ended with a code are put again once, however often that is asked for', async (t) => {
  const { redis, producer, operator, outcome, consume, atEnd } = await operatorUnderTest(t);
  const histories = new HistoryWriter(redis.url, keys, defaultHistoryLimits);
  atEnd(() => histories.close());
  let isMended = false;
  const worked: string[] = [];
  await consume({
    onDelivery: (delivery) => histories.submitted(delivery),
    process: async ({ jobId, kind, data }) => {
      worked.push(jobId);
      if (!isMended) throw Object.assign(new Error('refused'), { code: 'OPERATOR_TEST' });
      return envelope(kind, data);
    },
  });
  const sinceMs = Date.now() - 60_000;
  const sent = [1, 2, 3].map((attempt) => jobData({ attempt: 10 * attempt, replyTo: 'mine', tenant: 'a' }));
  for (const [index, data] of sent.entries()) await producer.submit('generate', data, { jobId: `first-${index}` });
  await producer.submit('generate', jobData({ tenant: 'b' }), { jobId: 'other' });
  for (const jobId of ['first-0', 'first-1', 'first-2', 'other']) await outcome(jobId);
  await until(async () => (await operator.histories.submittedOf('first-2')) !== null);
  isMended = true;

  const meant = await operator.endedWith({ code: 'OPERATOR_TEST', sinceMs, tenant: 'a' });
  assert.deepEqual(
    meant.map(({ jobId }) => jobId),
    ['first-0', 'first-1', 'first-2'],
    'in their order',
  );
  assert.deepEqual(await operator.endedWith({ code: 'OPERATOR_TEST', sinceMs: Date.now() + 60_000 }), []);
  const jobIds = meant.map(({ jobId }) => jobId);
  const runs = await Promise.all([operator.requeue(jobIds), operator.requeue(jobIds)]);
  const newIds = sent.map((data) => jobIdOf({ ...data, attempt: Number(data.attempt) + 1 }));
  for (const jobId of newIds) assert.equal((await outcome(jobId)).verdict, 'generated');
  assert.deepEqual(worked.slice(4).sort(), [...newIds].sort(), 'each ran once');
  for (const { requeued, already } of runs) assert.equal(requeued.length + already.length, 3);
  assert.deepEqual((await operator.requeue(jobIds)).already.sort(), jobIds);
  assert.equal(worked.length, 7);
  assert.deepEqual(await operator.requeue(['gone']), { requeued: [], already: [], notKept: ['gone'] });
});

test('a pause keeps who paused first and why, until it is resumed', async (t) => {
  const { operator, producer, consume, outcome, connection } = await operatorUnderTest(t);
  assert.equal(await operator.pausedBy(), null);
  const first = await operator.pause({ by: 'ann', reason: 'work on Redis' });
  assert.deepEqual([first.by, first.reason], ['ann', 'work on Redis']);
  assert.deepEqual(await operator.pause({ by: 'bob', reason: 'x'.repeat(500) }), first);
  assert.deepEqual(await operator.pausedBy(), first);
  await consume();
  await producer.submit('generate', jobData(), { jobId: 'waits' });
  assert.equal(await operator.resume(), true);
  assert.equal(await operator.resume(), false);
  assert.equal(await operator.pausedBy(), null);
  assert.equal((await outcome('waits')).verdict, 'generated');
  // What is left of a pause that another client ended does not count for the next one.
  await connection.set(keys.pausedBy, JSON.stringify({ by: 'old', reason: null, atMs: 1 }));
  assert.equal((await operator.pause({ by: 'bob', reason: 'x'.repeat(500) })).reason?.length, 200);
  assert.equal((await operator.pausedBy())?.by, 'bob');
  await connection.set(keys.pausedBy, 'no deed');
  assert.equal(await operator.pausedBy(), null);
});

test('outcomes are listed and announced again', async (t) => {
  const { operator, producer, consume, outcome, entries } = await operatorUnderTest(t);
  await consume();
  for (const jobId of ['one', 'two'])
    await producer.submit('generate', jobData({ negotiationId: jobId, replyTo: 'mine' }), { jobId });
  await Promise.all([outcome('one'), outcome('two')]);
  const listed = await operator.outcomeEntries({ replyTo: 'mine', limit: 10 });
  assert.deepEqual(
    new Set(listed.map(({ jobId, verdict, final, replayed }) => `${jobId} ${verdict} ${final} ${replayed}`)),
    new Set(['one generated true false', 'two generated true false']),
  );
  assert.equal((await operator.outcomeEntries({ replyTo: 'mine', limit: 1 })).length, 1);
  const found = await operator.replayable({ jobIds: ['one', 'nobody'] });
  assert.deepEqual(found, [{ jobId: 'one', replyTo: 'mine' }]);
  assert.deepEqual(await operator.replay([...found, { jobId: 'nobody', replyTo: 'mine' }]), {
    replayed: ['one'],
    gone: ['nobody'],
  });
  assert.equal((await operator.replayable({ replyTo: 'mine', sinceMs: 0 })).length, 2);
  assert.deepEqual(await operator.replayable({ replyTo: 'other', sinceMs: 0 }), []);
  const again = (await entries('mine')).at(-1);
  assert.deepEqual([again?.jobId, again?.final, again?.replayed], ['one', '1', '1']);
});

test('shared limits are kept with who set them; what is written by hand is none', async (t) => {
  const { operator, connection } = await operatorUnderTest(t);
  const set = await operator.limits.set('concurrency', 3, { ...me, reason: 'slow model' });
  assert.deepEqual(await operator.limits.all(), [set]);
  assert.deepEqual([set.by, set.reason, set.value], ['op@host', 'slow model', 3]);
  await connection.hset(keys.limits, 'broken', '{', 'nobody', '{"value":1}');
  assert.deepEqual(await operator.limits.all(), [set]);
  assert.equal(await operator.limits.clear('concurrency'), true);
  assert.equal(await operator.limits.clear('concurrency'), false);
});
