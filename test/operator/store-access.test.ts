import assert from 'node:assert/strict';
import { test } from 'node:test';
import { localRedis, redisServerPath } from '../../queues/index.ts';
import { readConfig } from '../../src/config.ts';
import { openStore } from '../../src/operator/store-access.ts';

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
  await store.quarantine.add(digest);
});
