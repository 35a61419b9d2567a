import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'bullmq';
import { DEFAULT_PREFIX, jobIdOf, judgeRedis, openOperator, QUEUE_NAME, redisServerPath } from '../../queues/index.ts';
import { jobReader } from '../../src/pipeline/job-reader.ts';
import { codes, envelope, jobData, queueUnderTest, until } from './queue-under-test.ts';

test('dead letters are listed, shown, put on the queue again as new jobs, and discarded', async (t) => {
  const { redis, producer, consume, outcome, atEnd } = await queueUnderTest(t);
  const operator = await openOperator({ jobs: jobReader, url: redis.url });
  atEnd(() => operator.close());
  let broken = true;
  await consume({
    process: async () => {
      if (broken) throw new TypeError('oops');
      return undefined;
    },
  });
  for (const jobId of ['a', 'b']) {
    await producer.submit('generate', jobData({ negotiationId: jobId }), { jobId });
    await outcome(jobId);
  }
  const letters = await until(async () => {
    const found = await operator.deadLetters.list();
    return found.length === 2 && found;
  });
  assert.deepEqual(letters.map((letter) => letter.jobId).sort(), ['a', 'b']);
  assert.equal(await operator.deadLetters.count(), 2);
  const shown = await operator.deadLetters.show('a');
  assert.equal(shown?.letter.negotiationId, 'a');
  assert.match(shown?.letter.failedReason ?? '', /^DEFECT_UNCODED: oops/);
  assert.deepEqual(shown?.data, jobData({ negotiationId: 'a' }));
  assert.equal(shown?.outcome?.verdict, 'error');
  assert.equal((await operator.inspect('a'))?.state, 'failed');

  broken = false;
  const again = await operator.deadLetters.requeue('a');
  assert.match(again.jobId, /^ps-[0-9a-f]{40}$/);
  // The process publishes nothing now: that is a defect too, which proves that the job ran again.
  assert.deepEqual((await outcome(again.jobId)).negotiationId, 'a');
  assert.equal(await operator.deadLetters.show('a'), null);
  assert.equal((await outcome('a')).verdict, 'error');

  await operator.deadLetters.discard('b');
  assert.equal((await operator.inspect('b'))?.outcome?.verdict, 'error');
  assert.equal((await operator.inspect('b'))?.state, 'ended');
  await assert.rejects(operator.deadLetters.discard('b'), { code: 'JOB_NOT_DEAD' });
  await assert.rejects(operator.deadLetters.requeue('none'), { code: 'JOB_NOT_DEAD' });
  assert.equal(await operator.inspect('none'), null);
});

test('a dead letter whose data are not an object stays where it is', async (t) => {
  const { redis, queue, consume, outcome, atEnd } = await queueUnderTest(t);
  const operator = await openOperator({ jobs: jobReader, url: redis.url });
  atEnd(() => operator.close());
  await consume({ process: () => Promise.reject(new TypeError('oops')) });
  for (const [jobId, data] of Object.entries({ text: 'text', list: [1], none: null })) {
    await queue.add('generate', data, { jobId });
    await outcome(jobId);
    await until(async () => (await queue.getJobState(jobId)) === 'failed');
    await assert.rejects(operator.deadLetters.requeue(jobId), { code: 'JOB_INVALID' });
    assert.equal((await operator.deadLetters.show(jobId))?.letter.jobId, jobId);
  }
});

