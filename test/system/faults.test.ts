import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../src/kernel/json.ts';
import { reportFault } from './fault-report.ts';
import { descendantsOf, isAlive, type LogLine, markedJob, soundReply, startRig, stopWorker, until } from './harness.ts';

/**
 * Long enough for a job to survive a worker: the lock's time and the interval in which dead workers' jobs are looked
 * for, twice over.
 */
const patient: JsonObject = { timeoutMs: 120_000 };

const endless = '```ts\nexport function handle(): never {\n  for (;;) {}\n}\n```';

const isStage = (jobId: string, stage: string) => (line: LogLine) =>
  line.msg === 'stage' && line.job === jobId && line.stage === stage;

test('kill -9 of a worker, with jobs in every stage', async (t) => {
  const rig = await startRig();
  t.after(() => rig.close());
  const first = await rig.worker();
  for (const mark of ['kill-waiting', 'kill-published'])
    rig.answer(mark, (nth) => (nth === 1 ? { kind: 'stall' } : { kind: 'reply', text: soundReply }));
  rig.answer('kill-trial', (nth) => ({ kind: 'reply', text: nth === 1 ? endless : soundReply }));
  const waiting = await rig.submit(markedJob('kill-waiting', patient));
  const published = await rig.submit(markedJob('kill-published', patient));
  await until(() => rig.questions('kill-waiting')[0] && rig.questions('kill-published')[0], 'the model to be asked');
  // Its outcome is out, and its worker still works on it: as if the worker died right after publishing.
  const before = await rig.producer.closeExpired(published, {
    kind: 'generate',
    data: markedJob('kill-published', patient),
  });
  const trial = await rig.submit(markedJob('kill-trial', patient));
  await first.logged(isStage(trial, 'bundle'));
  const children = descendantsOf(first.pid);
  const startedAtMs = Date.now();
  first.signal('SIGKILL');
  assert.equal((await first.ended).signal, 'SIGKILL');
  await until(() => !children.some(isAlive), 'its sandbox and compilers to end with it');

  const second = await rig.worker();
  const [, , kept] = await reportFault(
    rig,
    'kill -9, model waited for / in a trial / published',
    [waiting, trial, published],
    startedAtMs,
  );
  assert.equal((await rig.outcome(waiting)).verdict, 'generated');
  assert.equal((await rig.outcome(trial)).verdict, 'generated');
  assert.deepEqual(kept, before);
  const stalled = second.lines.filter(({ msg }) => msg === 'stalled').map(({ negotiation }) => negotiation);
  assert.deepEqual(stalled.toSorted(), ['kill-published', 'kill-trial', 'kill-waiting']);
  await until(async () => (await rig.queue.getJob(published)) === undefined, 'the job to leave the queue');
  assert.equal(rig.questions('kill-published').length, 1, 'no model call once the outcome is out');
});

test('SIGTERM under load: exit 0, what does not end in time is handed back', async (t) => {
  const rig = await startRig();
  t.after(() => rig.close());
  const first = await rig.worker({ PROTOSMITH_DRAIN_MS: '4000' });
  for (const mark of ['term-stuck-a', 'term-stuck-b'])
    rig.answer(mark, (nth) => (nth === 1 ? { kind: 'stall' } : { kind: 'reply', text: soundReply }));
  for (const mark of ['term-quick-a', 'term-quick-b'])
    rig.answer(mark, () => ({ kind: 'reply', text: soundReply, pauseMs: 10 }));
  const marks = ['term-stuck-a', 'term-stuck-b', 'term-quick-a', 'term-quick-b'];
  const jobIds = await Promise.all(marks.map((mark) => rig.submit(markedJob(mark, patient))));
  await until(() => marks.every((mark) => rig.questions(mark).length > 0), 'the model to be asked');
  const second = await rig.worker();
  const startedAtMs = Date.now();
  first.signal('SIGTERM');
  // A supervisor may be impatient: the same signal again changes nothing.
  first.signal('SIGTERM');
  assert.deepEqual(await first.ended, { code: 0, signal: null });
  const outcomes = await reportFault(rig, 'SIGTERM under load', jobIds, startedAtMs);
  assert.deepEqual(
    outcomes.map(({ verdict }) => verdict),
    marks.map(() => 'generated'),
  );
  const handedBack = first.lines.filter(({ msg }) => msg === 'handed-back').map(({ job }) => job);
  assert.deepEqual(handedBack.toSorted(), jobIds.slice(0, 2).toSorted());
  assert.ok(!second.lines.some(({ msg }) => msg === 'stalled'));
});

test('two workers, 50 jobs of ten agreements: one outcome each, each agreement solved once', async (t) => {
  const rig = await startRig();
  t.after(() => rig.close());
  const workers = await Promise.all([rig.worker(), rig.worker()]);
  const marks = [...'abcdefghij'].map((letter) => `many-${letter}`);
  for (const mark of marks) rig.answer(mark, () => ({ kind: 'reply', text: soundReply }));
  const startedAtMs = Date.now();
  const jobIds = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      rig.submit({ ...markedJob(marks[index % marks.length] ?? '', patient), negotiationId: `many-${index}` }),
    ),
  );
  assert.equal(new Set(jobIds).size, 50);
  const negotiations = new Map(jobIds.map((jobId, index) => [jobId, `many-${index}`]));
  const outcomes = await reportFault(rig, 'none: two workers, 50 jobs', jobIds, startedAtMs);
  assert.deepEqual(
    outcomes.filter(({ verdict }) => verdict !== 'generated').map(({ findings }) => findings),
    [],
  );
  for (const { job, negotiation, msg } of workers.flatMap(({ lines }) => lines))
    if (job !== undefined) assert.equal(negotiation, negotiations.get(job), msg);
  const reused = outcomes.filter(({ report: { reused } }) => reused);
  assert.equal(reused.length, 40);
  // On a busy machine the job that generates a handler may seem dead. Another one then begins, and stops in time.
  assert.ok(reused.every(({ report }) => report.attempts.every(({ result }) => result === 'aborted')));
  const attempts = outcomes.reduce((sum, { report }) => sum + report.attempts.length, 0);
  const questions = marks.reduce((sum, mark) => sum + rig.questions(mark).length, 0);
  assert.ok(questions <= attempts, `${questions} questions for ${attempts} attempts`);
});

test('every worker dead: the reader closes its job, and nothing is published for it afterwards', async (t) => {
  const rig = await startRig();
  t.after(() => rig.close());
  const first = await rig.worker();
  rig.answer('dead-all', (nth) => (nth === 1 ? { kind: 'stall' } : { kind: 'reply', text: soundReply }));
  const jobId = await rig.submit(markedJob('dead-all', patient));
  await until(() => rig.questions('dead-all')[0], 'the model to be asked');
  const startedAtMs = Date.now();
  first.signal('SIGKILL');
  await first.ended;
  const closed = await rig.producer.closeExpired(jobId);
  assert.deepEqual(
    [closed.verdict, closed.findings.map((finding) => (finding as { code?: string }).code)],
    ['error', ['READER_DEADLINE']],
  );
  const [outcome] = await reportFault(rig, 'every worker dead, closed by its reader', [jobId], startedAtMs);
  assert.equal(outcome?.negotiationId, 'dead-all');
  const back = await rig.worker();
  // It has the job once the dead worker's lock has run out.
  await rig.left(jobId);
  await stopWorker(back);
  assert.equal((await rig.entries()).filter(({ replayed }) => replayed === '0').length, 1);
  assert.equal(rig.questions('dead-all').length, 1, 'no model is asked for it again');
});
