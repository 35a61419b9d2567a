import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Connection, keysOf, Leases } from '../../queues/index.ts';
import { queueUnderTest } from './queue-under-test.ts';

const keys = keysOf();
const { signal } = new AbortController();

test('work that is over leaves its lease to others, and asks Redis for nothing more', async (t) => {
  const { connection } = await queueUnderTest(t);
  let renewals = 0;
  const counting = new Proxy(connection, {
    get(target, name) {
      if (name === 'eval') renewals += 1;
      const member = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  }) as Connection;
  const holdMs = 3_000;
  const turn = { untilMs: Date.now() + 600_000, signal, holdMs, found: async () => null };
  for (const work of [async () => 'made', () => Promise.reject(new Error('no'))]) {
    await new Leases(counting, keys).single('key', { ...turn, work }).catch(() => undefined);
    assert.equal(await connection.exists(keys.lease('key')), 0);
  }
  const before = renewals;
  await sleep(holdMs / 2);
  assert.equal(renewals, before);
});

test('what another made meanwhile is taken without taking the lease', async (t) => {
  const { connection } = await queueUnderTest(t);
  const leases = new Leases(connection, keys);
  const other = await leases.acquire('key', 600_000);
  const held: number[] = [];
  const made = leases.single('key', {
    untilMs: Date.now() + 600_000,
    signal,
    found: async () => {
      held.push(await connection.exists(keys.lease('key')));
      return 'made';
    },
    work: async () => assert.fail('it is there'),
  });
  await other?.release();
  assert.equal(await made, 'made');
  assert.deepEqual(held, [0]);
});

test('whoever is called off waits for no lease, and takes none', async (t) => {
  const { connection } = await queueUnderTest(t);
  const leases = new Leases(connection, keys);
  assert.equal(await leases.whenFree('key', { untilMs: Date.now() + 600_000, signal: AbortSignal.abort() }), false);
  const stop = new AbortController();
  const other = await leases.acquire('key', 600_000);
  const waiting = leases.single('key', {
    untilMs: Date.now() + 600_000,
    signal: stop.signal,
    found: async () => null,
    work: async () => assert.fail('it was called off'),
  });
  stop.abort();
  assert.equal(await waiting, null);
  assert.equal(await other?.renew(), true);
});
