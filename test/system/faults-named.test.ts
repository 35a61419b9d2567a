import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Behaviour } from '../../src/scripted-model/server.ts';
import { commandHere } from './command-here.ts';
import { markedJob, type Rig } from './harness.ts';
import { gone, killer, named, patient, probe, skip, sound, warmRig } from './status-names.ts';

// Most of the time is spent waiting: for heartbeats, circuits and silent servers.
describe('status alone names', { concurrency: 2, skip }, () => {
  test('a refused key: jobs wait, and go on by themselves when it is mended', async (t) => {
    const { rig, worker } = await warmRig(t, { PROTOSMITH_PORT: '0' });
    const { port } = await worker.logged(({ msg }) => msg === 'listening');
    let refuses = true;
    const answer = (): Behaviour => (refuses ? { kind: 'status', status: 401 } : sound);
    for (const mark of [probe, 'refused-key']) rig.answer(mark, answer);
    const jobIds = await Promise.all([1, 2, 3].map((nth) => rig.submit(markedJob(`refused-key-${nth}`, patient))));
    const concern = await named(rig.redis.url, 'refused key', 'endpoint-refused', /OPERATOR_MODEL_AUTH.*status 401/);
    assert.match(concern.cause, new RegExp(`${new URL(rig.modelUrl).host}.* scripted refuses us since \\d{4}-`));
    assert.match(concern.remedy, /OPENAI_API_KEY/);
    await worker.logged(({ msg, code }) => msg === 'paused' && code === 'OPERATOR_MODEL_AUTH');
    const ready = await fetch(`http://127.0.0.1:${port}/readyz`);
    assert.equal(ready.status, 503);
    assert.match(await ready.text(), /paused: no model endpoint answers.*OPERATOR_MODEL_AUTH.*since \d{4}-/);
    const asked = rig.questions('refused-key').length;
    assert.ok(asked <= 6, `${asked} questions of jobs met the refused key`);
    refuses = false;
    for (const jobId of jobIds) assert.equal((await rig.outcome(jobId)).verdict, 'generated');
    await gone(rig.redis.url, 'endpoint-refused');
  });

  test('a refused key to the end of a job, whose outcome names it, and a worker with a good key goes on', async (t) => {
    const { rig } = await warmRig(t, { OPENAI_API_KEY: 'sk-bad' });
    const answer: Parameters<Rig['answer']>[1] = (_, { headers }) =>
      headers.authorization === 'Bearer sk-good' ? sound : { kind: 'status', status: 401 };
    for (const mark of [probe, 'bad-key']) rig.answer(mark, answer);
    // Its first job finds a worker warm: the deadline of the next is short.
    await rig.outcomeOf(markedJob('bad-key-warm', patient), { kind: 'review' });
    const ends = await rig.submit(markedJob('bad-key-ends', { timeoutMs: 30_000 }));
    const waits = await rig.submit(markedJob('bad-key-waits', patient));
    const { verdict, findings } = await rig.outcome(ends);
    assert.deepEqual([verdict, findings.map(({ code }) => code)], ['error', ['OPERATOR_MODEL_AUTH']]);
    assert.match(findings[0]?.message ?? '', new RegExp(`at ${new URL(rig.modelUrl).host}: status 401`));
    await named(rig.redis.url, 'refused key', 'endpoint-refused', /OPERATOR_MODEL_AUTH/);
    assert.equal(await rig.producer.outcomeOf(waits), null);
    await rig.worker({ OPENAI_API_KEY: 'sk-good' });
    assert.equal((await rig.outcome(waits)).verdict, 'generated');
  });

  test('a model that hangs', async (t) => {
    const { rig } = await warmRig(t);
    rig.answer('hangs', () => ({ kind: 'stall' }));
    await Promise.all([1, 2, 3].map((nth) => rig.submit(markedJob(`hangs-${nth}`, { timeoutMs: 120_000 }))));
    await named(rig.redis.url, 'model hangs', 'endpoint-failing', /silent for up to|PLATFORM_MODEL_STALLED/);
  });

  test('a model that has answered, and then sends headers and no word, before any call is given up', async (t) => {
    const { rig } = await warmRig(t);
    rig.answer('answered', () => sound);
    await rig.outcomeOf(markedJob('answered', patient));
    rig.answer('mute', () => ({ kind: 'stall', text: '' }));
    await Promise.all([1, 2, 3].map((nth) => rig.submit(markedJob(`mute-${nth}`, patient))));
    await named(rig.redis.url, 'model mute', 'endpoint-failing', /is silent; 0 of \d+ calls? .*silent for up to/);
  });

  test('a storm of 429', async (t) => {
    const { rig, worker } = await warmRig(t);
    rig.answer('storm', () => ({ kind: 'status', status: 429 }));
    await Promise.all([1, 2, 3, 4].map((nth) => rig.submit(markedJob(`storm-${nth}`, { timeoutMs: 120_000 }))));
    const { remedy } = await named(rig.redis.url, '429 storm', 'endpoint-failing', /PLATFORM_MODEL_RATE_LIMITED \d/);
    assert.match(remedy, /PROTOSMITH_CONCURRENCY/);
    const line = await worker.logged(({ msg }) => msg === 'model-failed');
    assert.deepEqual([line.level, line.code, line.count], ['warn', 'PLATFORM_MODEL_RATE_LIMITED', 1]);
  });

  test('an invalid job of a foreign producer', async (t) => {
    const { rig } = await warmRig(t);
    const data = { version: 1, tenant: 'acme', replyTo: 'acme-negotiator', surprise: '\u001b[2J' };
    await rig.queue.add('generate', data, { jobId: 'foreign-1' });
    const concern = await named(
      rig.redis.url,
      'invalid job',
      'invalid-jobs',
      /tenant acme.*acme-negotiator.*JOB_\w+.*foreign-1/,
    );
    assert.match(concern.remedy, /protosmith inspect foreign-1/);
  });

  test('a flood of one tenant', async (t) => {
    const { rig } = await warmRig(t, { PROTOSMITH_CONCURRENCY: '2' });
    rig.answer('flood', () => ({ kind: 'stall' }));
    const job = (nth: number, tenant: string) => markedJob(`flood-${tenant}-${nth}`, { ...patient, tenant });
    const noisy = Array.from({ length: 300 }, (_, nth) => ({
      name: 'generate',
      data: job(nth, 'noisy'),
      opts: { jobId: `noisy-${nth}` },
    }));
    await rig.queue.addBulk(noisy);
    await rig.queue.addBulk(
      [1, 2].map((nth) => ({ name: 'generate', data: job(nth, 'quiet'), opts: { jobId: `quiet-${nth}` } })),
    );
    const { cause } = await named(
      rig.redis.url,
      'tenant flood',
      'tenant-flood',
      /tenant noisy has about \d+ of \d+ waiting jobs/,
    );
    const [, held = 0] = /about (\d+) of/.exec(cause) ?? [];
    assert.ok(Math.abs(Number(held) - 298) < 30, cause);
  });

  test('a bundle that kills the sandbox', async (t) => {
    const { rig } = await warmRig(t, { PROTOSMITH_MAX_COMPLETIONS: '1' });
    rig.answer('cell-killer', () => ({ kind: 'reply', text: killer }));
    const jobId = await rig.submit(markedJob('cell-killer', { ...patient, tenant: 'acme' }));
    const { cause } = await named(
      rig.redis.url,
      'bundle kills the sandbox',
      'quarantine',
      /in quarantine, the last one [0-9a-f]{12}/,
    );
    assert.match(cause, new RegExp(`run for job ${jobId.slice(0, 20)}.* of tenant acme`));
    const call = (...args: string[]) =>
      commandHere(['quarantine', ...args], { environment: { REDIS_URL: rig.redis.url } });
    const { stdout } = await call('list');
    assert.match(stdout, new RegExp(`^ {2}job +${jobId}$`, 'm'));
    assert.match(stdout, /^ {2}handler +none is stored: it was a candidate$/m);
    const [digest = ''] = /^[0-9a-f]{64}$/m.exec(stdout) ?? [];
    assert.equal((await call('acknowledge', digest.slice(0, 8))).stdout, `${digest} acknowledged\n`);
    await gone(rig.redis.url, 'quarantine');
    assert.equal((await call('free', 'ffffffff')).code, 65);
    assert.equal((await call('free', '--all')).stdout, `${digest} freed\n`);
    assert.equal((await call('list')).stdout, 'no bundle is in quarantine\n');
  });
});
