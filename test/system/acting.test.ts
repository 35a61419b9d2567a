import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startScriptedModel } from '../../src/scripted-model/server.ts';
import { commandHere } from './command-here.ts';
import { markedJob, soundReply, startRig, until, type WorkerUnderTest } from './harness.ts';

const rig = await startRig();
after(() => rig.close());
const environment = { REDIS_URL: rig.redis.url };
const call = (...args: string[]) => commandHere(args, { environment });
const json = async (...args: string[]) => {
  const { code, stdout, stderr } = await call(...args, '--json');
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
  return JSON.parse(stdout);
};
const settings = { PROTOSMITH_READING: 'off', PROTOSMITH_CONCURRENCY: '1', ELSEWHERE_KEY: 'key-of-the-other-server' };
const workers: WorkerUnderTest[] = await Promise.all([rig.worker(settings), rig.worker(settings)]);
const patient = { timeoutMs: 600_000 };

/** Waits until every worker has logged a line since. */
async function loggedByAll(matches: (line: Record<string, unknown>) => boolean): Promise<void> {
  await Promise.all(workers.map((worker) => worker.logged(matches)));
}

const changed = (name: string) => (line: Record<string, unknown>) =>
  line.msg === 'limits-changed' && Array.isArray(line.changed) && line.changed.includes(name);

test('a running job is cancelled by a command, in whichever worker it runs', async () => {
  rig.answer('cancel-running', () => ({ kind: 'stall' }));
  const jobId = await rig.submit(markedJob('cancel-running', patient), { jobId: 'cancel-running' });
  await until(() => rig.questions('cancel-running').length > 0);
  const asked = await call('cancel', 'cancel-run');
  assert.deepEqual([asked.code, asked.stdout], [64, ''], 'nobody can be asked');
  assert.match(asked.stderr, /wanted --yes/);
  const [told] = await json('cancel', 'cancel-run', '--yes');
  assert.equal(told.jobId, jobId);
  // On a busy machine the command may wait for the end in vain.
  assert.match(told.did, /^(cancelled|asked)$/);
  const { verdict, findings } = await rig.outcome(jobId);
  assert.deepEqual([verdict, findings.map(({ code }) => code)], ['error', ['JOB_CANCELLED']]);
  const again = await call('cancel', jobId, '--yes');
  assert.equal(again.code, 2);
  assert.match(again.stderr, /it has its outcome, error, which is final/);
  assert.equal((await call('cancel', 'nobody', '--yes')).code, 65);
});

test('a pause holds every worker, and says why and by whom', async () => {
  assert.match(
    (await call('pause', '--reason', 'work on Redis', '--by', 'ann')).stdout,
    /^paused by ann at .*: work on/,
  );
  assert.match((await call('status')).stdout, /^! the queue is paused for all workers, by ann at .*: work on Redis; /m);
  const jobId = await rig.submit(markedJob('held-up', patient), { kind: 'review', jobId: 'held-up' });
  const listed = await json('jobs', '--state', 'waiting');
  assert.deepEqual(
    listed.jobs.map((job: { jobId: string }) => job.jobId),
    [jobId],
  );
  assert.deepEqual(await json('resume'), { resumed: true });
  assert.equal((await rig.outcome(jobId)).verdict, 'clean');
  assert.deepEqual(await json('resume'), { resumed: false });
});

test('concurrency changes while workers run, and every worker follows', async () => {
  const marks = ['many-1', 'many-2', 'many-3', 'many-4'];
  for (const mark of marks) rig.answer(mark, () => ({ kind: 'stall' }));
  const jobIds = await Promise.all(marks.map((mark) => rig.submit(markedJob(mark, patient), { jobId: mark })));
  const running = async () => (await json('jobs', '--state', 'running')).jobs.length;
  await until(async () => (await running()) === 2);
  assert.match((await call('limits', 'set', 'concurrency', '2', '--by', 'ann')).stdout, /^concurrency is 2 for all/);
  await loggedByAll(changed('concurrency'));
  await until(async () => (await running()) === 4);
  const shown = (await json('limits')).find((one: { name: string }) => one.name === 'concurrency');
  assert.deepEqual([shown.set.value, shown.set.by], [2, 'ann']);
  assert.equal((await call('cancel', '--yes', ...jobIds)).code, 0);
  await Promise.all(jobIds.map((jobId) => rig.outcome(jobId)));
});

test('a budget changes while workers run', async () => {
  await json('limits', 'set', 'max-candidates', '1');
  await loggedByAll(changed('maxCandidates'));
  rig.answer('poor', () => ({ kind: 'reply', text: 'no code' }));
  const poor = await rig.outcomeOf(markedJob('poor'), { jobId: 'poor' });
  assert.equal(poor.verdict, 'error');
  assert.equal(rig.questions('poor').length, 1);
  assert.deepEqual(await json('limits', 'clear', 'max-candidates'), { name: 'max-candidates', wasSet: true });
});

