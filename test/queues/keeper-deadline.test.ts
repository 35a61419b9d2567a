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
