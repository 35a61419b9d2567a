import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { Endpoints, Quarantine } from '../../queues/index.ts';
import { bundleDigest } from '../../sandbox/index.ts';
import { commandHere } from '../system/command-here.ts';
import { environmentWith, main, markedJob, runCommand, soundReply, startRig, until } from '../system/harness.ts';

const rig = await startRig();
after(() => rig.close());
await rig.worker({ PROTOSMITH_READING: 'late' });
const environment = { REDIS_URL: rig.redis.url };
const call = (...args: string[]) => commandHere(args, { environment });
const json = async (...args: string[]) => {
  const { code, stdout, stderr } = await call(...args, '--json');
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
  return JSON.parse(stdout);
};

/** Deadlines that no command, however slow to start, outlasts. */
const patient = { timeoutMs: 600_000 };

/**
 * A job id under which other data come again is refused, and kept as failed: for a minute only, so that it is made to
 * look like a defect, which stays.
 */
async function deadLetter(jobId: string): Promise<void> {
  await rig.outcomeOf(markedJob(jobId), { kind: 'review', jobId });
  await rig.left(jobId);
  await rig.queue.add('review', markedJob(`${jobId}-again`), { jobId });
  await until(async () => (await rig.queue.getJobState(jobId)) === 'failed');
  const key = `${rig.keys.queue}:${jobId}`;
  assert.match((await rig.connection.hget(key, 'failedReason')) ?? '', /^JOB_ID_REUSED/);
  await rig.connection.hset(key, 'failedReason', 'DEFECT_UNCODED: found by a test');
}

test('status tells the queue to a person and to a program', async () => {
  const { code, stdout, stderr } = await call('status');
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
  assert.match(stdout, /^oldest waiting +none$/m);
  assert.match(stdout, /^queue +\{protosmith\}:code-generation at redis:\/\/127\.0\.0\.1/m);
  await new Endpoints(rig.connection, rig.keys).coolDown('http://m/v1 m', Date.now() + 300_000);
  assert.match((await call('status')).stdout, /^model http:\/\/m\/v1 m +rate limited; no calls; called again in [45]/m);
  const failing = new Endpoints(rig.connection, rig.keys, { failures: 1 });
  await failing.noteFailure('http://m/v1?key=secret m');
  const told = await json('status');
  assert.equal(told.resting.length, 1);
  assert.deepEqual(told.failing, ['http://m/v1 m']);
  assert.match(told.attention.join(), /model endpoint http:\/\/m\/v1 m keeps failing/);
  assert.equal(told.counts.waiting, 0);
  assert.equal(told.paused, false);
  assert.ok(Array.isArray(told.attention));
  if (rig.redis.pid !== null) assert.match(told.attention.join(), /OPERATOR_REDIS_NOT_DURABLE/);
});