test('the models change while workers run; one whose key a worker lacks is refused by it', async (t) => {
  const other = await startScriptedModel({ behave: () => ({ kind: 'reply', text: soundReply }) });
  t.after(() => other.close());
  const models = (apiKeyEnv: string) => JSON.stringify([{ model: 'elsewhere', baseUrl: other.baseUrl, apiKeyEnv }]);
  await json('limits', 'set', 'models', models('NO_SUCH_KEY'));
  await loggedByAll(({ msg, message }) => msg === 'limit-refused' && /apiKeyEnv/.test(String(message)));
  await json('limits', 'set', 'models', models('ELSEWHERE_KEY'));
  await loggedByAll(changed('models'));
  const { verdict, report } = await rig.outcomeOf(markedJob('elsewhere'), { jobId: 'elsewhere' });
  assert.equal(verdict, 'generated');
  assert.equal(rig.questions('elsewhere').length, 0);
  assert.equal(report.attempts[0]?.model ?? 'elsewhere', 'elsewhere');
  assert.doesNotMatch(workers.map((worker) => worker.output()).join(), /key-of-the-other-server/);
  await json('limits', 'clear', 'models');
});

test('jobs that a bad model ended are requeued by one command, once', async () => {
  let broken = true;
  rig.answer('outage', () => ({ kind: 'reply', text: broken ? 'no code' : soundReply }));
  const jobId = await rig.submit(markedJob('outage'), { jobId: 'outage' });
  const { findings } = await rig.outcome(jobId);
  const code = String(findings[0]?.code);
  assert.match(code, /^CANDIDATE_/);
  broken = false;
  assert.deepEqual((await json('jobs', '--code', code, '--since', '1h')).jobs[0].jobId, jobId);
  const requeue = () => call('requeue', '--code', code, '--since', '1h', '--json', '--yes');
  await until(async () => (await rig.connection.exists(`${rig.keys.prefix}:submitted:${jobId}`)) === 1);
  const [first, second] = [await requeue(), await requeue()].map(({ stdout }) => JSON.parse(stdout));
  const { newJobId } = first.requeued.find((one: { jobId: string }) => one.jobId === jobId);
  assert.ok(second.already.includes(jobId));
  assert.equal((await rig.outcome(newJobId)).verdict, 'generated');
});

test('submit --again makes a new job of data that have an outcome', async () => {
  const data = JSON.stringify(markedJob('again'));
  const submit = (...more: string[]) =>
    commandHere(['submit', '--kind', 'review', '--no-wait', ...more, '-'], { environment, input: data });
  const first = await submit();
  await rig.outcome(first.stdout.trim());
  assert.equal((await submit()).stdout, first.stdout);
  const [second, third] = [await submit('--again'), await submit('--again')];
  assert.equal(new Set([first.stdout, second.stdout, third.stdout]).size, 3);
  assert.equal((await rig.outcome(third.stdout.trim())).verdict, 'clean');
});

test('an outcome is announced again by a command', async () => {
  // Outcomes of other jobs may still be announced meanwhile.
  const announced = async () => (await rig.entries()).filter(({ jobId }) => jobId === 'held-up');
  const before = (await announced()).length;
  const { code, stdout } = await call('outcomes', 'replay', '--yes', 'held');
  assert.deepEqual([code, stdout], [0, 'held-up\n1 announced again\n']);
  const entries = await announced();
  assert.equal(entries.length, before + 1);
  assert.equal(entries.at(-1)?.replayed, '1');
  assert.match((await call('outcomes', 'list')).stdout, /held-up {2}review clean {2}replayed\n/);
});

test('mistyped names are told with the closest one, and none reaches the queue', async () => {
  const typo = await commandHere(['submit', '--kind', 'genrate', '-'], { environment, input: '{}' });
  assert.equal(typo.code, 64);
  assert.match(typo.stderr, /--kind "genrate", wanted one of .*; did you mean generate\?/);
  assert.match((await call('statsu')).stderr, /did you mean status\?/);
  assert.match((await call('jobs', '--verdcit', 'error')).stderr, /did you mean --verdict\?/);
  assert.match((await call('jobs', '--verdict', 'eror')).stderr, /did you mean error\?/);
  assert.match((await call('limits', 'set', 'concurency', '3')).stderr, /did you mean concurrency\?/);
  assert.equal((await call('limits', 'set', 'concurrency', '0')).code, 78);
  assert.equal((await call('jobs', '--since', 'yesterday')).code, 64);
  const mistyped = { PROTOSMITH_CONCURENCY: '5' };
  const told = await commandHere(['jobs'], { environment: { ...environment, ...mistyped } });
  assert.deepEqual(
    [told.code, told.stderr],
    [0, 'PROTOSMITH_CONCURENCY is not a setting; did you mean PROTOSMITH_CONCURRENCY?\n'],
  );
  const worker = await rig.worker({ ...settings, ...mistyped });
  const line = await worker.logged(({ msg }) => msg === 'unknown-setting');
  assert.deepEqual([line.name, line.meant], ['PROTOSMITH_CONCURENCY', 'PROTOSMITH_CONCURRENCY']);
});
