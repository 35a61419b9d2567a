import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Queue, QueueEvents } from 'bullmq';
import {
  connect,
  createProducer,
  dataDigestOf,
  disconnect,
  keysOf,
  publishScript,
  type QueueEvent,
  redisServerPath,
  whenReady,
} from '../../queues/index.ts';
import { jobReader } from '../../src/pipeline/job-reader.ts';
import { errorEnvelope } from '../../src/pipeline/outcome-of.ts';
import { reportFault } from '../system/fault-report.ts';
import { assertBetween, codes, envelope, jobData, queueUnderTest, takenAt, until } from './queue-under-test.ts';

class Coded extends Error {
  readonly code: string;
  readonly retryAfterMs: number | undefined;

  constructor(code: string, retryAfterMs?: number) {
    super(`found ${code}`);
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }
}

test('a job gets one outcome: the key, one stream entry with exactly the fields of the contract, a pointer as return value', async (t) => {
  const { queue, connection, redis, consume, outcome, entries, atEnd } = await queueUnderTest(t);
  const blocking = connect(redis.url, 'worker');
  const events = new QueueEvents(queue.name, { connection: blocking, prefix: '{protosmith}' });
  atEnd(() => events.close());
  atEnd(() => disconnect(blocking));
  await events.waitUntilReady();
  const returned = new Promise<unknown>((resolve) => events.on('completed', (event) => resolve(event.returnvalue)));
  await consume();
  const data = jobData({ replyTo: 'mine' });
  // Like a foreign producer: with BullMQ alone.
  await queue.add('generate', data, { jobId: 'job-1' });
  const found = await outcome('job-1');
  assert.equal(found.jobId, 'job-1');
  assert.equal(found.dataDigest, dataDigestOf(data));
  assert.deepEqual(await entries('mine'), [
    {
      jobId: 'job-1',
      negotiationId: 'n-1',
      kind: 'generate',
      verdict: 'generated',
      messages: '[{"action":"codeGeneration","status":"generated"}]',
      protocolHash: createHash('sha256').update('# X').digest('hex'),
      final: '1',
      replayed: '0',
    },
  ]);
  const leftSeconds = await connection.ttl('{protosmith}:outcome:job-1');
  assert.ok(leftSeconds > 7 * 86_400 - 60 && leftSeconds <= 7 * 86_400);
  assert.deepEqual(await returned, { verdict: 'generated', outcomeKey: '{protosmith}:outcome:job-1' });
});

test('the same job again is announced again, and nothing is done twice', async (t) => {
  const { queue, consume, outcome, entries } = await queueUnderTest(t);
  let worked = 0;
  await consume({
    process: async ({ kind, data }) => {
      worked += 1;
      return envelope(kind, data);
    },
  });
  const data = jobData();
  await queue.add('generate', data, { jobId: 'job-1' });
  await outcome('job-1');
  await until(async () => (await queue.getJob('job-1')) === undefined);
  await queue.add('generate', JSON.parse(JSON.stringify({ ...data, role: data.role })), { jobId: 'job-1' });
  const both = await until(async () => {
    const found = await entries();
    return found.length === 2 && found;
  });
  const [first, second] = both;
  assert.deepEqual(second, { ...first, replayed: '1' });
  assert.equal(worked, 1);
});

test('an id that has an outcome for other data fails, and the outcome stays', async (t) => {
  const { queue, consume, outcome, entries } = await queueUnderTest(t);
  await consume();
  await queue.add('generate', jobData(), { jobId: 'job-1' });
  const before = await outcome('job-1');
  await until(async () => (await queue.getJob('job-1')) === undefined);
  await queue.add('generate', jobData({ attempt: 1 }), { jobId: 'job-1' });
  const failed = await until(async () => {
    const job = await queue.getJob('job-1');
    return job?.failedReason ? job : undefined;
  });
  assert.match(failed.failedReason, /^JOB_ID_REUSED/);
  assert.deepEqual(await outcome('job-1'), before);
  assert.equal((await entries()).length, 1);
});

test('an id that has an outcome for another kind fails; our own ids tell the kinds apart where they must', async (t) => {
  const { queue, producer, consume, outcome } = await queueUnderTest(t);
  await consume();
  const data = jobData();
  const { jobId } = await producer.submit('review', data);
  assert.equal((await outcome(jobId)).kind, 'review');
  await until(async () => (await queue.getJob(jobId)) === undefined);
  await queue.add('generate', data, { jobId });
  const failed = await until(async () => {
    const job = await queue.getJob(jobId);
    return job?.failedReason ? job : undefined;
  });
  assert.match(failed.failedReason, /^JOB_ID_REUSED: .*another kind/);
  await assert.rejects(producer.submit('generate', data, { jobId }), { code: 'JOB_ID_REUSED' });

  const generate = await producer.submit('generate', data);
  assert.equal(generate.jobId, `${jobId}-generate`);
  assert.equal((await outcome(generate.jobId)).kind, 'generate');
  assert.deepEqual(await producer.submit('generate', data), generate);
});