test('status is told again and again, as one object per line for a program', async () => {
  const child = spawn(process.execPath, [main, 'status', '--watch', '--every', '1', '--json'], {
    env: environmentWith(environment),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  const ended = once(child, 'exit');
  await until(() => lines.length > 2);
  child.kill('SIGINT');
  assert.deepEqual(await ended, [0, null]);
  for (const line of lines) assert.ok(Array.isArray(JSON.parse(line).concerns));
});

test('status knows the worker by its heartbeat, and what it did of late', async () => {
  await rig.outcomeOf(markedJob('of-late', { tenant: 'acme' }), { kind: 'review' });
  const told = await until(async () => {
    const found = await json('status');
    return found.recent.tenants.acme === 1 && found;
  });
  const [worker] = told.workers;
  assert.deepEqual([worker.life, worker.cells.all, worker.running, worker.paused], ['alive', 1, 0, []]);
  assert.ok(worker.concurrency > 0 && worker.upMs > 0 && worker.sinceEndMs >= 0);
  assert.ok(told.recent.verdicts.clean >= 1);
  const { stdout } = await call('status');
  assert.match(stdout, /^worker \S+ +\d+\.\d+\.\d+, up .*, 0 of \d+ jobs, 1 cells, last end of a job .* ago$/m);
  assert.match(stdout, /^tenant acme +0 wait, 0 run, 1 ended in 5 min$/m);
  assert.match(stdout, /^outcomes, 5 min +.*clean \d/m);
});

test('what others wrote as a heartbeat is left out, and stops nobody', async () => {
  for (const said of [
    '7',
    '{}',
    '{"recent":{},"cells":{}}',
    'no JSON',
    '{"recent":{"verdicts":{"x":"y"}},"cells":{}}',
  ]) {
    await rig.connection.hset(rig.keys.heartbeats, 'odd', said);
    await rig.connection.zadd(rig.keys.heard, Date.now(), 'odd');
    const { workers } = await json('status');
    assert.equal(
      workers.some(({ worker }: { worker: string }) => worker === 'odd'),
      false,
      said,
    );
  }
});

test('quarantine is listed with the job and the stored handler, acknowledged and freed', async () => {
  const { handler, jobId } = await rig.outcomeOf(markedJob('quarantined', { ...patient, tenant: 'acme' }));
  const record = JSON.parse((await rig.connection.get(rig.keys.handler('acme', handler?.digest ?? ''))) ?? '{}');
  const quarantine = new Quarantine(rig.connection, rig.keys);
  const digest = bundleDigest(record.bundle);
  const cause = { reason: 'killed\u001b[2J', jobId, tenant: 'acme', negotiationId: 'n', worker: 'w' };
  await quarantine.add(digest, cause);
  await quarantine.add('f'.repeat(64), 'by an earlier version');
  const listed = await json('quarantine', 'list');
  assert.deepEqual(
    listed.map((one: { digest: string; handler: unknown }) => [one.digest, one.handler]).sort(),
    [
      [digest, { tenant: 'acme', digest: handler?.digest }],
      ['f'.repeat(64), null],
    ].sort(),
  );
  assert.doesNotMatch((await call('quarantine', 'list')).stdout, /[^\P{C}\n]/u);
  assert.match((await call('status')).stdout, /^! 2 bundles that killed a sandbox are in quarantine/m);
  assert.deepEqual(await json('quarantine', 'acknowledge', '--all'), [
    { digest: listed[0].digest, acknowledged: true },
    { digest: listed[1].digest, acknowledged: true },
  ]);
  assert.doesNotMatch((await call('status')).stdout, /^! .*in quarantine/m);
  assert.equal((await call('quarantine', 'free', digest.slice(0, 5))).code, 65, 'too short');
  assert.equal((await call('quarantine', 'free', digest.slice(0, 6))).stdout, `${digest} freed\n`);
  assert.equal((await json('quarantine', 'free', '--all')).length, 1);
  assert.deepEqual(await json('quarantine', 'list'), []);
});

test('inspect tells what became of a job, its text harmless to a terminal', async () => {
  const hostile = { ...markedJob('inspected'), negotiationId: 'n\u001b[2J\u202e' };
  await rig.outcomeOf(hostile, { kind: 'review', jobId: 'inspected\u001b[31m' });
  const { code, stdout } = await call('inspect', 'inspected\u001b[31m');
  assert.equal(code, 0);
  assert.match(stdout, /^outcome +clean$/m);
  assert.match(stdout, /^state +ended$/m);
  assert.doesNotMatch(stdout, /[^\P{C}\n]/u);
  const told = await json('inspect', 'inspected\u001b[31m');
  assert.equal(told.outcome.negotiationId, hostile.negotiationId);
  assert.equal('data' in told, false);

  const nobody = await call('inspect', 'nobody');
  assert.deepEqual({ code: nobody.code, stdout: nobody.stdout }, { code: 65, stdout: '' });
  assert.match(nobody.stderr, /^Cannot inspect job nobody: .*, wanted/);
});

test('inspect tells what the reading of a job came to, and its questions', async () => {
  const jobId = 'inspected-reading';
  rig.answer(jobId, (_nth, { to }) =>
    to === 'read'
      ? {
          kind: 'reply',
          text: '{"of":[5],"claim":"not found","base":2,"set":{"/productId":"X-0"},"tools":{"lookupProduct":{"output":null}},"answer":{"/status/code":404}}\n{"unit":8,"none":"unclear"}',
        }
      : { kind: 'reply', text: soundReply },
  );
  await rig.outcomeOf(markedJob(jobId), { jobId });
  const { stdout } = await call('inspect', jobId);
  assert.match(stdout, /^reading +2 of \d+ sentences, 1 case, 0 confirmed, 0 contested$/m);
  assert.match(stdout, /^unclear +sentence 8: .*Error messages are described in natural language$/m);
});

test('what others wrote into Redis is told as far as it can be read', async () => {
  const closed = { verdict: 'error', messages: [], findings: [null, 7, { code: 'READER_DEADLINE' }] };
  await rig.connection.set(rig.keys.outcome('odd'), JSON.stringify(closed));
  const { code, stdout } = await call('inspect', 'odd');
  assert.equal(code, 0);
  assert.match(stdout, /^finding +READER_DEADLINE: $/m);
  for (const reading of [7, {}, { state: 'complete', questions: [null, 7] }, { questions: 'none' }]) {
    await rig.connection.set(rig.keys.outcome('odd'), JSON.stringify({ ...closed, report: { reading } }));
    assert.equal((await call('inspect', 'odd')).code, 0);
  }
  const letter = { name: 'generate', data: '{}', failedReason: 'x', finishedOn: 'never' };
  await rig.connection.hset(`${rig.keys.queue}:odd`, letter);
  await rig.connection.zadd(`${rig.keys.queue}:failed`, Date.now(), 'odd');
  assert.match((await call('dead-letters', 'list')).stdout, /^odd {2}generate {2}unknown {2}x$/m);
  assert.equal((await call('dead-letters', 'show', 'odd')).code, 0);
  assert.equal((await call('dead-letters', 'discard', 'odd')).code, 0);
});

test('dead letters are listed, shown, requeued and discarded', async () => {
  await deadLetter('dead-one');
  await deadLetter('dead-two');
  const listed = await json('dead-letters', 'list');
  assert.deepEqual(listed.map(({ jobId }: { jobId: string }) => jobId).sort(), ['dead-one', 'dead-two']);
  assert.match((await call('dead-letters', 'list')).stdout, /dead-one {2}review .*DEFECT_UNCODED/);
  assert.match((await call('status')).stdout, /^! 2 dead letters/m);
  const shown = await json('dead-letters', 'show', 'dead-one');
  assert.equal(shown.data.negotiationId, 'dead-one-again');

  const [requeued] = await json('dead-letters', 'requeue', 'dead-one');
  assert.notEqual(requeued.newJobId, 'dead-one');
  assert.equal((await rig.outcome(requeued.newJobId)).negotiationId, 'dead-one-again');
  const discarded = await call('dead-letters', 'discard', 'dead-two', 'dead-three');
  assert.equal(discarded.code, 65);
  assert.equal(discarded.stdout, 'dead-two discarded\n');
  assert.match(discarded.stderr, /^JOB_NOT_DEAD: .*dead-three/);
  assert.deepEqual(await json('dead-letters', 'list'), []);

  await deadLetter('dead-four');
  await deadLetter('dead-five');
  assert.equal((await json('dead-letters', 'discard', '--all')).length, 2);
  assert.deepEqual(await json('dead-letters', 'list'), []);
});

test('retry requeues a dead letter, and has a job that was put back come at once', async () => {
  await deadLetter('again');
  const retried = await json('retry', 'again');
  assert.equal(retried.did, 'requeued');
  assert.equal((await rig.outcome(retried.newJobId)).negotiationId, 'again-again');

  const jobId = 'put-back';
  await rig.queue.add('review', markedJob(jobId), { jobId, delay: 3_600_000 });
  await rig.connection.zadd(rig.keys.due, Date.now() + 3_600_000, jobId);
  assert.deepEqual(await json('retry', jobId), { did: 'promoted', jobId });
  assert.notEqual((await rig.outcome(jobId)).kind, null);

  const odd = 'put-back-without-json';
  await rig.queue.add('review', markedJob(odd), { jobId: odd, delay: 3_600_000 });
  await rig.connection.hset(`${rig.keys.queue}:${odd}`, 'data', 'no JSON');
  assert.deepEqual(await json('retry', odd), { did: 'promoted', jobId: odd });
  assert.equal((await rig.outcome(odd)).verdict, 'error');

  const ended = await call('retry', jobId);
  assert.equal(ended.code, 65);
  assert.match(ended.stderr, /^Cannot retry job put-back: it has its outcome/);
  assert.equal((await call('retry', 'nobody')).code, 65);
});

test('a job that no worker has taken from the intake stream is not retried, and told from one that nobody knows', async () => {
  await rig.connection.xadd('{nobody}:intake', '*', 'jobId', 'early', 'data', JSON.stringify(markedJob('early')));
  const environment = { REDIS_URL: rig.redis.url, PROTOSMITH_PREFIX: '{nobody}' };
  const early = await commandHere(['retry', 'early'], { environment });
  assert.equal(early.code, 65);
  assert.match(early.stderr, /^Cannot retry job early: it is on the intake stream, .*, wanted a dead letter/);
  const nobody = await commandHere(['retry', '--json', 'late'], { environment });
  assert.equal(nobody.code, 65);
  assert.match(JSON.parse(nobody.stdout).why, /nor on the intake stream/);
});

test('drain stops all workers, and resume lets them go on', async () => {
  const drained = await json('drain', '--for', '20');
  assert.deepEqual(drained, { drained: true, active: 0, waiting: 0 });
  assert.match((await call('status')).stdout, /^! the queue is paused for all workers, by \S+ at \d{4}-/m);
  const jobId = await rig.submit(markedJob('drained', patient), { kind: 'review' });
  assert.match((await call('status')).stdout, /^! the queue is paused for all workers/m);
  assert.equal(await rig.producer.outcomeOf(jobId), null);
  assert.match((await call('inspect', jobId)).stdout, /^state +(waiting|paused)$/m);
  assert.deepEqual(await json('drain', '--resume'), { resumed: true });
  assert.equal((await rig.outcome(jobId)).verdict, 'clean');
});

test('drain that jobs outlast ends with 2', async () => {
  rig.answer('outlasts', () => ({ kind: 'stall' }));
  const jobId = await rig.submit(markedJob('outlasts', patient));
  await until(async () => (await rig.queue.getActiveCount()) === 1);
  const { code, stdout } = await call('drain', '--for', '1');
  assert.equal(code, 2);
  assert.match(stdout, /^not drained: 1 jobs? still runs?/);
  await json('drain', '--resume');
  await rig.producer.cancel(jobId);
  await rig.outcome(jobId);
});

test('wrong calls end with 64 and say what is wanted', async () => {
  const calls = [
    ['status', 'x'],
    ['inspect'],
    ['retry', 'a', 'b'],
    ['drain', '--for', 'soon'],
    ['dead-letters', 'eat'],
    ['dead-letters', 'requeue'],
    ['dead-letters', 'discard', 'a', '--all'],
    ['dead-letters', 'list', '--limit', '0'],
    ['quarantine', 'eat'],
    ['quarantine', 'free'],
    ['quarantine', 'free', 'a', '--all'],
    ['status', '--every', '0'],
    ['handlers', 'constructor'],
    ['handlers', 'withdraw', 'a'],
    ['handlers', 'list', '--tenant', 'a:b'],
    ['console', '--port', '70000'],
  ];
  for (const args of calls) {
    const { code, stdout, stderr } = await call(...args);
    assert.deepEqual({ args, code, stdout }, { args, code: 64, stdout: '' });
    assert.match(stderr, /^Cannot read arguments: .*wanted/);
  }
});

test('with a Redis that is full they end with 69, and say so', {
  skip: rig.redis.pid === null && 'the embedded Redis is never full',
}, async () => {
  const { handler } = await rig.outcomeOf(markedJob('full', patient));
  await rig.connection.config('SET', 'maxmemory', '1mb');
  try {
    for (const args of [
      ['drain', '--for', '1'],
      ['handlers', 'pin', handler?.digest ?? ''],
    ]) {
      const { code, stderr } = await call(...args);
      assert.equal(code, 69, args.join(' '));
      assert.match(stderr, /^PLATFORM_REDIS_FULL: Cannot change the queue: .*, wanted room\n$/);
    }
    assert.match((await call('status')).stdout, /^! OPERATOR_REDIS_NEARLY_FULL/m);
  } finally {
    await rig.connection.config('SET', 'maxmemory', '0');
  }
  await json('drain', '--resume');
});

test('without Redis they end with 69', async () => {
  for (const args of [['status'], ['handlers', 'list']]) {
    const { code, stderr } = await runCommand(args, { environment: { REDIS_URL: 'redis://127.0.0.1:1' } });
    assert.equal(code, 69, args.join(' '));
    assert.match(stderr, /^PLATFORM_REDIS_UNREACHABLE: /);
  }
});
