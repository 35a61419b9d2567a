import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { INTAKE_GROUP, jobIdOf } from '../../queues/index.ts';
import { readJob } from '../../src/intake/read-job.ts';
import { assertBetween, codes, envelope, jobData, queueUnderTest, takenAt, until } from './queue-under-test.ts';
import { workerProcesses } from './worker-processes.ts';

const intake = '{protosmith}:intake';

test('a job by plain XADD is done under the recommended id, and leaves the stream', async (t) => {
  const { connection, consume, outcome } = await queueUnderTest(t);
  await consume();
  const data = jobData();
  await connection.xadd(intake, '*', 'data', JSON.stringify(data));
  const found = await outcome(jobIdOf(data));
  assert.equal(found.kind, 'generate');
  assert.equal(found.verdict, 'generated');
  await until(async () => (await connection.xlen(intake)) === 0);
});

test('kind and id may be given; an id that cannot be used is replaced', async (t) => {
  const { connection, consume, outcome } = await queueUnderTest(t);
  await consume();
  await connection.xadd(intake, '*', 'kind', 'review', 'jobId', 'mine', 'data', JSON.stringify(jobData()));
  assert.equal((await outcome('mine')).kind, 'review');
  for (const [attempt, jobId] of ['17', '-5', 'NaN', 'a:b'].entries()) {
    const other = jobData({ attempt });
    await connection.xadd(intake, '*', 'jobId', jobId, 'data', JSON.stringify(other));
    assert.equal((await outcome(jobIdOf(other))).verdict, 'generated', jobId);
  }
});

test('the same data reviewed first are another job, under an id of its own, and no job fails', async (t) => {
  const { connection, consume, outcome, queue } = await queueUnderTest(t);
  await consume();
  const data = jobData();
  const add = (kind: string, given = data) => connection.xadd(intake, '*', 'kind', kind, 'data', JSON.stringify(given));
  await add('review');
  assert.equal((await outcome(jobIdOf(data))).kind, 'review');
  await add('generate');
  assert.equal((await outcome(`${jobIdOf(data)}-generate`)).kind, 'generate');
  // Also at the same time.
  const other = jobData({ attempt: 1 });
  await Promise.all(['generate', 'review', 'generate'].map((kind) => add(kind, other)));
  const kinds = async () => {
    const ids = [jobIdOf(other), ...['generate', 'review'].map((kind) => `${jobIdOf(other)}-${kind}`)];
    const texts = await connection.mget(ids.map((id) => `{protosmith}:outcome:${id}`));
    return texts.flatMap((text) => (text === null ? [] : [JSON.parse(text).kind])).sort();
  };
  await until(async () => (await kinds()).length === 2);
  assert.deepEqual(await kinds(), ['generate', 'review']);
  await until(async () => (await connection.xlen(intake)) === 0);
  assert.equal(await queue.getFailedCount(), 0);
});

test('the same entry many times is one job', async (t) => {
  const { connection, consume, outcome, events } = await queueUnderTest(t);
  let worked = 0;
  await consume({
    process: async ({ kind, data }) => {
      worked += 1;
      await sleep(300);
      return envelope(kind, data);
    },
  });
  const data = jobData();
  for (let count = 0; count < 5; count += 1) await connection.xadd(intake, '*', 'data', JSON.stringify(data));
  await outcome(jobIdOf(data));
  await until(() => events.filter((event) => event.event === 'bridged').length === 5);
  assert.equal(worked, 1);
});

test('a job that is on the queue already was taken when it came there, not when it is put again', async (t) => {
  const { queue, connection, consume, outcome } = await queueUnderTest(t);
  const data = jobData({ timeoutMs: 600_000 });
  const beforeMs = Date.now();
  await queue.add('generate', data, { jobId: jobIdOf(data) });
  const afterMs = Date.now();
  await sleep(100);
  await connection.xadd(intake, '*', 'data', JSON.stringify(data));
  const taken: number[] = [];
  // The first delivery may come before the entry is bridged, the second comes after it.
  await consume({
    process: async ({ jobId, kind, data: given, delivery }) => {
      taken.push(await takenAt(connection, jobId));
      if (delivery > 1) return envelope(kind, given);
      await until(async () => (await connection.xlen(intake)) === 0);
      throw Object.assign(new Error('once'), { code: 'PLATFORM_ONCE', retryAfterMs: 10 });
    },
  });
  await outcome(jobIdOf(data));
  assert.equal(taken.length, 2);
  for (const atMs of taken) assertBetween(beforeMs, atMs, afterMs);
});

test('an entry that is no job is answered, not dropped', async (t) => {
  const { connection, consume, outcome } = await queueUnderTest(t);
  const seen: unknown[] = [];
  await consume({
    process: async ({ kind, data }) => {
      seen.push(data);
      return envelope(kind, data, 'error');
    },
  });
  await connection.xadd(intake, '*', 'data', '{"a":');
  await connection.xadd(intake, '*', 'nothing', 'here');
  await outcome(jobIdOf('{"a":'));
  await outcome(jobIdOf(null));
  assert.deepEqual(seen.sort(), ['{"a":', null].sort());
});

