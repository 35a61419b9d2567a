import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { after, test } from 'node:test';
import { commandHere } from '../system/command-here.ts';
import { runCommand, startRig } from '../system/harness.ts';

interface Examination {
  subject: string;
  state: string;
  says: string;
  details: Record<string, unknown>;
}

const rig = await startRig();
after(() => rig.close());

async function examine(environment: Record<string, string>) {
  const { code, stdout, stderr } = await commandHere(['doctor', '--json'], { environment });
  assert.equal(stderr, '');
  const found = JSON.parse(stdout) as Examination[];
  return { code, of: (subject: string) => found.find((one) => one.subject === subject) ?? assert.fail(subject) };
}

test('everything there: versions, policy, key names, model, sandbox', async () => {
  const { code, of } = await examine({
    REDIS_URL: rig.redis.url,
    OPENAI_BASE_URL: rig.modelUrl,
    PROTOSMITH_MODEL: 'scripted',
  });
  assert.equal(code, 0);
  assert.equal(of('versions').details.node, process.versions.node);
  assert.match(String(of('versions').details.bullmq), /^\d+\.\d+\.\d+$/);
  assert.equal(of('keys').details.waiting, '{protosmith}:code-generation:wait');
  assert.equal(of('model').state, 'well');
  assert.notEqual(of('sandbox').state, 'ill');
  assert.match(of('sandbox').says, /known-good handler passes/);
  if (rig.redis.pid === null) return;
  assert.equal(of('redis').state, 'warning');
  assert.match(of('redis').says, /restart of Redis/);
  assert.equal(of('redis').details.maxmemoryPolicy, 'noeviction');
});

test('a policy that evicts is told', {
  skip: rig.redis.pid === null && 'the embedded Redis evicts nothing',
}, async () => {
  await rig.connection.config('SET', 'maxmemory-policy', 'allkeys-lru');
  const { of } = await examine({ REDIS_URL: rig.redis.url });
  assert.notEqual(of('redis').state, 'well');
  assert.match(of('redis').says, /allkeys-lru/);
});

test('a model or a path that the server does not know is told', async (t) => {
  const answers: Record<string, (response: ServerResponse) => void> = {
    '/v1/models': (response) => response.end(JSON.stringify({ data: [{ id: 'vendor/large' }, { id: 'a\u001b[2J' }] })),
    '/moved/models': (response) => response.writeHead(307, { location: '/v1/models' }).end(),
    '/page/models': (response) => response.end('<!doctype html>'),
  };
  const server = createHttpServer(({ url = '' }, response) => {
    const answer = answers[url];
    if (answer) answer(response);
    else response.writeHead(404).end('{}');
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const look = async (path: string, model: string) => {
    const { of } = await examine({
      REDIS_URL: rig.redis.url,
      OPENAI_BASE_URL: `http://127.0.0.1:${port}${path}`,
      PROTOSMITH_MODEL: model,
    });
    const { state, says } = of('model');
    return [state, says];
  };
  const [known, unknown, wrongPath, moved, page] = await Promise.all([
    look('/v1', 'large'),
    look('/v1/', 'small'),
    look('', 'large'),
    look('/moved', 'large'),
    look('/page', 'large'),
  ]);
  assert.deepEqual(known, ['well', 'the server is reachable (status 200)']);
  assert.equal(unknown[0], 'warning');
  assert.match(String(unknown[1]), /does not list the model "small"; it lists vendor\/large, /);
  for (const [found, status] of [
    [wrongPath, 404],
    [moved, 307],
    [page, 200],
  ] as const)
    assert.deepEqual(found, [
      'warning',
      `the server is reachable, but has no list of models there (status ${status}): OPENAI_BASE_URL often has to end in /v1`,
    ]);
});

test('nothing there ends with 2, and names what is missing', async () => {
  const { code, stdout } = await runCommand(['doctor'], {
    environment: { REDIS_URL: 'redis://127.0.0.1:1', OPENAI_BASE_URL: await nobodyThere(), PROTOSMITH_MODEL: 'x' },
  });
  assert.equal(code, 2);
  assert.match(stdout, /^ill +redis: /m);
  assert.match(stdout, /^ill +model: .*ECONNREFUSED/m);
  assert.match(stdout, /^(well|warning) +sandbox: /m);
});

/** The URL of a port that was free a moment ago. */
async function nobodyThere(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${port}/v1`;
}