test('a job without an outcome gets one before an operator removes it', async (t) => {
  const { redis, queue, connection, outcome, entries, atEnd } = await queueUnderTest(t);
  const operator = await openOperator({ jobs: jobReader, url: redis.url });
  atEnd(() => operator.close());
  const answered = async (jobId: string) => {
    const found = await outcome(jobId, 5_000);
    assert.deepEqual([found.kind, found.negotiationId, found.verdict], ['review', jobId, 'error']);
    return codes(found);
  };
  const add = (jobId: string, more = {}) =>
    queue.add('review', jobData({ negotiationId: jobId, replyTo: 'mine', timeoutMs: 600_000 }), { jobId, ...more });
  // Failed by a foreign worker: none of ours has seen it yet.
  for (const jobId of ['discarded', 'requeued', 'cleaned', 'reused']) await add(jobId);
  const worker = new Worker(QUEUE_NAME, () => Promise.reject(new Error('crashed')), {
    connection,
    prefix: DEFAULT_PREFIX,
  });
  worker.on('error', () => {});
  await until(async () => (await queue.getFailedCount()) === 4);
  await worker.close();
  await connection.hset(`{protosmith}:code-generation:reused`, 'failedReason', 'JOB_ID_REUSED: Cannot accept job');

  await operator.deadLetters.discard('discarded');
  assert.deepEqual(await answered('discarded'), ['PLATFORM_JOB_GIVEN_UP']);
  await operator.deadLetters.requeue('requeued');
  assert.deepEqual(await answered('requeued'), ['PLATFORM_JOB_GIVEN_UP']);
  await operator.deadLetters.discard('reused');
  assert.equal(await connection.exists('{protosmith}:outcome:reused'), 0);
  assert.deepEqual(await operator.queue.clean(600_000, 0, 'failed'), []);
  assert.deepEqual(await operator.queue.clean(0, 0, 'failed'), ['cleaned']);
  assert.deepEqual(await answered('cleaned'), ['PLATFORM_JOB_GIVEN_UP']);

  await operator.queue.drain();
  for (const [jobId, more] of Object.entries({
    removed: {},
    drained: {},
    urgent: { priority: 3 },
    late: { delay: 9e6 },
  }))
    await add(jobId, more);
  await (await operator.queue.getJob('removed'))?.remove();
  assert.deepEqual(await answered('removed'), ['JOB_CANCELLED']);
  await operator.queue.drain();
  for (const jobId of ['drained', 'urgent']) assert.deepEqual(await answered(jobId), ['JOB_CANCELLED']);
  assert.deepEqual(await operator.queue.getJobCounts('wait', 'prioritized', 'delayed'), {
    wait: 0,
    prioritized: 0,
    delayed: 1,
  });
  await operator.queue.drain(true);
  assert.deepEqual(await answered('late'), ['JOB_CANCELLED']);
  const told = (await entries('mine')).map(({ jobId }) => jobId);
  for (const jobId of ['discarded', 'cleaned', 'late']) assert.equal(told.filter((one) => one === jobId).length, 1);
});

test('a job that is worked on, or whose outcome has expired, is not answered when an operator removes it', async (t) => {
  const { redis, queue, connection, consume, outcome, atEnd } = await queueUnderTest(t);
  const operator = await openOperator({ jobs: jobReader, url: redis.url });
  atEnd(() => operator.close());
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
  await consume({ process: ({ kind, data }) => held.then(() => envelope(kind, data)) });
  await queue.add('generate', jobData({ timeoutMs: 600_000 }), { jobId: 'runs' });
  const job = await until(async () => (await queue.getActiveCount()) === 1 && operator.queue.getJob('runs'));
  await assert.rejects(job.remove(), /locked/);
  letGo();
  assert.equal((await outcome('runs')).verdict, 'generated');

  const weekAgoMs = Date.now() - 7 * 24 * 3_600_000;
  const letter = { name: 'generate', data: '{}', failedReason: 'x', finishedOn: weekAgoMs, timestamp: weekAgoMs };
  await connection.hset('{protosmith}:code-generation:old', letter);
  await connection.zadd('{protosmith}:code-generation:failed', weekAgoMs, 'old');
  await operator.deadLetters.discard('old');
  assert.equal(await connection.exists('{protosmith}:outcome:old'), 0);
});