test('of two kinds under one id at the same moment both are done', async (t) => {
  const { producer, consume, outcome } = await queueUnderTest(t);
  const data = jobData();
  const review = await producer.submit('review', data);
  const generate = await producer.submit('generate', data);
  await consume();
  assert.equal((await outcome(review.jobId)).kind, 'review');
  assert.equal((await outcome(generate.jobId)).kind, 'generate');
});

test('an automatic id fails and gets a stream entry only', async (t) => {
  const { queue, connection, consume, entries } = await queueUnderTest(t);
  let worked = 0;
  await consume({
    process: async ({ kind, data }) => {
      worked += 1;
      return envelope(kind, data);
    },
  });
  const job = await queue.add('generate', jobData());
  const [entry] = await until(async () => {
    const found = await entries();
    return found.length > 0 && found;
  });
  assert.equal(entry?.verdict, 'error');
  assert.equal(entry?.jobId, job.id);
  assert.equal(entry?.final, '1');
  const failed = await until(async () => {
    const found = await queue.getJob(job.id ?? '');
    return found?.failedReason ? found : undefined;
  });
  assert.match(failed.failedReason, /^JOB_ID_MISSING/);
  assert.equal(await connection.exists(`{protosmith}:outcome:${job.id}`), 0);
  assert.equal(worked, 0);
});

test('an id that BullMQ refuses, written by hand, ends with an error of its own', async (t) => {
  const { connection, consume, outcome, entries } = await queueUnderTest(t);
  let worked = 0;
  await consume({
    process: async ({ kind, data }) => {
      worked += 1;
      return envelope(kind, data);
    },
  });
  for (const jobId of ['neg:17', '-5', 'x'.repeat(201)]) {
    const job = { name: 'generate', data: JSON.stringify(jobData()), opts: '{}', timestamp: Date.now(), delay: 0 };
    await connection.hset(`{protosmith}:code-generation:${jobId}`, job);
    await connection.lpush('{protosmith}:code-generation:wait', jobId);
    await connection.zadd('{protosmith}:code-generation:marker', 0, '0');
    const found = await outcome(jobId);
    assert.deepEqual(codes(found), ['JOB_ID_INVALID']);
    assert.deepEqual(found.messages, [{ action: 'codeGeneration', status: 'error' }]);
  }
  assert.equal((await entries()).length, 3);
  assert.equal(worked, 0);
});

test('whoever publishes first wins: a worker publishes nothing for a job that its reader closed', async (t) => {
  const { producer, connection, consume, outcome, entries, events } = await queueUnderTest(t);
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  await consume({
    process: async ({ kind, data }) => {
      await finished;
      return envelope(kind, data);
    },
  });
  const data = jobData();
  await producer.submit('generate', data, { jobId: 'job-1' });
  await until(() => events.some((event) => event.event === 'taken'));
  const closed = JSON.stringify({
    ...errorEnvelope('generate', data, { code: 'READER_DEADLINE', message: 'x' }),
    jobId: 'job-1',
    dataDigest: dataDigestOf(data),
  });
  // Like a reader in any language: with the published script.
  const keys = ['{protosmith}:outcome:job-1', '{protosmith}:outcomes:default'] as const;
  const answer = await connection.eval(
    publishScript,
    2,
    ...keys,
    closed,
    604_800,
    'job-1',
    'n-1',
    'generate',
    'error',
    '[]',
    '',
  );
  assert.equal(answer, 1);
  finish();
  await until(() => events.some((event) => event.event === 'suppressed'));
  const found = await outcome('job-1');
  assert.deepEqual(found.findings, [{ code: 'READER_DEADLINE', severity: 'error', in: 'job', message: 'x' }]);
  assert.equal((await entries()).length, 1);
});

test('workers that come back add nothing to what its reader closed, however much stands on the stream behind it', async (t) => {
  const { queue, connection, producer, consume, entries, events } = await queueUnderTest(t);
  const data = jobData({ timeoutMs: 600_000 });
  await queue.add('generate', data, { jobId: 'closed' });
  await producer.closeExpired('closed', { kind: 'generate', data });
  const others = connection.pipeline();
  const entry = ['jobId', 'other', 'final', '1', 'replayed', '0'];
  for (let n = 0; n < 1_100; n += 1) others.xadd('{protosmith}:outcomes:default', '*', ...entry);
  await others.exec();
  await consume();
  await until(() => events.find(({ event }) => event === 'suppressed' || event === 'replayed'));
  assert.equal((await entries()).filter(({ jobId }) => jobId === 'closed').length, 1);
});

