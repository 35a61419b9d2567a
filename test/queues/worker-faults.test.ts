import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { reportFault } from '../system/fault-report.ts';
import { jobData, queueUnderTest, until } from './queue-under-test.ts';
import { workerProcesses } from './worker-processes.ts';

const patient = { timeoutMs: 600_000 };

// Most of the time goes to waiting: for locks to expire, for processes to start.
describe('faults of workers', { concurrency: 3 }, () => {
  test('a job whose worker is killed is ended by another, once', async (t) => {
    const seen = await queueUnderTest(t);
    const { redis, producer } = seen;
    const workers = workerProcesses(t, redis.url);
    const first = await workers.start();
    await producer.submit('generate', jobData(patient), { jobId: 'a-60000ms' });
    await producer.submit('generate', jobData(patient), { jobId: 'b' });
    await until(() => workers.works('a-60000ms') === 1);
    first.child.kill('SIGKILL');
    const sinceMs = Date.now();
    await workers.start();
    await until(() => workers.works('a-60000ms') === 2);
    await producer.cancel('a-60000ms');
    const outcomes = await reportFault(seen, 'worker killed while it works', ['a-60000ms', 'b'], sinceMs);
    assert.deepEqual(
      outcomes.map(({ verdict }) => verdict),
      ['error', 'generated'],
    );
  });

  test('a worker killed between publication and the end of its job: no second work, one outcome', async (t) => {
    const seen = await queueUnderTest(t);
    const { redis, producer, queue, outcome, entries } = seen;
    const workers = workerProcesses(t, redis.url);
    const first = await workers.start();
    await producer.submit('generate', jobData(patient), { jobId: 'die-after-publication' });
    await first.exited;
    const sinceMs = Date.now();
    const before = await outcome('die-after-publication');
    await workers.start();
    await until(async () => (await queue.getJob('die-after-publication')) === undefined);
    await reportFault(
      seen,
      'worker killed between publication and the end of its job',
      ['die-after-publication'],
      sinceMs,
    );
    assert.equal(workers.works('die-after-publication'), 1);
    assert.deepEqual(await outcome('die-after-publication'), before);
    assert.deepEqual(
      (await entries()).map((entry) => [entry.final, entry.replayed]),
      [
        ['1', '0'],
        ['1', '1'],
      ],
    );
  });

  test('a job that kills its workers ends with an error after the allowed deaths, and the others that it took along are done', async (t) => {
    const seen = await queueUnderTest(t);
    const { redis, producer, outcome, queue } = seen;
    const workers = workerProcesses(t, redis.url);
    let over = false;
    const supervised = (async () => {
      while (!over) {
        const { exited } = await workers.start();
        await Promise.race([exited, until(() => over, 180_000).catch(() => undefined)]);
      }
    })();
    const sinceMs = Date.now();
    await producer.submit('generate', jobData(patient), { jobId: 'poison' });
    // They are being processed when it kills their worker the first times.
    const others = ['a-700ms', 'b-700ms', 'c-700ms'];
    for (const jobId of others) await producer.submit('generate', jobData(patient), { jobId });
    const found = await outcome('poison', 120_000);
    const ended = await Promise.all(others.map((jobId) => outcome(jobId, 120_000)));
    over = true;
    await supervised;
    await reportFault(seen, 'a job that kills its workers', ['poison', ...others], sinceMs);
    assert.deepEqual(
      found.findings.map((finding) => 'code' in finding && finding.code),
      ['PLATFORM_JOB_GIVEN_UP'],
    );
    assert.equal(workers.works('poison'), 4);
    assert.deepEqual(
      ended.map((one) => one.verdict),
      others.map(() => 'generated'),
    );
    assert.match((await queue.getJob('poison'))?.failedReason ?? '', /stalled/);
  });

  test('SIGTERM under load: running jobs end, no job stalls, the worker exits 0, another does the rest', async (t) => {
    const seen = await queueUnderTest(t);
    const { redis, producer } = seen;
    const workers = workerProcesses(t, redis.url);
    const first = await workers.start();
    const jobIds = Array.from({ length: 20 }, (_, index) => `${index}-job-400ms`);
    for (const jobId of jobIds) await producer.submit('generate', jobData(patient), { jobId });
    await until(() => workers.said.some((line) => line.event === 'work'));
    first.child.kill('SIGTERM');
    const sinceMs = Date.now();
    assert.deepEqual(await first.exited, [0, null]);
    await workers.start();
    const outcomes = await reportFault(seen, 'SIGTERM, a worker after the other', jobIds, sinceMs);
    assert.ok(outcomes.every(({ verdict }) => verdict === 'generated'));
    assert.equal(
      workers.said.some((line) => line.event === 'stalled'),
      false,
    );
    for (const jobId of jobIds) assert.equal(workers.works(jobId), 1, jobId);
  });

  test('SIGTERM past the drain deadline: the job goes back at once and is begun again elsewhere', async (t) => {
    const seen = await queueUnderTest(t);
    const { redis, producer, queue } = seen;
    const workers = workerProcesses(t, redis.url);
    const first = await workers.start({ drainMs: 100 });
    await producer.submit('generate', jobData(patient), { jobId: 'long-60000ms' });
    await until(() => workers.works('long-60000ms') === 1);
    first.child.kill('SIGTERM');
    const sinceMs = Date.now();
    assert.deepEqual(await first.exited, [0, null]);
    assert.equal(await queue.getJobCountByTypes('waiting', 'prioritized'), 1);
    await workers.start();
    await until(() => workers.works('long-60000ms') === 2);
    assert.equal(
      workers.said.some((line) => line.event === 'stalled'),
      false,
    );
    await producer.cancel('long-60000ms');
    await reportFault(seen, 'SIGTERM, drain deadline passed', ['long-60000ms'], sinceMs);
  });

  for (const clockOffMs of [-300_000, 300_000]) {
    test(`a worker whose clock is off by ${clockOffMs / 60_000} minutes keeps deadlines and delays by Redis' clock`, async (t) => {
      const seen = await queueUnderTest(t);
      const { redis, producer } = seen;
      const workers = workerProcesses(t, redis.url);
      await workers.start({ clockOffMs });
      const begun = Date.now();
      await producer.submit('generate', jobData(patient), { jobId: 'retry-1' });
      const fault = `clock of a worker ${Math.abs(clockOffMs) / 60_000} minutes ${clockOffMs < 0 ? 'behind' : 'ahead'}`;
      const [found] = await reportFault(seen, fault, ['retry-1'], begun);
      assert.equal(found?.verdict, 'generated');
      assert.ok(Date.now() - begun > 900, 'it waited before it tried again');
      for (const line of workers.said.filter((one) => one.event === 'work')) {
        const sinceTakenMs = line.sinceTakenMs ?? Number.NaN;
        assert.ok(Math.abs(sinceTakenMs) < Math.abs(clockOffMs) / 2, `${sinceTakenMs}`);
      }
    });
  }

  test('a delayed job of a worker with a fast clock that died comes back in time', async (t) => {
    const { redis, producer, outcome } = await queueUnderTest(t);
    const workers = workerProcesses(t, redis.url);
    const fast = await workers.start({ clockOffMs: 300_000 });
    await producer.submit('generate', jobData(patient), { jobId: 'retry-1' });
    await until(() => workers.said.some((line) => line.event === 'retried'));
    fast.child.kill('SIGKILL');
    await workers.start();
    // By its wrong clock, its worker would have promoted it in five minutes.
    await until(() => workers.works('retry-1') >= 2);
    await outcome('retry-1');
  });

  test('a job that could not begin on a worker with a fast clock comes back in time', async (t) => {
    const { redis, connection, producer, outcome } = await queueUnderTest(t);
    const workers = workerProcesses(t, redis.url);
    // Commands before processing fail because of the forbidden key; BullMQ's own commands and the recording of put-back
    // jobs do not.
    const rest = ['~{protosmith}:[^d]*', '~{protosmith}:due'];
    await connection.call('ACL', 'SETUSER', 'default', 'resetkeys', ...rest);
    const fast = await workers.start({ clockOffMs: 300_000 });
    await producer.submit('generate', jobData(patient), { jobId: 'begun-late' });
    await until(async () => (await connection.zcard('{protosmith}:code-generation:delayed')) === 1);
    fast.child.kill('SIGKILL');
    await fast.exited;
    await connection.call('ACL', 'SETUSER', 'default', 'allkeys');
    await workers.start();
    await outcome('begun-late');
  });

  test('a worker with a fast clock does not bring back what another delayed before its time', async (t) => {
    const { redis, producer, outcome } = await queueUnderTest(t);
    const workers = workerProcesses(t, redis.url);
    await workers.start();
    await producer.submit('generate', jobData(patient), { jobId: 'retry15000' });
    await until(() => workers.said.some((line) => line.event === 'retried'));
    const delayed = Date.now();
    await workers.start({ clockOffMs: 300_000 });
    await until(() => workers.works('retry15000') >= 2);
    // Independent of how long a loaded machine takes to start the other worker.
    assert.ok(Date.now() - delayed > 13_000, `back after ${Date.now() - delayed} ms`);
    await outcome('retry15000');
  });
});