test('a number that no double holds reaches the work as one, by stream and by client', async (t) => {
  const { connection, producer, consume, outcome } = await queueUnderTest(t);
  const seen: unknown[] = [];
  await consume({
    process: async ({ kind, data }) => {
      seen.push(data);
      return envelope(kind, data, 'error');
    },
  });
  const streamed = JSON.parse('{"a":[1e400],"by":"stream"}');
  await connection.xadd(intake, '*', 'data', '{"a":[1e400],"by":"stream"}');
  await outcome(jobIdOf(streamed));
  const submitted = JSON.parse('{"a":-1e400,"by":"client"}');
  const { jobId } = await producer.submit('generate', submitted);
  await outcome(jobId);
  assert.deepEqual(await producer.submit('generate', submitted), { jobId });
  assert.deepEqual(seen, [streamed, submitted]);
});

test('an entry that is nested too deeply to be written again is answered as that, and leaves the stream', async (t) => {
  const { connection, consume, outcome } = await queueUnderTest(t);
  await consume({
    process: async ({ kind, data }) => {
      const reading = readJob(kind, data);
      assert.deepEqual(reading.ok ? [] : reading.faults.map(({ code }) => code), ['JOB_TOO_DEEP']);
      return envelope(kind, data, 'error');
    },
  });
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const text = JSON.stringify(jobData({ negotiationId: 'deep' })).replace('{', `{"tools":${deep},`);
  await connection.xadd(intake, '*', 'jobId', 'deep', 'data', text);
  await connection.xadd(intake, '*', 'jobId', 'deeper', 'data', `{"a":${deep}}`);
  assert.equal((await outcome('deep')).negotiationId, 'deep');
  await outcome('deeper');
  await until(async () => (await connection.xlen(intake)) === 0);
});

test('an entry that a dead bridge had taken is taken over, and its time counts from its adding', async (t) => {
  const { connection, consume, outcome } = await queueUnderTest(t);
  const data = jobData({ timeoutMs: 100_000 });
  await connection.xgroup('CREATE', intake, INTAKE_GROUP, '0', 'MKSTREAM');
  const beforeMs = Date.now();
  const id = (await connection.xadd(intake, '*', 'data', JSON.stringify(data))) ?? '';
  const afterMs = Date.now();
  await connection.xreadgroup('GROUP', INTAKE_GROUP, 'dead', 'STREAMS', intake, '>');
  // As if it had been read long ago.
  await connection.call('XCLAIM', intake, INTAKE_GROUP, 'dead', '0', id, 'IDLE', '60000');
  await sleep(100);
  let takenAtMs = 0;
  await consume({
    process: async (delivery) => {
      takenAtMs = await takenAt(connection, delivery.jobId);
      return envelope(delivery.kind, delivery.data);
    },
  });
  assert.equal((await outcome(jobIdOf(data))).verdict, 'generated');
  assertBetween(beforeMs, takenAtMs, afterMs);
});

test('what its reader closed is announced to whoever asks for it again, by the stream or with a clock that is off', async (t) => {
  const { queue, connection, producer, consume, entries, events } = await queueUnderTest(t);
  const data = jobData({ timeoutMs: 600_000, replyTo: 'mine' });
  const timestamp = Date.now() + 3_600_000;
  const put = [
    () => connection.xadd(intake, '*', 'jobId', 'streamed', 'data', JSON.stringify(data)),
    () => queue.add('generate', data, { jobId: 'ahead', timestamp }),
  ];
  for (const add of put) await add();
  await sleep(20);
  for (const jobId of ['streamed', 'ahead']) await producer.closeExpired(jobId, { kind: 'generate', data });
  await consume();
  const told = async () => (await entries('mine')).flatMap(({ jobId, replayed }) => (replayed === '1' ? [jobId] : []));
  await until(() => events.filter(({ event }) => event === 'suppressed').length === 2);
  await until(async () => (await queue.getJobCountByTypes('active', 'waiting', 'prioritized')) === 0);
  assert.deepEqual(await told(), []);
  for (const add of put) await add();
  await until(async () => (await told()).length === 2);
});

test('the same job again after its outcome has expired has all its time again', async (t) => {
  const { queue, connection, consume, outcome } = await queueUnderTest(t);
  const taken = new Map<string, number>();
  await consume({
    process: async ({ jobId, kind, data: given }) => {
      taken.set(jobId, await takenAt(connection, jobId));
      return envelope(kind, given);
    },
  });
  const data = jobData({ timeoutMs: 100_000 });
  const timestamp = Date.now() + 600_000;
  const puts = {
    streamed: () => connection.xadd(intake, '*', 'jobId', 'streamed', 'data', JSON.stringify(data)),
    ahead: () => queue.add('generate', data, { jobId: 'ahead', timestamp }),
  };
  for (const [jobId, add] of Object.entries(puts)) {
    await add();
    await outcome(jobId);
  }
  await until(async () => (await queue.getJobCountByTypes('active', 'waiting', 'prioritized')) === 0);
  await sleep(100);
  await connection.del('{protosmith}:outcome:streamed', '{protosmith}:outcome:ahead');
  for (const [jobId, add] of Object.entries(puts)) {
    const beforeMs = Date.now();
    await add();
    await outcome(jobId);
    assertBetween(beforeMs, taken.get(jobId), Date.now());
  }
});