test('data that are no JSON, or nothing to be read, reach the work as they are', async (t) => {
  const { queue, connection, consume, outcome } = await queueUnderTest(t);
  const seen: unknown[] = [];
  for (const [jobId, text] of [
    ['broken', '{"a":'],
    ['nothing', 'null'],
    ['infinite', '{"a":1e400}'],
    ['surrogate', '{"a":"\\ud800"}'],
  ] as const) {
    await queue.add('generate', {}, { jobId });
    await connection.hset(`{protosmith}:code-generation:${jobId}`, 'data', text);
  }
  await consume({
    concurrency: 1,
    process: async ({ kind, data, rawBytes }) => {
      seen.push(data, rawBytes);
      return envelope(kind, data, 'error');
    },
  });
  for (const jobId of ['broken', 'nothing', 'infinite', 'surrogate']) {
    assert.match((await outcome(jobId)).dataDigest ?? '', /^[0-9a-f]{64}$/);
  }
  // Those without a tenant and those of the default one take turns.
  const inOrder = ['{"a":', 5, { a: Number.POSITIVE_INFINITY }, 11, null, 4, { a: '\ud800' }, 14];
  assert.deepEqual(seen, inOrder);
});

test('a job is cancelled by its key, running or waiting', async (t) => {
  const { producer, connection, consume, outcome, events } = await queueUnderTest(t);
  await connection.set('{protosmith}:cancel:waiting', '1', 'EX', 600);
  const worked: string[] = [];
  await consume({
    process: ({ jobId }, signal) => {
      worked.push(jobId);
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    },
  });
  await producer.submit('generate', jobData(), { jobId: 'running' });
  await producer.submit('generate', jobData(), { jobId: 'waiting' });
  await until(() => events.some((event) => event.event === 'taken' && event.jobId === 'running'));
  await connection.set('{protosmith}:cancel:running', '1', 'EX', 600);
  for (const jobId of ['waiting', 'running']) {
    const found = await outcome(jobId);
    assert.equal(found.verdict, 'error');
    assert.deepEqual(codes(found), ['JOB_CANCELLED']);
    assert.deepEqual(found.messages, [{ action: 'codeGeneration', status: 'error' }]);
  }
  assert.deepEqual(worked, ['running']);
});

test('work that does not hear that it was cancelled is left behind', async (t) => {
  const { producer, consume, outcome, events } = await queueUnderTest(t);
  await consume({ process: () => new Promise(() => {}) });
  await producer.submit('generate', jobData({ timeoutMs: 120_000 }), { jobId: 'deaf' });
  await until(() => events.some((event) => event.event === 'taken'));
  await producer.cancel('deaf');
  assert.deepEqual(codes(await outcome('deaf')), ['JOB_CANCELLED']);
});

test('a job that supersedes another cancels it', async (t) => {
  const { producer, consume, outcome, events } = await queueUnderTest(t);
  await consume({
    process: ({ jobId, kind, data }, signal) =>
      jobId === 'new'
        ? Promise.resolve(envelope(kind, data))
        : new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  });
  await producer.submit('generate', jobData({ timeoutMs: 120_000 }), { jobId: 'old' });
  await until(() => events.some((event) => event.event === 'taken'));
  await producer.submit('generate', jobData({ supersedes: 'old' }), { jobId: 'new' });
  assert.equal((await outcome('new')).verdict, 'generated');
  assert.deepEqual(codes(await outcome('old')), ['JOB_CANCELLED']);
});

test('a job supersedes none of another tenant, and says the same of one that there is not', async (t) => {
  const { producer, connection, consume, outcome, events } = await queueUnderTest(t);
  const { promise: end, resolve } = Promise.withResolvers<void>();
  await consume({
    process: ({ jobId, kind, data }) => (jobId === 'old' ? end : Promise.resolve()).then(() => envelope(kind, data)),
  });
  const data = (more: object) => jobData({ timeoutMs: 120_000, tenant: 'thief', ...more });
  await producer.submit('generate', jobData({ timeoutMs: 120_000, tenant: 'owner' }), { jobId: 'old' });
  await until(() => events.some((event) => event.event === 'taken'));
  const said = [];
  for (const [jobId, supersedes] of Object.entries({ other: 'old', nobody: 'never-was' })) {
    await producer.submit('generate', data({ supersedes }), { jobId });
    said.push((await outcome(jobId)).findings);
  }
  assert.equal(await connection.exists(keysOf().cancel('old'), keysOf().cancel('never-was')), 0);
  resolve();
  assert.equal((await outcome('old')).verdict, 'generated');
  // The message does not tell whether that job has ended or is running.
  await producer.submit('generate', data({ supersedes: 'old', attempt: 9 }), { jobId: 'after' });
  said.push((await outcome('after')).findings);
  for (const findings of said) {
    const [{ message, ...rest } = { message: '' }] = findings as { message?: string }[];
    assert.deepEqual(rest, { code: 'JOB_SUPERSEDES_IGNORED', severity: 'warning', in: 'job', pointer: '/supersedes' });
    assert.deepEqual(findings, said[0], message);
  }
});

