import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  connect,
  disconnect,
  HandlerRecords,
  keysOf,
  localRedis,
  Quarantine,
  redisServerPath,
} from '../../queues/index.ts';
import { bundleDigest } from '../../sandbox/index.ts';
import { readConfig } from '../../src/config.ts';
import type { HandlerRecord } from '../../src/contract/handler.ts';
import { createHandlerStore } from '../../src/handlers/redis-handler-store.ts';
import { openStore } from '../../src/operator/handlers/store-access.ts';

const skip = redisServerPath() === undefined ? 'needs a real redis-server to freeze' : false;

test('a Redis that is frozen keeps nobody waiting for a handler, nor for a run that killed its cell', {
  skip,
}, async (t) => {
  const redis = await localRedis();
  const store = openStore(readConfig({ REDIS_URL: redis.url }));
  t.after(async () => {
    process.kill(redis.pid ?? 0, 'SIGCONT');
    await store.close();
    await redis.close();
  });
  const digest = 'a'.repeat(64);
  await assert.rejects(store.served('default', digest), { code: 'JOB_HANDLER_UNKNOWN' });
  await assert.rejects(store.served('default', 'x'.repeat(100_000)), ({ message }: Error) => message.length < 300);
  process.kill(redis.pid ?? 0, 'SIGSTOP');
  const asked = [store.served('default', digest), store.quarantine.has(digest)];
  for (const answer of asked) await assert.rejects(answer, { code: 'PLATFORM_REDIS_UNREACHABLE' });
  // Whoever runs it keeps it out by itself then.
  await assert.rejects(store.quarantine.add(digest));
});

test('a handler that was served may be run until it is withdrawn or in quarantine, and while Redis is away', async (t) => {
  const redis = await localRedis();
  const config = readConfig({ REDIS_URL: redis.url });
  const store = openStore(config);
  const connection = connect(redis.url, 'worker');
  t.after(async () => {
    await Promise.all([store.close(), disconnect(connection)]);
    await redis.close();
  });
  const keys = keysOf(config.prefix);
  const records = new HandlerRecords(connection, keys);
  const bundle = 'export const handle = () => 1;';
  const stored = { digest: 'd', bundle, provenance: {}, proof: {} } as unknown as HandlerRecord;
  await records.put('mine', 'd', JSON.stringify(stored));
  const record = await store.served('mine', 'd');
  assert.equal(await store.isServed('mine', record), true);
  await records.withdraw('mine', 'd', 'leaks');
  assert.deepEqual([await store.isServed('mine', record), await store.isServed('other', record)], [false, true]);
  await records.restore('mine', 'd');
  assert.equal(await store.isServed('mine', record), true);
  await new Quarantine(connection, keys).add(bundleDigest(bundle), 'killed its cell');
  assert.equal(await store.isServed('mine', record), false);
  await store.close();
  assert.equal(await store.isServed('mine', record), true);
});

test('how many handlers a tenant may have, and how long a bundle stays in quarantine, are settings', async (t) => {
  const redis = await localRedis();
  const config = readConfig({
    REDIS_URL: redis.url,
    PROTOSMITH_TENANT_HANDLERS: '2',
    PROTOSMITH_QUARANTINE_S: '100',
  });
  const connection = connect(redis.url, 'worker');
  const access = openStore(config);
  t.after(async () => {
    await Promise.all([access.close(), disconnect(connection)]);
    await redis.close();
  });
  const keys = keysOf(config.prefix);
  const store = createHandlerStore(connection, config);
  for (const digest of ['d1', 'd2', 'd3']) {
    await store.put({ digest, provenance: { tenant: 'mine' }, proof: {} } as unknown as HandlerRecord, 'key');
    await sleep(3);
  }
  assert.deepEqual(
    (await store.find('mine', 'key')).map(({ digest }) => digest),
    ['d3', 'd2'],
  );
  await access.quarantine.add('b');
  const left = await connection.ttl(keys.quarantined('b'));
  assert.ok(left > 90 && left <= 100, `${left} s`);
  for (const [name, value] of [
    ['PROTOSMITH_TENANT_HANDLERS', '0'],
    ['PROTOSMITH_QUARANTINE_S', '5'],
  ] as const)
    assert.throws(() => readConfig({ [name]: value }), new RegExp(`${name}: "${value}", wanted a whole number from`));
});