test('entries in whose place something else stands, however many a dead bridge has left of them, are done with the others', async (t) => {
  const { connection, consume, outcome } = await queueUnderTest(t);
  await connection.xgroup('CREATE', intake, INTAKE_GROUP, '0', 'MKSTREAM');
  const ids: string[] = [];
  const add = async (attempt: number) => {
    const data = jobData({ attempt });
    ids.push((await connection.xadd(intake, '*', 'data', JSON.stringify(data))) ?? '');
    return jobIdOf(data);
  };
  const jobIds: string[] = [];
  // The job's key holds something else.
  for (let count = 0; count < 60; count += 1) {
    const jobId = await add(count);
    jobIds.push(jobId);
    await connection.set(`{protosmith}:code-generation:${jobId}`, '');
  }
  const last = await add(100);
  await connection.xreadgroup('GROUP', INTAKE_GROUP, 'dead', 'STREAMS', intake, '>');
  await connection.call('XCLAIM', intake, INTAKE_GROUP, 'dead', '0', ...ids, 'IDLE', '60000');
  await consume();
  for (const jobId of [last, ...jobIds]) assert.equal((await outcome(jobId)).verdict, 'generated');
  await until(async () => (await connection.xlen(intake)) === 0);
});

test('an entry that a worker took and let lie has its outcome in time, with another worker there', async (t) => {
  const { redis, connection, consume, outcome, entries } = await queueUnderTest(t);
  const workers = workerProcesses(t, redis.url);
  const still = await workers.start();
  const first = jobIdOf(jobData());
  await connection.xadd(intake, '*', 'data', JSON.stringify(jobData()));
  await outcome(first);
  still.child.kill('SIGSTOP');
  // A frozen worker has a pending read and gets the next entry.
  const data = jobData({ timeoutMs: 10_000, attempt: 1 });
  await until(async () => {
    await connection.xadd(intake, '*', 'data', JSON.stringify(data));
    return ((await connection.xpending(intake, INTAKE_GROUP))[0] as number) > 0;
  });
  await consume();
  assert.equal((await outcome(jobIdOf(data))).verdict, 'generated');
  await until(async () => (await connection.xlen(intake)) === 0);
  still.child.kill('SIGCONT');
  await outcome(jobIdOf(data));
  assert.equal(
    (await entries()).filter(
      ({ jobId, final, replayed }) => jobId === jobIdOf(data) && final === '1' && replayed === '0',
    ).length,
    1,
  );
});

test('an entry whose deadline comes before any bridge has it is ended at that', async (t) => {
  const { connection, queue, consume, outcome, entries } = await queueUnderTest(t);
  await queue.pause();
  await consume({ intake: false });
  await until(() => connection.exists('{protosmith}:lease:keeper'));
  const data = jobData({ timeoutMs: 2_000, replyTo: 'mine' });
  // Never read, read by a dead worker, and read under an unknown name.
  await connection.xgroup('CREATE', intake, INTAKE_GROUP, '0', 'MKSTREAM');
  await connection.xadd(intake, '*', 'jobId', 'taken', 'data', JSON.stringify(data));
  await connection.xreadgroup('GROUP', INTAKE_GROUP, 'dead', 'STREAMS', intake, '>');
  await connection.xadd(intake, '*', 'jobId', 'unread', 'data', JSON.stringify({ ...data, attempt: 1 }));
  // Its id is not a real time.
  await connection.xadd(intake, '99999999999999-0', 'jobId', 'ahead', 'data', JSON.stringify({ ...data, attempt: 2 }));
  for (const jobId of ['taken', 'unread', 'ahead'])
    assert.deepEqual(codes(await outcome(jobId)), ['PLATFORM_DEADLINE']);
  assert.equal((await entries('mine')).length, 3);
  await until(async () => (await connection.exists('{protosmith}:deadlines')) === 0);
  assert.deepEqual([await connection.xlen(intake), await queue.getJobCountByTypes('waiting', 'prioritized')], [0, 0]);
});

test('an entry that the queue does not take has its outcome at its deadline all the same', async (t) => {
  const { connection, consume, outcome, entries } = await queueUnderTest(t);
  // BullMQ increments it with each job that it adds.
  await connection.set('{protosmith}:code-generation:id', 'by hand');
  await consume();
  const data = jobData({ timeoutMs: 3_000, replyTo: 'mine' });
  await connection.xadd(intake, '*', 'jobId', 'refused', 'data', JSON.stringify(data));
  await connection.xadd(intake, '*', 'jobId', 'no-kind', 'kind', '', 'data', JSON.stringify(data));
  assert.deepEqual(codes(await outcome('refused')), ['PLATFORM_DEADLINE']);
  await outcome('no-kind');
  assert.deepEqual((await entries('mine')).map(({ jobId }) => jobId).sort(), ['no-kind', 'refused']);
  await until(async () => (await connection.xlen(intake)) === 0);
});