test('a job supersedes one of its tenant that still stands on the intake stream, and is not warned of one that has ended', async (t) => {
  const { producer, connection, queue, consume, outcome } = await queueUnderTest(t);
  const old = jobData({ timeoutMs: 120_000, tenant: 'owner' });
  await connection.xadd(keysOf().intake, '*', 'jobId', 'old', 'data', JSON.stringify(old));
  await consume({ intake: false });
  const data = (attempt: number) => jobData({ tenant: 'owner', supersedes: 'old', attempt });
  await producer.submit('generate', data(1), { jobId: 'new' });
  assert.deepEqual((await outcome('new')).findings, []);
  assert.equal(await connection.exists(keysOf().cancel('old')), 1);
  await consume();
  assert.deepEqual(codes(await outcome('old')), ['JOB_CANCELLED']);
  await until(async () => (await queue.getJob('old')) === undefined);
  await producer.submit('generate', data(2), { jobId: 'later' });
  assert.deepEqual((await outcome('later')).findings, []);
});

test('a job that supersedes one on the only slot cancels it while it waits for that slot', async (t) => {
  const { producer, consume, outcome, events } = await queueUnderTest(t);
  await consume({
    concurrency: 1,
    process: ({ jobId, kind, data }, signal) =>
      jobId === 'new'
        ? Promise.resolve(envelope(kind, data))
        : new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  });
  await producer.submit('generate', jobData({ timeoutMs: 120_000 }), { jobId: 'old' });
  await until(() => events.some((event) => event.event === 'taken'));
  await producer.submit('generate', jobData({ supersedes: 'old', timeoutMs: 60_000 }), { jobId: 'new' });
  assert.equal((await outcome('new')).verdict, 'generated');
  assert.deepEqual(codes(await outcome('old')), ['JOB_CANCELLED']);
});

test('a waiting job that has an outcome, or is cancelled itself, supersedes nothing', async (t) => {
  const { producer, consume, outcome, events, connection, queue } = await queueUnderTest(t);
  const { promise: end, resolve } = Promise.withResolvers<void>();
  await connection.set(keysOf().outcome('answered'), JSON.stringify(envelope('generate', {})));
  await producer.cancel('unwanted');
  await consume({ concurrency: 1, process: ({ kind, data }) => end.then(() => envelope(kind, data)) });
  await producer.submit('generate', jobData({ timeoutMs: 120_000 }), { jobId: 'old' });
  await until(() => events.some((event) => event.event === 'taken'));
  const data = jobData({ supersedes: 'old', timeoutMs: 60_000 });
  for (const jobId of ['answered', 'unwanted', 'seen'])
    await queue.add('generate', jobId === 'seen' ? jobData() : data, { jobId });
  await until(async () => (await connection.zscore(keysOf().deadlines, 'seen')) !== null);
  assert.equal(await connection.exists(keysOf().cancel('old')), 0);
  resolve();
  assert.equal((await outcome('old')).verdict, 'generated');
});

test('work that goes on after its outcome takes no slot, is waited for at the end, and is no more than there are slots', async (t) => {
  const { producer, consume, outcome, entries } = await queueUnderTest(t);
  const { promise: end, resolve } = Promise.withResolvers<void>();
  const calledOff: string[] = [];
  const consumer = await consume({
    concurrency: 1,
    process: async ({ jobId, kind, data, publishNow, announceLate }, signal) => {
      if (!jobId.startsWith('late')) return envelope(kind, data);
      signal.addEventListener('abort', () => calledOff.push(`${jobId} ${signal.reason.code}`));
      await publishNow(envelope(kind, data, 'error'));
      await end;
      await announceLate({ negotiationId: 'n-1', protocolHash: 'h', digest: jobId });
      return undefined;
    },
  });
  for (const jobId of ['late-1', 'late-2', 'next']) {
    await producer.submit('generate', jobData({ timeoutMs: 60_000 }), { jobId });
    await outcome(jobId);
  }
  assert.deepEqual(calledOff, ['late-2 PLATFORM_LATE_ENOUGH']);
  assert.equal(consumer.health().running, 0);
  const closed = consumer.close({ drainMs: 60_000 });
  await sleep(200);
  resolve();
  await closed;
  const digests = (await entries()).flatMap(({ digest }) => digest ?? []);
  assert.ok(digests.includes('late-1'), JSON.stringify(digests));
});

test('what the platform failed at is tried again, though the producer gave one attempt', async (t) => {
  const { queue, consume, outcome } = await queueUnderTest(t);
  const deliveries: number[] = [];
  await consume({
    process: async ({ kind, data, delivery }) => {
      deliveries.push(delivery);
      if (deliveries.length < 3) throw new Coded('PLATFORM_MODEL_RATE_LIMITED', 30);
      return envelope(kind, data);
    },
  });
  await queue.add('generate', jobData(), { jobId: 'job-1', attempts: 1 });
  assert.equal((await outcome('job-1')).verdict, 'generated');
  assert.deepEqual(deliveries, [1, 2, 3]);
});

