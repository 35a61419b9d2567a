import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { connect, disconnect, localRedis, redisServerPath, whenReady } from '../../queues/index.ts';
import { certificate } from './certificate.ts';
import { freePorts } from './free-ports.ts';

const skip = redisServerPath() === undefined ? 'needs a real redis-server, with TLS' : false;

test('a Redis that asks its clients for a certificate is reached with the files that the URL names', {
  skip,
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'protosmith-test-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const made = certificate(folder);
  if (made === null) return t.skip('needs openssl to make a certificate');
  const [port = 0] = await freePorts(1);
  const files = ['--tls-cert-file', made.cert, '--tls-key-file', made.key, '--tls-ca-cert-file', made.cert];
  const redis = await localRedis({ args: ['--tls-port', String(port), ...files] });
  t.after(() => redis.close());
  const ask = async (options: string) => {
    const connection = connect(`rediss://127.0.0.1:${port}${options}`, 'caller');
    t.after(() => disconnect(connection));
    await whenReady(connection, 3_000);
    return connection.ping();
  };
  assert.equal(await ask(`?tlsCa=${made.cert}&tlsCert=${made.cert}&tlsKey=${made.key}`), 'PONG');
  await assert.rejects(ask(`?tlsCa=${made.cert}`), { code: 'PLATFORM_REDIS_UNREACHABLE' }, 'no certificate');
  await assert.rejects(ask(''), { code: 'PLATFORM_REDIS_UNREACHABLE' }, 'who signed it is not trusted');
});

test('a file that cannot be read is named by its option, and its path is not said', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'protosmith-test-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const text = join(folder, 'SECRET.txt');
  writeFileSync(text, 'SECRET');
  for (const [path, found] of [
    [join(folder, 'SECRET'), 'ENOENT'],
    [folder, 'EISDIR'],
    [text, 'no PEM text'],
  ])
    assert.throws(() => connect(`rediss://host?tlsCa=${path}`, 'caller'), {
      code: 'OPERATOR_REDIS_URL_INVALID',
      message: `Cannot read tlsCa of Redis URL: found ${found}, wanted a readable PEM file`,
    });
});
