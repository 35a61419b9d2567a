import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createProducer } from '../../queues/index.ts';
import { jobReader } from '../../src/pipeline/job-reader.ts';
import { reportFault } from './fault-report.ts';
import { markedJob, soundReply, startRig, stopWorker, until } from './harness.ts';

test('the same jobs by two negotiators and by the intake stream at the same moment: one outcome each, one generation each', async (t) => {
  const rig = await startRig();
  const other = createProducer({ jobs: jobReader, url: rig.redis.url });
  t.after(async () => {
    await other.close();
    await rig.close();
  });
  const workers = await Promise.all([rig.worker(), rig.worker()]);
  const marks = Array.from({ length: 10 }, (_, nth) => `twice-${nth}-`);
  for (const mark of marks) rig.answer(mark, () => ({ kind: 'reply', text: soundReply, pauseMs: 2 }));
  const jobs = marks.map((mark) => markedJob(mark, { timeoutMs: 120_000 }));
  const sinceMs = Date.now();
  const jobIds = await Promise.all(
    jobs.map(async (job) => {
      const [one, two] = await Promise.all([
        rig.submit(job),
        other.submit('generate', job),
        rig.connection.xadd(rig.keys.intake, '*', 'data', JSON.stringify(job)),
      ]);
      assert.equal(one, two.jobId);
      return one;
    }),
  );
  const bridged = () => workers.flatMap(({ lines }) => lines.filter(({ msg }) => msg === 'bridged')).length;
  await until(() => bridged() === jobs.length, 'the intake stream to be read');
  const outcomes = await reportFault(rig, 'the same jobs three times at once', jobIds, sinceMs);
  assert.ok(outcomes.every(({ verdict }) => verdict === 'generated'));
  assert.deepEqual(
    outcomes.map(({ report: { attempts } }) => attempts.filter(({ result }) => result === 'verified').length),
    jobs.map(() => 1),
  );
  // All that they said has come once they have ended.
  await Promise.all(workers.map(stopWorker));
  const started = workers.flatMap(({ lines }) => lines.filter(({ msg }) => msg === 'started').map(({ job }) => job));
  assert.deepEqual(started.toSorted(), jobIds.toSorted());
});

test('1,000 jobs whose deadline passed while they waited end with error, and no model is asked', async (t) => {
  const rig = await startRig();
  t.after(() => rig.close());
  const jobIds = Array.from({ length: 1_000 }, (_, nth) => `overdue-${nth}`);
  await rig.queue.addBulk(
    jobIds.map((jobId) => ({ name: 'generate', data: markedJob(jobId, { timeoutMs: 1_000 }), opts: { jobId } })),
  );
  await sleep(1_100);
  const sinceMs = Date.now();
  await rig.worker();
  await until(async () => (await rig.connection.xlen(rig.keys.outcomes('default'))) >= jobIds.length, '1,000 outcomes');
  const outcomes = await reportFault(rig, '1,000 jobs overdue', jobIds, sinceMs);
  assert.deepEqual(
    new Set(outcomes.map(({ verdict, findings }) => `${verdict} ${findings.map(({ code }) => code)}`)),
    new Set(['error PLATFORM_DEADLINE']),
  );
  assert.equal(rig.questions('overdue-').length, 0);
});