test('a fault of Redis when a job begins does not end it', {
  skip: redisServerPath() === undefined ? 'needs a real redis-server with access lists' : false,
}, async (t) => {
  const { queue, connection, consume, outcome, events } = await queueUnderTest(t);
  // Commands before processing fail because of the forbidden key; BullMQ's own commands do not.
  await connection.call('ACL', 'SETUSER', 'default', 'resetkeys', '~{protosmith}:[^d]*');
  await consume({ intake: false });
  await queue.add('generate', jobData({ timeoutMs: 600_000 }), { jobId: 'job-1', attempts: 1 });
  await until(() =>
    events.some(({ event, message }) => event === 'redis-error' && /NOPERM|can't access/.test(message ?? '')),
  );
  await until(async () => (await queue.getJobState('job-1')) === 'delayed');
  await connection.call('ACL', 'SETUSER', 'default', 'allkeys');
  assert.equal((await outcome('job-1')).verdict, 'generated');
});

test('what Redis refuses while a job is worked on does not end it', async (t) => {
  const { queue, connection, consume, outcome, events } = await queueUnderTest(t);
  let refused = 0;
  await connection.set('{protosmith}:text', 'no sorted set');
  await consume({
    intake: false,
    process: async ({ kind, data }) => {
      refused += 1;
      if (refused <= 2) await connection.zadd('{protosmith}:text', 1, 'member');
      return envelope(kind, data);
    },
  });
  await queue.add('generate', jobData({ timeoutMs: 600_000 }), { jobId: 'job-1', attempts: 1 });
  assert.equal((await outcome('job-1')).verdict, 'generated');
  const retried = events.filter(({ event }) => event === 'retried');
  assert.deepEqual(
    retried.map(({ code }) => code),
    ['PLATFORM_REDIS_UNREACHABLE', 'PLATFORM_REDIS_UNREACHABLE'],
  );
});

test('a retry that cannot come in time ends the job with the reason', async (t) => {
  const { producer, consume, outcome } = await queueUnderTest(t);
  await consume({
    process: async () => {
      throw new Coded('PLATFORM_MODEL_RATE_LIMITED', 60_000);
    },
    giveUp: (delivery, reason) => ({
      ...errorEnvelope(delivery.kind, delivery.data, reason),
      protocolHash: 'made by giveUp',
    }),
  });
  await producer.submit('generate', jobData(), { jobId: 'job-1' });
  const found = await outcome('job-1');
  assert.deepEqual(
    found.findings.map((finding) => 'code' in finding && finding.code),
    ['PLATFORM_MODEL_RATE_LIMITED'],
  );
  assert.equal(found.protocolHash, 'made by giveUp');
});

test('a defect ends the job with an error and lies among the failed', async (t) => {
  const { queue, producer, consume, outcome } = await queueUnderTest(t);
  await consume({
    process: async () => {
      throw new TypeError('oops');
    },
  });
  await producer.submit('generate', jobData(), { jobId: 'job-1' });
  const found = await outcome('job-1');
  assert.deepEqual(
    found.findings.map((finding) => 'code' in finding && finding.code),
    ['DEFECT_UNCODED'],
  );
  const [buried] = await until(async () => {
    const failed = await queue.getFailed();
    return failed.length > 0 && failed;
  });
  assert.match(buried?.failedReason ?? '', /^DEFECT_UNCODED: oops/);
});

test('a defect whose worker died before it could bury the job is buried by the next', async (t) => {
  const { queue, connection, producer, consume, outcome } = await queueUnderTest(t);
  const process = async () => {
    throw new TypeError('oops');
  };
  const first = await consume({ process });
  await producer.submit('generate', jobData(), { jobId: 'job-1' });
  await outcome('job-1');
  await until(async () => (await queue.getFailedCount()) === 1);
  await first.close();
  // The state if the worker died between the outcome and the end of the job: the job is put back as stalled.
  await queue.retryJobs({ state: 'failed' });
  await connection.hset(queue.toKey('job-1'), 'stc', 1);
  await consume({ process });
  const [buried] = await until(async () => {
    const failed = await queue.getFailed();
    return failed.length > 0 && failed;
  });
  assert.match(buried?.failedReason ?? '', /^DEFECT_UNCODED: oops/);
  assert.equal(await queue.getCompletedCount(), 0);
});

test('a later version is put back for a newer worker, and taken by it', async (t) => {
  const { queue, consume, outcome, events } = await queueUnderTest(t);
  const old = await consume();
  await queue.add('generate', jobData({ version: 2, timeoutMs: 30_000 }), { jobId: 'job-1' });
  await until(() => events.filter((event) => event.event === 'put-back').length >= 2);
  await old.close({ drainMs: 0 });
  // A newer worker would support version 2; here the data become ones that this worker supports.
  const job = await queue.getJob('job-1');
  await job?.updateData(jobData());
  await consume();
  assert.equal((await outcome('job-1')).verdict, 'generated');
});

test('a later version that has waited long is put back for longer', async (t) => {
  const { queue, consume, connection, events } = await queueUnderTest(t);
  const minutesAgo = String(Date.now() - 60_000);
  for (const [jobId, takenAtMs] of [
    ['job-1', undefined],
    ['job-2', minutesAgo],
  ] as const) {
    await queue.add('generate', jobData({ version: 2, timeoutMs: 600_000 }), { jobId });
    if (takenAtMs !== undefined) await connection.hset(`${keysOf().queue}:${jobId}`, { takenAtMs });
  }
  await consume();
  const delayOf = async (jobId: string) =>
    (await until(() => events.find((event) => event.event === 'put-back' && event.jobId === jobId))).delayMs ?? 0;
  const [short, long] = [await delayOf('job-1'), await delayOf('job-2')];
  assert.ok(short > 0 && short < long && long >= 6_500, `${short} ms and ${long} ms`);
});

test('a later version that no worker takes ends before its deadline', async (t) => {
  const { queue, consume, outcome, events } = await queueUnderTest(t);
  await consume();
  const added = Date.now();
  await queue.add('generate', jobData({ version: 2, timeoutMs: 3_000 }), { jobId: 'job-1' });
  const found = await outcome('job-1');
  assert.deepEqual(
    found.findings.map((finding) => [Object(finding).code, Object(finding).pointer]),
    [['JOB_VERSION_UNSUPPORTED', '/version']],
  );
  assert.equal(Object(found).version, 2);
  assert.ok(Date.now() - added > 1_500, 'it was put back first');
  assert.ok(events.some((event) => event.event === 'put-back'));
});

test('the time a job has counts from the moment Redis took it, whatever the clock of its producer', async (t) => {
  const seen = await queueUnderTest(t);
  const { queue, consume } = seen;
  const takenAt = new Map<string, number>();
  const before = Date.now();
  await queue.add('generate', jobData(), { jobId: 'ahead', timestamp: before + 3_600_000 });
  await queue.add('generate', jobData(), { jobId: 'behind', timestamp: before - 3_600_000 });
  await queue.add('generate', jobData(), { jobId: 'right' });
  const after = Date.now();
  await sleep(1_200);
  await consume({
    process: async ({ jobId, kind, data, takenAtMs, deadlineAtMs }) => {
      takenAt.set(jobId, takenAtMs);
      assert.equal(deadlineAtMs, takenAtMs + 15_000);
      return envelope(kind, data);
    },
  });
  const jobIds = ['ahead', 'behind', 'right'];
  await reportFault(seen, 'clocks of producers an hour ahead and behind', jobIds, Date.now());
  for (const jobId of jobIds) {
    const taken = takenAt.get(jobId) ?? 0;
    assert.ok(taken >= before - 100 && taken <= after + 100, `${jobId}: ${taken - before} ms after it was added`);
  }
});

test('an outcome may be published while work goes on, with entries beside it', async (t) => {
  const { producer, consume, outcome, entries, queue } = await queueUnderTest(t);
  await consume({
    process: async (delivery) => {
      const base = { negotiationId: 'n-1', protocolHash: 'h' };
      await delivery.announceEarly({ ...base, messages: [{ action: 'fixErrorNegotiation' }] });
      assert.equal(await delivery.publishNow(envelope(delivery.kind, delivery.data, 'error')), true);
      await delivery.announceLate({ ...base, digest: 'd' });
      return undefined;
    },
  });
  await producer.submit('fix', jobData(), { jobId: 'job-1' });
  await outcome('job-1');
  await until(async () => (await queue.getJob('job-1')) === undefined && (await entries()).length === 3);
  const beside = { jobId: 'job-1', negotiationId: 'n-1', verdict: '', protocolHash: 'h', final: '0', replayed: '0' };
  const [early, final, late] = await entries();
  assert.deepEqual(early, { ...beside, kind: 'fix', messages: '[{"action":"fixErrorNegotiation"}]' });
  assert.equal(final?.verdict, 'error');
  assert.equal(final?.final, '1');
  assert.deepEqual(late, { ...beside, kind: 'late', messages: '[]', digest: 'd' });
});

test('a worker that is stopped lets its jobs end', async (t) => {
  const { producer, consume, outcome, events } = await queueUnderTest(t);
  const consumer = await consume({
    process: async ({ kind, data }) => {
      await sleep(500);
      return envelope(kind, data);
    },
  });
  await producer.submit('generate', jobData(), { jobId: 'job-1' });
  await until(() => events.some((event) => event.event === 'taken'));
  await consumer.close({ drainMs: 10_000 });
  assert.equal((await outcome('job-1')).verdict, 'generated');
  assert.deepEqual(
    events.map((event) => event.event),
    ['taken', 'published'],
  );
});

test('past the drain deadline jobs go back to the queue, and another worker ends them', async (t) => {
  const { producer, consume, outcome, entries, queue, events } = await queueUnderTest(t);
  const consumer = await consume({
    // An error returned because of the abort is not this job's outcome.
    process: ({ kind, data }, signal) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve(envelope(kind, data, 'error')))),
  });
  await producer.submit('generate', jobData(), { jobId: 'job-1' });
  await until(() => events.some((event) => event.event === 'taken'));
  await consumer.close({ drainMs: 100 });
  assert.equal(await queue.getJobCountByTypes('waiting', 'prioritized'), 1);
  assert.equal(await producer.outcomeOf('job-1'), null);
  await consume();
  assert.equal((await outcome('job-1')).verdict, 'generated');
  assert.equal((await entries()).length, 1);
  assert.equal(
    events.some((event) => event.event === 'stalled'),
    false,
  );
});

