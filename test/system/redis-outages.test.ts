import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { localRedis, redisServerPath } from '../../queues/index.ts';
import type { JsonObject } from '../../src/kernel/json.ts';
import type { Behaviour } from '../../src/scripted-model/server.ts';
import { reportFault } from './fault-report.ts';
import { markedJob, soundReply, startRig, until, type WorkerUnderTest } from './harness.ts';

const skip = redisServerPath() === undefined ? 'needs a real redis-server to kill, freeze or fill' : false;
const patient: JsonObject = { timeoutMs: 120_000 };
const sound: Behaviour = { kind: 'reply', text: soundReply };
/** Some seconds long. */
const slow: Behaviour = { ...sound, pieceCharacters: 150, pauseMs: 400 };
const generated = ({ verdict }: { verdict: string }) => verdict === 'generated';

/** Waits until a worker takes one of the jobs, none of which it could take before. */
async function tookAgain(worker: WorkerUnderTest, jobIds: readonly string[]): Promise<void> {
  await worker.logged(({ msg, job }) => msg === 'taken' && jobIds.includes(job ?? ''));
}

// Most of the time is spent waiting: the faults last.
describe('Redis', { concurrency: 4, skip }, () => {
  test('is killed and away for 30 s: what ran, what waited and what is new then is done', async (t) => {
    const dir = await mkdtemp(join(tmpdir(), 'protosmith-aof-'));
    const rig = await startRig({ dir });
    let again = rig.redis;
    t.after(async () => {
      await rig.close();
      await again.close();
      await rm(dir, { recursive: true, force: true });
    });
    // Nothing that was answered is lost: by the usual policy that could be a second's.
    await rig.connection.config('SET', 'appendfsync', 'always');
    const worker = await rig.worker({ PROTOSMITH_CONCURRENCY: '1' });
    rig.answer('away-runs', () => slow);
    for (const mark of ['away-waits', 'away-new']) rig.answer(mark, () => sound);
    const runs = await rig.submit(markedJob('away-runs', patient));
    await until(() => rig.questions('away-runs')[0], 'the model to be asked');
    const waits = await rig.submit(markedJob('away-waits', patient));
    process.kill(rig.redis.pid ?? 0, 'SIGKILL');
    await sleep(30_000);
    again = await localRedis({ dir, port: Number(new URL(rig.redis.url).port) });
    const sinceMs = Date.now();
    const fresh = await until(() => rig.submit(markedJob('away-new', patient)).catch(() => null), 'a job to be taken');
    await tookAgain(worker, [waits, fresh]);
    const outcomes = await reportFault(rig, 'Redis killed, away for 30 s', [runs, waits, fresh], sinceMs);
    assert.ok(outcomes.every(generated), JSON.stringify(outcomes.map(({ findings }) => findings)));
    assert.equal(rig.questions('away-runs').length, 1, 'what the model answered meanwhile is not asked for again');
    const errors = worker.lines.filter(({ msg }) => msg === 'redis-error');
    assert.ok(errors.length < 10, `${errors.length} errors told`);
  });

  test('is frozen for a while: all jobs end as if nothing had happened', async (t) => {
    const rig = await startRig();
    t.after(() => rig.close());
    await rig.worker();
    const marks = ['frozen-a', 'frozen-b', 'frozen-c'];
    for (const mark of marks) rig.answer(mark, () => ({ ...sound, pauseMs: 15 }));
    const jobIds = await Promise.all(marks.map((mark) => rig.submit(markedJob(mark, patient))));
    await until(() => marks.every((mark) => rig.questions(mark).length > 0), 'the model to be asked');
    process.kill(rig.redis.pid ?? 0, 'SIGSTOP');
    await sleep(3_000);
    process.kill(rig.redis.pid ?? 0, 'SIGCONT');
    const outcomes = await reportFault(rig, 'Redis frozen for 3 s', jobIds, Date.now());
    assert.ok(outcomes.every(generated));
  });

  test('is frozen for longer than the lock: the worker that lost its job calls its model off', async (t) => {
    const rig = await startRig();
    t.after(() => rig.close());
    const first = await rig.worker();
    let frozen = true;
    rig.answer('thawed-', () => sound);
    rig.answer('lock-lost', () => (frozen ? { kind: 'reply', text: 'word '.repeat(100_000), pauseMs: 50 } : sound));
    const jobId = await rig.submit(markedJob('lock-lost', patient));
    const question = await until(() => rig.questions('lock-lost')[0], 'the model to be asked');
    const second = await rig.worker();
    process.kill(rig.redis.pid ?? 0, 'SIGSTOP');
    await sleep(17_000);
    assert.equal(question.hungUp.aborted, false);
    frozen = false;
    process.kill(rig.redis.pid ?? 0, 'SIGCONT');
    const sinceMs = Date.now();
    const fresh = await Promise.all(['a', 'b', 'c'].map((mark) => rig.submit(markedJob(`thawed-${mark}`, patient))));
    await Promise.race([tookAgain(first, fresh), tookAgain(second, fresh)]);
    await until(() => question.hungUp.aborted, 'the model call to be dropped');
    const lost = await first.logged((line) => line.msg === 'lock-lost' && line.job === jobId);
    assert.equal(lost.negotiation, 'lock-lost');
    const outcomes = await reportFault(rig, 'Redis frozen for longer than the lock', [jobId, ...fresh], sinceMs);
    assert.ok(outcomes.every(generated), JSON.stringify(outcomes.map(({ findings }) => findings)));
  });

  test('has too few replicas for longer than locks and leases last: what is verified meanwhile is kept', async (t) => {
    const rig = await startRig();
    t.after(() => rig.close());
    const worker = await rig.worker({ PROTOSMITH_CONCURRENCY: '1' });
    rig.answer('replicas-runs', () => slow);
    rig.answer('replicas-waits', () => sound);
    const runs = await rig.submit(markedJob('replicas-runs', patient));
    await until(() => rig.questions('replicas-runs')[0], 'the model to be asked');
    const waits = await rig.submit(markedJob('replicas-waits', patient));
    await rig.connection.config('SET', 'min-replicas-to-write', '1');
    await assert.rejects(rig.submit(markedJob('replicas-new')), { code: 'PLATFORM_REDIS_FEW_REPLICAS' });
    const paused = await worker.logged(({ msg }) => msg === 'paused');
    assert.equal(paused.message, 'Redis takes no writes');
    await sleep(20_000);
    const errors = worker.lines.filter(({ msg }) => msg === 'redis-error');
    assert.ok(errors.length < 10, `${errors.length} errors told`);
    await rig.connection.config('SET', 'min-replicas-to-write', '0');
    const sinceMs = Date.now();
    const outcomes = await reportFault(rig, 'Redis with too few replicas', [runs, waits], sinceMs);
    assert.ok(outcomes.every(generated), JSON.stringify(outcomes.map(({ findings }) => findings)));
    assert.equal(rig.questions('replicas-runs').length, 1, 'what was verified meanwhile is not asked for again');
  });

  test('is full: what is finished waits for room, nothing spins, and nothing is lost', async (t) => {
    const rig = await startRig();
    t.after(() => rig.close());
    const worker = await rig.worker({ PROTOSMITH_CONCURRENCY: '1', PROTOSMITH_PORT: '0' });
    const { port } = await worker.logged(({ msg }) => msg === 'listening');
    rig.answer('full-runs', () => slow);
    rig.answer('full-waits', () => sound);
    const runs = await rig.submit(markedJob('full-runs', patient));
    await until(() => rig.questions('full-runs')[0], 'the model to be asked');
    const waits = await rig.submit(markedJob('full-waits', patient));
    await rig.connection.config('SET', 'maxmemory', '1mb');
    await assert.rejects(rig.submit(markedJob('full-new')), { code: 'PLATFORM_REDIS_FULL' });
    const paused = await worker.logged(({ msg }) => msg === 'paused');
    assert.equal(paused.message, 'Redis takes no writes');
    const ready = await fetch(`http://127.0.0.1:${port}/readyz`);
    assert.equal(ready.status, 503);
    assert.match(await ready.text(), /Redis takes no writes/);
    await sleep(5_000);
    const errors = worker.lines.filter(({ msg }) => msg === 'redis-error');
    assert.ok(errors.length < 10, `${errors.length} errors told`);
    await rig.connection.config('SET', 'maxmemory', '0');
    const sinceMs = Date.now();
    const outcomes = await reportFault(rig, 'Redis full', [runs, waits], sinceMs);
    assert.ok(outcomes.every(generated), JSON.stringify(outcomes.map(({ findings }) => findings)));
  });
});