test('a queue whose jobs do not end in time is told as not drained, with what is left', async (t) => {
  const { redis, queue, producer, consume, outcome, atEnd } = await queueUnderTest(t);
  const operator = await openOperator({ jobs: jobReader, url: redis.url });
  atEnd(() => operator.close());
  const end = Promise.withResolvers<void>();
  await consume({
    concurrency: 1,
    process: async ({ kind, data }) => {
      await end.promise;
      return envelope(kind, data);
    },
  });
  const data = jobData({ timeoutMs: 600_000 });
  await producer.submit('generate', data, { jobId: 'runs' });
  await until(async () => (await queue.getActiveCount()) === 1);
  await producer.submit('generate', data, { jobId: 'waits' });
  await queue.add('generate', data, { jobId: 'urgent', priority: 3 });
  const left = { drained: false, active: 1, waiting: 2 };
  assert.deepEqual(await operator.drain({ untilMs: Date.now() }), left);
  const stopped = { untilMs: Date.now() + 600_000, signal: AbortSignal.abort() };
  assert.deepEqual(await operator.drain(stopped), left);
  end.resolve();
  assert.deepEqual(await operator.drain({ untilMs: Date.now() + 60_000 }), { ...left, drained: true, active: 0 });
  await operator.resume();
  for (const jobId of ['waits', 'urgent']) assert.equal((await outcome(jobId)).verdict, 'generated');
});

test('a drained queue hands out no jobs until it is resumed', async (t) => {
  const { redis, producer, consume, outcome, atEnd } = await queueUnderTest(t);
  const operator = await openOperator({ jobs: jobReader, url: redis.url });
  atEnd(() => operator.close());
  await consume();
  assert.deepEqual(await operator.drain({ untilMs: Date.now() + 5_000 }), { drained: true, active: 0, waiting: 0 });
  await producer.submit('generate', jobData(), { jobId: 'a' });
  assert.equal(await producer.waitForOutcome('a', { untilMs: Date.now() + 500 }), null);
  assert.equal((await operator.snapshot()).paused, true);
  await operator.resume();
  assert.equal((await outcome('a')).verdict, 'generated');
});

test('a snapshot counts jobs, ages, streams and what readers have not seen', async (t) => {
  const { redis, producer, connection, consume, outcome, atEnd } = await queueUnderTest(t);
  const operator = await openOperator({ jobs: jobReader, url: redis.url });
  atEnd(() => operator.close());
  const consumer = await consume({ concurrency: 1 });
  await producer.submit('generate', jobData({ replyTo: 'mine' }), { jobId: 'a' });
  await outcome('a');
  await consumer.close({ drainMs: 1_000 });
  await connection.xgroup('CREATE', '{protosmith}:outcomes:mine', 'reader', '0');
  await producer.submit('generate', jobData(), { jobId: 'waits' });
  const snapshot = await operator.snapshot();
  assert.equal(snapshot.counts.prioritized, 1);
  assert.ok((snapshot.oldestWaitingAgeSeconds ?? -1) >= 0);
  assert.equal(snapshot.oldestFailedAgeSeconds, null);
  assert.deepEqual(
    snapshot.outcomes.map(({ replyTo, length, groups }) => ({
      replyTo,
      length,
      groups: groups.map((group) => group.name),
    })),
    [{ replyTo: 'mine', length: 1, groups: ['reader'] }],
  );
  assert.equal(snapshot.outcomes[0]?.groups[0]?.pending, 0);
  assert.ok(Math.abs(snapshot.redis.clockAheadMs) < 5_000);
});

test('an entry of the intake stream that nobody bridges waits, and is the oldest', async (t) => {
  const { redis, producer, connection, atEnd } = await queueUnderTest(t);
  const operator = await openOperator({ jobs: jobReader, url: redis.url });
  atEnd(() => operator.close());
  assert.equal((await operator.snapshot()).oldestWaitingAgeSeconds, null);
  await connection.xadd('{protosmith}:intake', `${Date.now() - 3_600_000}-0`, 'data', JSON.stringify(jobData()));
  await producer.submit('generate', jobData(), { jobId: 'younger' });
  const { oldestWaitingAgeSeconds, intake } = await operator.snapshot();
  assert.equal(intake.length, 1);
  assert.ok((oldestWaitingAgeSeconds ?? 0) > 3_590, `${oldestWaitingAgeSeconds} s`);
});