test('outcomes and their entries are kept for as long as configured', async (t) => {
  const { producer, connection, consume, outcome, entries } = await queueUnderTest(t);
  // Entries from two hours ago, enough for Redis to trim whole nodes.
  const oldMs = Date.now() - 7_200_000;
  const writing = connection.pipeline();
  for (let index = 0; index < 500; index += 1)
    writing.xadd('{protosmith}:outcomes:default', `${oldMs}-${index}`, 'jobId', 'old');
  await writing.exec();
  await consume({ retentionSeconds: 3_600 });
  await producer.submit('generate', jobData(), { jobId: 'new' });
  await outcome('new');
  const leftSeconds = await connection.ttl('{protosmith}:outcome:new');
  assert.ok(leftSeconds > 3_500 && leftSeconds <= 3_600);
  const left = await entries();
  assert.equal(left.at(-1)?.jobId, 'new');
  assert.ok(left.length < 200, `${left.length} entries left`);
});

test('a consumer says how it is doing, and pauses for a reason', async (t) => {
  const { producer, consume, outcome } = await queueUnderTest(t);
  const consumer = await consume({ concurrency: 3 });
  await until(() => consumer.health().connected);
  const { sinceFetchMs, ...health } = consumer.health();
  assert.deepEqual(health, { connected: true, paused: [], running: 0, concurrency: 3, closing: false });
  assert.ok(sinceFetchMs >= 0);
  await consumer.pause('model down');
  await consumer.pause('something else');
  await producer.submit('generate', jobData(), { jobId: 'a' });
  assert.deepEqual(consumer.health().paused, ['model down', 'something else']);
  await consumer.resume('model down');
  // A worker in a blocking read may have taken one job before the pause.
  assert.deepEqual(consumer.health().paused, ['something else']);
  await consumer.resume('something else');
  assert.equal((await outcome('a')).verdict, 'generated');
});

