import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConsumerHealth } from '../../queues/index.ts';
import { cachedCheck, consumerChecks, freshCheck, Progress } from '../../src/telemetry/worker-health.ts';

const fetching: ConsumerHealth = {
  connected: true,
  paused: [],
  running: 0,
  concurrency: 10,
  sinceFetchMs: 100,
  closing: false,
};

/** A worker whose health and clock are set by hand. */
function worker() {
  let health = fetching;
  let nowMs = 0;
  const progress = new Progress(
    () => health,
    () => nowMs,
  );
  return {
    at(ms: number, more: Partial<ConsumerHealth>) {
      nowMs = ms;
      health = { ...fetching, ...more };
      return progress.checks().every(({ well }) => well);
    },
    close: () => progress.close(),
  };
}

test('a worker that could fetch and does not is stuck, however well its connections look', (t) => {
  const one = worker();
  t.after(one.close);
  assert.equal(one.at(10_000, { sinceFetchMs: 10_000 }), true);
  assert.equal(one.at(31_000, { sinceFetchMs: 31_000 }), false);
  assert.equal(one.at(32_000, { sinceFetchMs: 100 }), true);
});

test('a worker that has a reason not to fetch lives, and has time to begin again', (t) => {
  const one = worker();
  t.after(one.close);
  for (const reason of [
    { connected: false },
    { paused: ['Redis takes no writes'] },
    { running: 10 },
    { closing: true },
  ]) {
    assert.equal(one.at(100_000, { ...reason, sinceFetchMs: 100_000 }), true);
  }
  // Redis is back this very second: nobody could have fetched yet.
  assert.equal(one.at(101_000, { sinceFetchMs: 101_000 }), true);
  assert.equal(one.at(140_000, { sinceFetchMs: 140_000 }), false);
});

test('slots that are all taken for longer than any job may last are no progress', (t) => {
  const one = worker();
  t.after(one.close);
  assert.equal(one.at(2_000_000, { running: 10, sinceFetchMs: 2_000_000 }), true);
  assert.equal(one.at(3_000_000, { running: 10, sinceFetchMs: 3_000_000 }), false);
});

test('a paused, stopping, cut-off or silent worker is not ready, and says why', () => {
  const ill = (more: Partial<ConsumerHealth>) =>
    consumerChecks({ ...fetching, ...more })
      .filter(({ well }) => !well)
      .map(({ name, says }) => `${name}: ${says}`);
  assert.deepEqual(ill({}), []);
  assert.deepEqual(ill({ connected: false }), ['connection: Redis is away']);
  assert.deepEqual(ill({ paused: ['a', 'b'] }), ['intake: paused: a; b']);
  assert.deepEqual(ill({ closing: true }), ['intake: stopping']);
  assert.deepEqual(ill({ sinceFetchMs: 20_000 }), ['blocking-connection: no fetch for 20 s']);
  assert.deepEqual(ill({ sinceFetchMs: 20_000, running: 10 }), []);
});

test('a good answer is reused, after a bad one the check runs again', async () => {
  let looks = 0;
  let well = false;
  const check = cachedCheck('canary', async () => {
    looks += 1;
    return { well, says: String(looks) };
  });
  assert.deepEqual(await check(), { name: 'canary', well: false, says: '1' });
  well = true;
  assert.deepEqual(await check(), { name: 'canary', well: true, says: '2' });
  assert.deepEqual(await check(), { name: 'canary', well: true, says: '2' });
});

test('what fails or hangs is ill, and is looked at once at a time', async () => {
  const failing = freshCheck('redis', () => Promise.reject(new Error('no answer')));
  assert.deepEqual(await failing(), { name: 'redis', well: false, says: 'no answer' });
  let looks = 0;
  const hanging = freshCheck('redis', () => {
    looks += 1;
    return new Promise<never>(() => undefined);
  });
  const [one, other] = await Promise.all([hanging(), hanging()]);
  assert.deepEqual([one.well, other.well, looks], [false, false, 1]);
});
