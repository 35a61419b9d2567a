import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect as dial } from 'node:net';
import { networkInterfaces } from 'node:os';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  connect,
  createConsumer,
  createProducer,
  disconnect,
  localRedis,
  redisServerPath,
} from '../../queues/index.ts';
import { jobReader } from '../../src/pipeline/job-reader.ts';
import { envelope, jobData, until } from './queue-under-test.ts';

test('the embedded Redis serves a whole job, on loopback only', async (t) => {
  const redis = await localRedis({ kind: 'embedded' });
  t.after(() => redis.close());
  assert.equal(redis.kind, 'embedded');
  const consumer = createConsumer({
    jobs: jobReader,
    url: redis.url,
    process: async ({ kind, data }) => envelope(kind, data),
  });
  const producer = createProducer({ jobs: jobReader, url: redis.url });
  await consumer.ready();
  const { jobId } = await producer.submit('generate', jobData());
  const found = await producer.waitForOutcome(jobId, { untilMs: Date.now() + 20_000 });
  assert.equal(found?.verdict, 'generated');
  await producer.close();
  await consumer.close();

  const outside = Object.values(networkInterfaces())
    .flat()
    .find((address) => address?.family === 'IPv4' && !address.internal)?.address;
  if (outside === undefined) return;
  const socket = dial(Number(new URL(redis.url).port), outside);
  const [error] = await once(socket, 'error');
  assert.equal((error as NodeJS.ErrnoException).code, 'ECONNREFUSED');
});

test('the embedded Redis is refused in production', async (t) => {
  const before = process.env.NODE_ENV;
  process.env.NODE_ENV = 'production';
  t.after(() => {
    if (before === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = before;
  });
  await assert.rejects(localRedis({ kind: 'embedded' }), { code: 'OPERATOR_EMBEDDED_REDIS' });
});

test('without a server on the path the embedded one is taken', async (t) => {
  const before = process.env.PATH;
  process.env.PATH = '';
  t.after(() => {
    process.env.PATH = before;
  });
  const redis = await localRedis();
  assert.equal(redis.kind, 'embedded');
  await redis.close();
  await assert.rejects(localRedis({ kind: 'valkey-server' }), { code: 'OPERATOR_NO_REDIS' });
});

test('a server on the path is taken, and ends with the process that started it', {
  skip: redisServerPath() === undefined ? 'no redis-server or valkey-server on the path' : false,
}, async () => {
  const index = fileURLToPath(new URL('../../queues/index.ts', import.meta.url));
  const script = `import { localRedis } from ${JSON.stringify(index)}; const redis = await localRedis(); console.log(redis.pid); process.exit(0);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  await once(child, 'exit');
  const pid = Number(said.trim());
  assert.ok(pid > 0);
  await until(() => {
    try {
      process.kill(pid, 0);
      return false;
    } catch {
      return true;
    }
  });
});

test('URLs of every form are read, and none that is faulty is repeated', async () => {
  for (const url of [
    '',
    'http://x',
    'redis://h:port',
    'redis://h/x',
    'redis+sentinel://h',
    'redis://u:secret@h:1:2',
    'redis://%zz@h',
  ]) {
    assert.throws(
      () => connect(url, 'caller'),
      (error: Error) =>
        'code' in error && error.code === 'OPERATOR_REDIS_URL_INVALID' && !error.message.includes('secret'),
      url,
    );
  }
  for (const url of [
    'redis://u:p%40@127.0.0.1:1/3',
    'redis+cluster://127.0.0.1:1,[::1]:2',
    'redis+sentinel://127.0.0.1:1/main',
  ]) {
    await disconnect(connect(url, 'caller'));
  }
});