test('a consumer whose connection that waits for jobs is down says so', async (t) => {
  const { redis, connection, consume } = await queueUnderTest(t);
  if (redis.pid === null) return t.skip('the embedded Redis does not tell its clients apart');
  const consumer = await consume();
  const waiting = await until(
    async () => /^id=(\d+) .*cmd=bzpopmin/m.exec(String(await connection.client('LIST')))?.[1],
  );
  await until(() => consumer.health().connected);
  // New logins fail; existing connections stay.
  await connection.config('SET', 'requirepass', 'new');
  await connection.client('KILL', 'ID', waiting);
  await until(() => !consumer.health().connected);
  await connection.config('SET', 'requirepass', '');
  await until(() => consumer.health().connected);
});

test('the time a job has counts by Redis although its producer is slow, and many jobs came after it while no worker was there', async (t) => {
  const { queue, connection, consume, outcome } = await queueUnderTest(t);
  const beforeMs = Date.now();
  await queue.add('generate', jobData({ timeoutMs: 600_000 }), { jobId: 'slow', timestamp: beforeMs - 600_000 });
  const afterMs = Date.now();
  const others = Array.from({ length: 100 }, (_, nth) => ({
    name: 'generate',
    data: jobData({ attempt: nth + 1 }),
    opts: { jobId: `other-${nth}` },
  }));
  await queue.addBulk(others);
  const taken = new Map<string, number>();
  await consume({
    process: async ({ jobId, kind, data }) => {
      taken.set(jobId, await takenAt(connection, jobId));
      return envelope(kind, data);
    },
  });
  assert.equal((await outcome('slow')).verdict, 'generated');
  assertBetween(beforeMs, taken.get('slow'), afterMs);
});

test('calls that wait for Redis together, on a connection that BullMQ shares, are no leak', async (t) => {
  const { redis, atEnd } = await queueUnderTest(t);
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on('warning', note);
  atEnd(async () => process.off('warning', note));
  const connection = connect(redis.url, 'caller');
  atEnd(() => disconnect(connection));
  const queue = new Queue('code-generation', { connection, prefix: '{protosmith}' });
  queue.on('error', () => undefined);
  atEnd(() => queue.close());
  await Promise.all(Array.from({ length: 20 }, () => whenReady(connection, 10_000)));
  assert.deepEqual(warnings, []);
});