test('a job that still stands on the intake stream is found there, under the id it will have', async (t) => {
  const { redis, connection, atEnd } = await queueUnderTest(t);
  const operator = await openOperator({ jobs: jobReader, url: redis.url });
  atEnd(() => operator.close());
  const data = jobData({ attempt: 3 });
  await connection.xadd('{protosmith}:intake', '*', 'jobId', 'mine', 'kind', 'review', 'data', '{"a":');
  await connection.xadd('{protosmith}:intake', '*', 'data', JSON.stringify(data));
  const { state, kind, data: found } = (await operator.inspect(jobIdOf(data))) ?? {};
  assert.deepEqual([state, kind, found], ['intake', 'generate', data]);
  const other = await operator.inspect('mine');
  assert.deepEqual([other?.state, other?.kind, other?.data], ['intake', 'review', '{"a":']);
  assert.equal(await operator.inspect('none'), null);
});

test('how long a job waits is told by the moment that Redis took it, where its producer clock is off', async (t) => {
  const { redis, queue, consume, atEnd } = await queueUnderTest(t);
  const operator = await openOperator({ jobs: jobReader, url: redis.url });
  atEnd(() => operator.close());
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
  await consume({ concurrency: 1, process: ({ kind, data }) => held.then(() => envelope(kind, data)) });
  await queue.add('generate', jobData({ attempt: 1 }), { jobId: 'ahead' });
  await until(async () => (await operator.snapshot()).counts.active === 1);
  const slow = { jobId: 'slow-clock', timestamp: Date.now() - 3_600_000 };
  await queue.add('generate', jobData({ timeoutMs: 600_000 }), slow);
  await until(async () => ((await operator.snapshot()).oldestWaitingAgeSeconds ?? 3_600) < 600);
  assert.equal((await operator.snapshot()).counts.waiting, 1);
  letGo();
});

test('an operator hears at once that Redis cannot be reached', async () => {
  await assert.rejects(openOperator({ jobs: jobReader, url: 'redis://127.0.0.1:1', connectWithinMs: 300 }), {
    code: 'PLATFORM_REDIS_UNREACHABLE',
  });
});

test('a Redis that evicts or keeps nothing is judged so', {
  skip: redisServerPath() === undefined ? 'needs a real redis-server: the embedded one has no such settings' : false,
}, async (t) => {
  const { redis, connection, atEnd } = await queueUnderTest(t);
  const operator = await openOperator({ jobs: jobReader, url: redis.url });
  atEnd(() => operator.close());
  const judged = async (durable = false) =>
    judgeRedis(await operator.redisFacts(), { durable }).map(({ code, severity }) => `${severity} ${code}`);
  assert.deepEqual(await judged(), ['warning OPERATOR_REDIS_NOT_DURABLE']);
  assert.deepEqual(await judged(true), ['error OPERATOR_REDIS_NOT_DURABLE']);
  await connection.config('SET', 'appendonly', 'yes');
  assert.deepEqual(await judged(true), []);
  await connection.config('SET', 'maxmemory-policy', 'allkeys-lru');
  assert.deepEqual(await judged(), ['error OPERATOR_REDIS_EVICTS']);
  await connection.config('SET', 'maxmemory-policy', 'noeviction');
  const { usedMemoryBytes } = await operator.redisFacts();
  await connection.config('SET', 'maxmemory', String(Math.round((usedMemoryBytes ?? 0) * 1.2)));
  assert.deepEqual(await judged(), ['warning OPERATOR_REDIS_NEARLY_FULL']);
  await connection.config('SET', 'maxmemory', '0');
});
