import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { INTAKE_GROUP, localRedis } from '../../queues/index.ts';
import { commandHere } from './command-here.ts';
import { markedJob, startRig, until } from './harness.ts';
import { gone, named, patient, skip, statusOf, warmRig } from './status-names.ts';

// Most of the time is spent waiting: for heartbeats, circuits and silent servers.
describe('status alone names', { concurrency: 2, skip }, () => {
  test('a full Redis', async (t) => {
    const { rig } = await warmRig(t);
    await rig.connection.config('SET', 'maxmemory', '1mb');
    await named(rig.redis.url, 'Redis full', 'redis-unwritable', /PLATFORM_REDIS_FULL/);
    await rig.connection.config('SET', 'maxmemory', '0');
    await gone(rig.redis.url, 'redis-unwritable');
  });

  test('a Redis that is killed, and its return', async (t) => {
    const dir = await mkdtemp(join(tmpdir(), 'protosmith-aof-'));
    const rig = await startRig({ dir });
    let again = rig.redis;
    t.after(async () => {
      await rig.close();
      await again.close();
      await rm(dir, { recursive: true, force: true });
    });
    await rig.worker();
    process.kill(rig.redis.pid ?? 0, 'SIGKILL');
    await named(rig.redis.url, 'Redis killed', 'redis-unreachable', /PLATFORM_REDIS_UNREACHABLE/);
    assert.equal((await statusOf(rig.redis.url)).code, 69);
    again = await localRedis({ dir, port: Number(new URL(rig.redis.url).port) });
    await named(rig.redis.url, 'Redis back', 'redis-restarted', /Redis started .* ago, while workers ran/);
  });

  test('a worker that is killed, and that none is left', async (t) => {
    const { rig, worker } = await warmRig(t);
    rig.answer('killed', () => ({ kind: 'stall' }));
    const jobId = await rig.submit(markedJob('killed', patient), { jobId: 'killed-job' });
    await until(() => rig.questions('killed')[0], 'the model to be asked');
    await until(async () => {
      const { stdout } = await commandHere(['status', '--json'], { environment: { REDIS_URL: rig.redis.url } });
      return JSON.parse(stdout).workers[0]?.jobs.includes(jobId);
    }, 'the job in a heartbeat');
    const sinceMs = Date.now();
    worker.signal('SIGKILL');
    await named(
      rig.redis.url,
      'worker killed',
      'worker-gone',
      new RegExp(`${worker.pid}.*ran 1 job \\(killed-job\\)`),
      sinceMs,
    );
    await named(rig.redis.url, 'no worker', 'no-worker', /no worker is connected, and \d+ jobs? waits?/, sinceMs);
    await named(rig.redis.url, 'no worker', 'jobs-late', /1 of 1 open job will miss/, sinceMs);
    await rig.worker();
    await gone(rig.redis.url, 'no-worker');
  });

  test('a permission that Redis takes away', async (t) => {
    const rig = await startRig();
    t.after(() => rig.close());
    await rig.connection.call('ACL', 'SETUSER', 'app', 'on', '>pw', '~*', '+@all');
    const url = rig.redis.url.replace('//', '//app:pw@');
    await rig.worker({ REDIS_URL: url });
    const sinceMs = Date.now();
    await rig.connection.call('ACL', 'SETUSER', 'app', '-xadd');
    const { remedy } = await named(
      url,
      'ACL lacks a command',
      'redis-permission',
      /user app may not use xadd/,
      sinceMs,
    );
    assert.match(remedy, /ACL SETUSER app \+xadd/);
    // Operators may look with another user: then the workers say what they met.
    await rig.queue.add('generate', { version: 1 }, { jobId: 'forbidden' });
    await named(rig.redis.url, 'ACL lacks a command', 'redis-permission', /user app may not use xadd/, sinceMs);
    await rig.connection.call('ACL', 'SETUSER', 'app', '+xadd');
    await gone(rig.redis.url, 'redis-permission', /may not use/);
  });

  test('a worker that Redis does not permit to start', async (t) => {
    const rig = await startRig();
    t.after(() => rig.close());
    await rig.connection.call('ACL', 'SETUSER', 'app', 'on', '>pw', '~*', '+@all', '-zmscore');
    await assert.rejects(rig.worker({ REDIS_URL: rig.redis.url.replace('//', '//app:pw@') }));
    await named(rig.redis.url, 'worker without a permission', 'worker-failed', /OPERATOR_REDIS_PERMISSION.*ZMSCORE/);
    await named(rig.redis.url, 'no worker', 'no-worker', /no worker is connected/);
  });

  test('a reader that is behind', async (t) => {
    const { rig } = await warmRig(t);
    await rig.connection.xgroup('CREATE', rig.keys.outcomes('late'), 'readers', '0', 'MKSTREAM');
    await rig.outcomeOf(markedJob('unread', { replyTo: 'late' }), { kind: 'review' });
    await named(
      rig.redis.url,
      'reader behind',
      'reader-behind',
      /group readers is behind on outcomes of late: 1 not read/,
    );
    assert.equal(
      (await statusOf(rig.redis.url)).concerns.some(({ cause }) => cause.includes(INTAKE_GROUP)),
      false,
    );
  });
});