test('a producer says within seconds that Redis cannot be reached', async () => {
  const producer = createProducer({ jobs: jobReader, url: 'redis://127.0.0.1:1', connectWithinMs: 500 });
  await assert.rejects(producer.submit('generate', jobData()), { code: 'PLATFORM_REDIS_UNREACHABLE' });
  await producer.close();
});

test('a producer refuses ids that cannot work, data that are too large, and other data under one id', async (t) => {
  const { producer } = await queueUnderTest(t);
  for (const jobId of ['12', '-5', 'NaN', 'a:b', '', 'x'.repeat(201)]) {
    await assert.rejects(producer.submit('generate', jobData(), { jobId }), { code: 'JOB_ID_INVALID' });
  }
  await assert.rejects(producer.submit('generate', { x: 'x'.repeat(1_048_576) }), { code: 'JOB_TOO_LARGE' });
  await producer.submit('generate', jobData(), { jobId: 'job-1' });
  await producer.submit('generate', jobData(), { jobId: 'job-1' });
  await assert.rejects(producer.submit('generate', jobData({ attempt: 1 }), { jobId: 'job-1' }), {
    code: 'JOB_ID_REUSED',
  });
});

test('a worker that comes back publishes nothing for a job that its reader closed, unless it is put again', async (t) => {
  const { producer, queue, consume, entries } = await queueUnderTest(t);
  let worked = 0;
  await producer.submit('generate', jobData(), { jobId: 'job-1' });
  await sleep(5);
  await producer.closeExpired('job-1');
  await consume({
    process: async ({ kind, data }) => {
      worked += 1;
      return envelope(kind, data);
    },
  });
  await until(async () => (await queue.getJob('job-1')) === undefined);
  assert.equal((await entries()).length, 1);
  await producer.submit('generate', jobData(), { jobId: 'job-1' });
  const [, again] = await until(async () => {
    const found = await entries();
    return found.length === 2 && found;
  });
  assert.equal(again?.replayed, '1');
  assert.equal(worked, 0);
});

test('a reader closes its job, and learns of the outcome that was faster', async (t) => {
  const { producer, consume, outcome, entries } = await queueUnderTest(t);
  const { jobId } = await producer.submit('generate', jobData({ replyTo: 'mine' }));
  const closed = await producer.closeExpired(jobId);
  assert.deepEqual(
    closed.findings.map((finding) => 'code' in finding && finding.code),
    ['READER_DEADLINE'],
  );
  assert.deepEqual(await outcome(jobId), closed);
  assert.deepEqual(
    (await entries('mine')).map((entry) => entry.verdict),
    ['error'],
  );
  await consume();
  const second = await producer.submit('generate', jobData({ attempt: 1 }));
  const before = await outcome(second.jobId);
  assert.deepEqual(await producer.closeExpired(second.jobId), before);
});

test('whatever is told of a job names its negotiation and its tenant', async (t) => {
  const { producer, connection, queue, consume, outcome, events } = await queueUnderTest(t);
  const named = (name: string) => jobData({ negotiationId: `n-${name}`, tenant: 'acme' });
  await producer.submit('generate', named('cancelled'), { jobId: 'cancelled' });
  await producer.cancel('cancelled');
  await consume({
    process: async ({ kind, data, delivery, jobId }) => {
      if (jobId === 'retried' && delivery === 1) throw new Coded('PLATFORM_MODEL_CUT');
      if (jobId === 'buried') throw new Error('a defect');
      return envelope(kind, data);
    },
  });
  for (const name of ['retried', 'buried']) await queue.add('generate', named(name), { jobId: name });
  await queue.add('generate', { ...named('later'), version: 2, timeoutMs: 3_000 }, { jobId: 'later' });
  await connection.xadd(keysOf().intake, '*', 'jobId', 'bridged', 'data', JSON.stringify(named('bridged')));
  for (const name of ['cancelled', 'retried', 'buried', 'later', 'bridged']) await outcome(name);
  for (const name of ['retried', 'bridged']) await until(async () => (await queue.getJob(name)) === undefined);
  await queue.add('generate', named('retried'), { jobId: 'retried' });
  await queue.add('generate', named('another'), { jobId: 'bridged' });
  const { id } = await queue.add('generate', named('automatic'));
  const told = () => events.filter(({ jobId }) => jobId !== undefined);
  await until(() => told().filter(({ event }) => event === 'replayed' || event === 'refused').length === 3);
  const kinds = 'bridged cancelled given-up published put-back refused replayed retried taken';
  assert.deepEqual([...new Set(told().map(({ event }) => event))].sort(), kinds.split(' '));
  const refused = new Map([
    ['bridged', 'n-another'],
    [id, 'n-automatic'],
  ]);
  const wanted = ({ event, jobId }: QueueEvent) => (event === 'refused' ? refused.get(jobId) : `n-${jobId}`);
  const wrong = told().filter((event) => event.negotiationId !== wanted(event) || event.tenant !== 'acme');
  assert.deepEqual(wrong, []);
});
