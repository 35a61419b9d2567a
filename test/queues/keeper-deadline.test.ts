import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keysOf } from '../../queues/index.ts';
import { codes, envelope, jobData, queueUnderTest, until } from './queue-under-test.ts';
import { workerProcesses } from './worker-processes.ts';

const keys = keysOf();

test('a job of a dead worker is closed at its own deadline, no later than one that nobody took', async (t) => {
  const { redis, connection, producer, consume, entries, outcome } = await queueUnderTest(t);
  const workers = workerProcesses(t, redis.url);
  const first = await workers.start({ lockMs: 600_000 });
  await producer.submit('generate', jobData({ timeoutMs: 12_000 }), { jobId: 'taken-60000ms' });
  await until(() => workers.works('taken-60000ms') === 1);
  first.child.kill('SIGKILL');
  let isBusy = false;
  await consume({
    concurrency: 1,
    process: ({ kind, data }, signal) =>
      new Promise((resolve) => {
        isBusy = true;
        signal.addEventListener('abort', () => resolve(envelope(kind, data, 'error')));
      }),
  });
  await producer.submit('generate', jobData({ timeoutMs: 600_000 }), { jobId: 'busy' });
  await until(() => isBusy);
  const [seconds = 0, microseconds = 0] = (await connection.time()).map(Number);
  const deadlineMs = Number(await connection.zscore(keys.deadlines, 'taken-60000ms'));
  const timeoutMs = deadlineMs + 400 - seconds * 1_000 - Math.floor(microseconds / 1_000);
  await producer.submit('generate', jobData({ timeoutMs }), { jobId: 'later' });
  await outcome('later');
  await outcome('taken-60000ms');
  assert.deepEqual(
    (await entries()).map(({ jobId }) => jobId),
    ['taken-60000ms', 'later'],
  );
});

test('a job that its producer has delayed beyond its deadline is closed at that', async (t) => {
  const { queue, consume, outcome } = await queueUnderTest(t);
  let worked = 0;
  await consume({
    process: async ({ kind, data }) => {
      worked += 1;
      return envelope(kind, data);
    },
  });
  await queue.add('generate', jobData({ timeoutMs: 2_000 }), { jobId: 'put-off', delay: 3_600_000 });
  assert.deepEqual(codes(await outcome('put-off')), ['PLATFORM_DEADLINE']);
  await until(async () => (await queue.getJob('put-off')) === undefined);
  assert.equal(worked, 0);
});

test('a job that met a refused key goes back at once, waits until its deadline, and ends with that code', async (t) => {
  const { connection, producer, consume, outcome, events } = await queueUnderTest(t);
  const refusal = { code: 'OPERATOR_MODEL_AUTH', message: 'Cannot complete prompt at m: status 401' };
  let worked = 0;
  const consumer = await consume({
    process: async () => {
      worked += 1;
      await consumer.pause('no model', refusal);
      // Far longer than the job waits.
      throw Object.assign(new Error(refusal.message), { code: refusal.code, retryAfterMs: 600_000 });
    },
  });
  await producer.submit('generate', jobData({ timeoutMs: 8_000 }), { jobId: 'met' });
  await until(() => events.some(({ event, code }) => event === 'retried' && code === refusal.code));
  await producer.submit('generate', jobData({ timeoutMs: 8_000 }), { jobId: 'never-taken' });
  assert.equal(await connection.get(keys.outcome('met')), null);
  for (const jobId of ['met', 'never-taken']) {
    const { findings } = await outcome(jobId);
    assert.deepEqual(
      findings.map((finding) => ({ ...Object(finding), in: undefined, severity: undefined })),
      [{ ...refusal, in: undefined, severity: undefined }],
    );
  }
  assert.equal(worked, 1);
  assert.match(consumer.health().paused.join(), /^no model \(OPERATOR_MODEL_AUTH: Cannot complete/);
});

test('a job that was put back for another fault ends at its deadline, and that names the fault', async (t) => {
  const { connection, producer, consume, outcome } = await queueUnderTest(t);
  const consumer = await consume({
    process: async () => {
      await consumer.pause('none');
      throw Object.assign(new Error('Cannot complete prompt: status 429'), { code: 'PLATFORM_MODEL_RATE_LIMITED' });
    },
  });
  await producer.submit('generate', jobData({ timeoutMs: 6_000 }), { jobId: 'limited' });
  await until(() => connection.hget(`${keys.queue}:limited`, 'lastFault'));
  const [finding, ...others] = (await outcome('limited')).findings;
  assert.deepEqual([Object(finding).code, others], ['PLATFORM_DEADLINE', []]);
  assert.match(
    Object(finding).message,
    /its deadline passed, wanted an outcome before \(PLATFORM_MODEL_RATE_LIMITED: Cannot/,
  );
});
