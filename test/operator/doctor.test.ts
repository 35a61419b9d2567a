import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';
import { after, type TestContext, test } from 'node:test';
import type { JsonObject } from '../../src/kernel/json.ts';
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

test('doctor says what a worker lacks here, and prints the least ACL', async () => {
  const { of } = await examine({ REDIS_URL: rig.redis.url, PROTOSMITH_CONCURRENCY: 'many' });
  assert.equal(of('settings').state, 'warning');
  assert.match(of('settings').says, /PROTOSMITH_MODEL: not set.*run doctor with the settings of the worker/);
  assert.match(of('settings').says, /PROTOSMITH_CONCURRENCY: "many"/);
  const model = { OPENAI_BASE_URL: rig.modelUrl, PROTOSMITH_MODEL: 'scripted' };
  assert.equal((await examine({ REDIS_URL: rig.redis.url, ...model })).of('settings').state, 'well');
  if (rig.redis.pid === null) return;
  assert.match(String(of('permissions').details['least ACL']), /^ACL SETUSER protosmith on >PASSWORD .* \+xadd /);
});

test('a policy that evicts is told', {
  skip: rig.redis.pid === null && 'the embedded Redis evicts nothing',
}, async () => {
  await rig.connection.config('SET', 'maxmemory-policy', 'allkeys-lru');
  const { of } = await examine({ REDIS_URL: rig.redis.url });
  assert.notEqual(of('redis').state, 'well');
  assert.match(of('redis').says, /allkeys-lru/);
});

/** A server that lists two models and answers one question so. */
async function serverThat(
  t: TestContext,
  answer: (response: ServerResponse, body: JsonObject) => void,
): Promise<string> {
  const server = createHttpServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    if (request.url === '/v1/models')
      response.end(JSON.stringify({ data: [{ id: 'vendor/large' }, { id: 'a\u001b[2J' }] }));
    else if (request.url === '/v1/chat/completions') answer(response, JSON.parse(Buffer.concat(chunks).toString()));
    else response.writeHead(404).end('{}');
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function lookAt(baseUrl: string, more: Record<string, string> = {}) {
  const { of } = await examine({
    REDIS_URL: rig.redis.url,
    OPENAI_BASE_URL: baseUrl,
    PROTOSMITH_MODEL: 'large',
    ...more,
  });
  return of('model');
}

const ready = (response: ServerResponse) =>
  void response.end(JSON.stringify({ choices: [{ message: { content: 'ready' }, finish_reason: 'stop' }] }));

test('the model is asked one small question, and what ails it is told in the words of the server', async (t) => {
  const refusing = (status: number, message: string) => (response: ServerResponse) =>
    void response.writeHead(status).end(JSON.stringify({ error: { message } }));
  const known = await serverThat(t, ready);
  for (const [state, says, baseUrl] of [
    ['well', /^the model answers$/, `${known}/v1`],
    ['well', /^the model answers$/, `${known}/v1/chat/completions`],
    ['warning', /^the model answers; adapted: requests go under `\/v1`; OPENAI_BASE_URL should end in it$/, known],
    ['ill', /^OPERATOR_MODEL_AUTH: .*\(wrong key\)/, `${await serverThat(t, refusing(401, 'wrong key'))}/v1`],
    ['ill', /^OPERATOR_MODEL_QUOTA: .*\(top up\)/, `${await serverThat(t, refusing(402, 'top up'))}/v1`],
    [
      'ill',
      /^OPERATOR_MODEL_UNKNOWN: .*model large is not loaded\b.*$/,
      `${await serverThat(t, refusing(404, 'model large is not loaded'))}/v1`,
    ],
    ['warning', /^PLATFORM_MODEL_RATE_LIMITED: /, `${await serverThat(t, refusing(429, 'slowly'))}/v1`],
    ['ill', /^PLATFORM_MODEL_NOT_AN_API: /, `${await serverThat(t, (response) => void response.end('<html>'))}/v1`],
    [
      'ill',
      /^PLATFORM_MODEL_PROMPT_TOO_LONG: /,
      `${await serverThat(t, refusing(400, 'prompt too long for the context window'))}/v1`,
    ],
  ] as const) {
    const found = await lookAt(baseUrl);
    assert.equal(found.state, state, found.says);
    assert.match(found.says, says);
    assert.equal(found.details['endpoint to set'], baseUrl === known ? `${known}/v1` : undefined);
  }
});

test('what the model has to be asked otherwise is told, and of an unknown one which there are', async (t) => {
  const picky = await serverThat(t, (response, { messages, max_tokens: limit }) => {
    const fault = JSON.stringify(messages).includes('"system"')
      ? 'system role not supported'
      : Number(limit) > 8_192
        ? 'max_tokens has to be at most 8192'
        : null;
    if (fault === null) ready(response);
    else response.writeHead(400).end(JSON.stringify({ error: { message: fault } }));
  });
  const adapted = await lookAt(`${picky}/v1`);
  assert.equal(adapted.state, 'warning');
  assert.match(adapted.says, /^the model answers; adapted: the system prompt .*; with a smaller output limit$/);
  const other = await serverThat(
    t,
    (response) => void response.writeHead(404).end(JSON.stringify({ error: 'model not found' })),
  );
  const unknown = await lookAt(`${other}/v1`, { PROTOSMITH_MODEL: 'small' });
  assert.match(unknown.says, /^OPERATOR_MODEL_UNKNOWN: .*; it lists vendor\/large, /);
});

test('a model server behind a proxy is reached through it, this machine without one', async (t) => {
  const seen: string[] = [];
  const baseUrl = await serverThat(t, ready);
  const proxy = createHttpServer().listen(0, '127.0.0.1');
  proxy.on('connect', ({ url = '' }, socket: Socket) => {
    seen.push(url);
    const through = connect(Number(new URL(baseUrl).port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      through.pipe(socket).pipe(through);
    });
    for (const one of [socket, through]) one.on('error', () => undefined);
  });
  t.after(() => proxy.close());
  await once(proxy, 'listening');
  const HTTP_PROXY = `http://user:secret@127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const far = await lookAt(`${baseUrl.replace('127.0.0.1', 'model.invalid')}/v1`, { HTTP_PROXY });
  assert.equal(far.says, 'the model answers');
  assert.ok(seen.length > 0 && seen.every((url) => url.startsWith('model.invalid:')));
  assert.doesNotMatch(JSON.stringify(far.details), /secret/);
  const before = seen.length;
  assert.equal((await lookAt(`${baseUrl}/v1`, { HTTP_PROXY })).says, 'the model answers');
  assert.equal(seen.length, before);
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
