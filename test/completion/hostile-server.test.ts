import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { CompletionError } from '../../src/completion/completion-error.ts';
import { createOpenAiCompleter } from '../../src/completion/openai-completer.ts';
import type { Completion } from '../../src/contract/completion.ts';
import { Deadline } from '../../src/kernel/deadline.ts';

/** Far above anything that is waited for here. */
const HANG_MS = 300_000;
const KEY = 'very-secret-key';
const ANSWER = 'Here it is: é 商品 😀.\n\n```ts\nexport const handle = () => ({ ok: true });\n```';
const EVENT_STREAM = { 'content-type': 'text/event-stream' };

const servers: Server[] = [];
after(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

/** The base URL of a server that answers so. */
async function serverThat(answer: (response: ServerResponse, request: IncomingMessage) => void): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    response.on('error', () => undefined);
    answer(response, request);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

/** What comes of a question; whatever fails must do so in the documented way and keep the key for itself. */
async function outcomeOf(baseUrl: string): Promise<Completion | CompletionError> {
  const completer = createOpenAiCompleter({
    model: 'm',
    generator: 'live',
    baseUrl,
    apiKey: KEY,
    patience: { headersMs: HANG_MS, firstWordMs: HANG_MS, stallMs: HANG_MS },
  });
  const prompt = { system: 'S', turns: [{ role: 'user' as const, text: 'a secret prompt' }] };
  try {
    return await completer.complete(prompt, new Deadline(Date.now() + HANG_MS, AbortSignal.timeout(HANG_MS)));
  } catch (error) {
    assert.ok(error instanceof CompletionError, String(error));
    assert.match(error.code, /^(?:PLATFORM|OPERATOR)_/);
    const told = `${error.message} ${String(error.cause)}`;
    assert.doesNotMatch(told, /very-secret|secret prompt/);
    assert.ok(error.message.length < 600, error.message);
    return error;
  }
}

async function codeFor(answer: (response: ServerResponse, request: IncomingMessage) => void): Promise<string> {
  const outcome = await outcomeOf(await serverThat(answer));
  return outcome instanceof CompletionError ? outcome.code : 'completed';
}

const event = (value: unknown): string => `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`;
const said = (content: unknown, more: object = {}): string => event({ choices: [{ delta: { content }, ...more }] });

/** Writes without end, as fast as it is read. */
function endless(response: ServerResponse, chunk: string): void {
  const write = (): void => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', write);
  write();
}

test('a redirect takes neither the key nor the prompt elsewhere', async () => {
  for (const status of [301, 302, 303, 307, 308]) {
    const reached: string[] = [];
    const other = await serverThat((response, request) => {
      reached.push(request.url ?? '');
      response.writeHead(200, EVENT_STREAM).end(said(ANSWER));
    });
    const code = await codeFor((response) => response.writeHead(status, { location: `${other}/elsewhere` }).end('x'));
    assert.equal(code, 'PLATFORM_MODEL_NOT_AN_API');
    assert.deepEqual(reached, []);
  }
});

test('a body that has no end, or is packed to look small, is given up', async () => {
  const bomb = gzipSync(Buffer.alloc(32 * 1024 * 1024, ' '));
  const packed = { 'content-encoding': 'gzip' };
  for (const [wanted, answer] of [
    ['PLATFORM_MODEL_UNAVAILABLE', (response) => endless(response.writeHead(503), 'x'.repeat(65_536))],
    ['PLATFORM_MODEL_REFUSED', (response) => response.writeHead(400, packed).end(bomb)],
    [
      'PLATFORM_MODEL_LENGTH',
      (response) => endless(response.writeHead(200, { 'content-type': 'application/json' }), ' '.repeat(65_536)),
    ],
    [
      'PLATFORM_MODEL_LENGTH',
      (response) => response.writeHead(200, { ...packed, 'content-type': 'application/json' }).end(bomb),
    ],
    ['PLATFORM_MODEL_LENGTH', (response) => response.writeHead(200, { ...packed, ...EVENT_STREAM }).end(bomb)],
    ['PLATFORM_MODEL_LENGTH', (response) => endless(response.writeHead(200, EVENT_STREAM), 'data: x\n'.repeat(8_192))],
    [
      'PLATFORM_MODEL_LENGTH',
      (response) => endless(response.writeHead(200, EVENT_STREAM), said('word '.repeat(9_000))),
    ],
  ] as [string, (response: ServerResponse) => void][])
    assert.equal(await codeFor(answer), wanted);
});

test('a stream is read alike however its bytes are divided and its lines end', async () => {
  const pieces = ANSWER.match(/[\s\S]{1,3}/gu) ?? [];
  for (const lineEnd of ['\n', '\r\n', '\r']) {
    for (const bytesAtOnce of [1, 2, 7, 100_000]) {
      const stream = Buffer.from(
        `\ufeff: hello\n\n\n\nevent: message\n${pieces.map((piece) => said(piece)).join('')}`.replaceAll('\n', lineEnd),
      );
      const baseUrl = await serverThat((response) => {
        response.writeHead(200, EVENT_STREAM);
        for (let at = 0; at < stream.length; at += bytesAtOnce) response.write(stream.subarray(at, at + bytesAtOnce));
        response.end();
      });
      const outcome = await outcomeOf(baseUrl);
      assert.ok(!(outcome instanceof CompletionError), String(outcome));
      assert.equal(outcome.text, ANSWER);
    }
  }
});

test('an answer full of marks that end no reasoning is read as fast as it is long', async () => {
  // Some seconds; a minute where all that is held is looked at for each of them.
  const code = await codeFor((response) =>
    response.writeHead(200, EVENT_STREAM).end(said("a '</think>' b ").repeat(60_000)),
  );
  assert.equal(code, 'PLATFORM_MODEL_CUT');
});

test('a stream may be longer than a body that is whole', async () => {
  const padding = event({ padding: ' '.repeat(100_000), choices: [{ delta: { content: '' } }] });
  const code = await codeFor((response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(padding.repeat(100) + said(ANSWER)),
  );
  assert.equal(code, 'completed');
});

test('an answer full of fences that might close it is read a bounded number of times', async () => {
  const code = await codeFor((response) => {
    response.writeHead(200, EVENT_STREAM);
    response.write(said(`\`\`\`ts\n\`${'a'.repeat(100_000)}`));
    response.end(said('\n```\n').repeat(40_000));
  });
  // Some seconds; a quarter of an hour where all of it is read for each of the fences.
  assert.equal(code, 'PLATFORM_MODEL_CUT');
});

/** Bodies that no honest server sends, with status and content type. */
const ODD: [number, string, string | Buffer][] = [
  ...[null, 1, 'x', [], {}, { choices: null }, { choices: {} }, { choices: [null] }, { choices: ['x'] }].flatMap(
    (value): [number, string, string][] => [
      [200, 'text/event-stream', event(value)],
      [200, 'application/json', JSON.stringify(value)],
    ],
  ),
  ...[
    { message: { toString: 1 }, code: { toString: 1 }, type: { toString: null }, param: { toString: [] } },
    { message: '\u001b]0;x\u0007\u202e very-secret-key', code: [[]], type: 7 },
    'plain',
    [],
    7,
  ].flatMap((error): [number, string, string][] => [
    [200, 'text/event-stream', event({ error })],
    [200, 'text/event-stream', `event: error\n${event({ error })}`],
    [200, 'application/json', JSON.stringify({ error })],
    ...[400, 401, 402, 404, 408, 409, 413, 418, 422, 429, 500, 503, 599].map((status): [number, string, string] => [
      status,
      'application/json',
      JSON.stringify({ error }),
    ]),
  ]),
  ...[
    '{"choices":[{"delta":{"content":"half',
    `{"a":${'['.repeat(200_000)}`,
    `{"choices":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
    '{"__proto__":{"choices":[{"delta":{"content":"x"}}]}}',
    '[DONE]',
  ].flatMap((body): [number, string, string][] => [
    [200, 'text/event-stream', event(body)],
    [200, 'application/json', body],
    [500, 'application/json', body],
    [200, 'application/x-ndjson', body],
    [200, '', body],
  ]),
  ...[
    { finish_reason: 'length' },
    { finish_reason: 'tool_calls', delta: { tool_calls: [{ function: { name: 'handle', arguments: '{}' } }] } },
    { finish_reason: 'content_filter' },
    { finish_reason: { toString: 1 } },
    { delta: null },
    { delta: { content: null, refusal: 'No.' } },
    { delta: { content: { toString: 1 } } },
    { delta: { content: ['x'], refusal: ['No.'] } },
  ].map((choice): [number, string, string] => [200, 'text/event-stream', event({ choices: [choice] })]),
  ...[null, 5, 'x', [], {}, { prompt_tokens: -1 }, { prompt_tokens: 1e308, completion_tokens: '9' }].map(
    (usage): [number, string, string] => [
      200,
      'text/event-stream',
      `${said(ANSWER)}${event({ model: usage, usage, choices: [] })}`,
    ],
  ),
  [200, 'text/event-stream', Buffer.from('data: {"choices":[{"delta":{"content":"\xff\xfe\xc3("}}]}\n\n', 'latin1')],
  [200, 'text/event-stream', said('\u0000\ufeff\ud800'.repeat(100))],
  [200, 'text/html', '<html>'],
  [200, 'image/png', Buffer.alloc(1_000, 0xff)],
  [204, 'text/event-stream', ''],
];

test('whatever a server sends ends as an answer or as a documented fault', async () => {
  for (const [status, kind, body] of ODD) {
    const outcome = await outcomeOf(
      await serverThat((response) => response.writeHead(status, kind === '' ? {} : { 'content-type': kind }).end(body)),
    );
    if (outcome instanceof CompletionError) continue;
    const { inputTokens, outputTokens } = outcome.usage;
    assert.ok(inputTokens >= 0 && outputTokens >= 0 && outcome.text !== '', `${status} ${String(body).slice(0, 80)}`);
  }
});

test('an answer that the server breaks off is cut, whatever it calls that; one that ended by itself is not', async () => {
  const half = ANSWER.slice(0, ANSWER.indexOf('ok'));
  const ending = (text: string, reason: string) => (response: ServerResponse) =>
    response.writeHead(200, EVENT_STREAM).end(said(text) + event({ choices: [{ delta: {}, finish_reason: reason }] }));
  for (const reason of ['insufficient_system_resource', 'abort', 'error', 'network_error'])
    assert.equal(await codeFor(ending(half, reason)), 'PLATFORM_MODEL_CUT', reason);
  for (const reason of ['length', 'model_length', 'max_tokens'])
    assert.equal(await codeFor(ending(half, reason)), 'PLATFORM_MODEL_LENGTH', reason);
  for (const reason of ['stop', 'eos', 'eos_token', 'end_turn', 'STOP', 'tool_calls'])
    assert.equal(await codeFor(ending(half, reason)), 'completed', reason);
  assert.equal(await codeFor(ending(ANSWER, 'abort')), 'completed', 'what is whole stays whole');
});

test('tokens that a server does not count are estimated, those it spends on thinking in the open as well', async () => {
  const tokens = async (usage: object, before = '') => {
    const answer = `${before}${said(ANSWER)}${event({ choices: [], usage })}`;
    const outcome = await outcomeOf(await serverThat((response) => response.writeHead(200, EVENT_STREAM).end(answer)));
    const { inputTokens, outputTokens } = outcome.usage ?? assert.fail('nothing is told');
    return [inputTokens, outputTokens];
  };
  const [input = 0, output = 0] = await tokens({});
  assert.ok(input > 0 && output > 10);
  assert.deepEqual(await tokens({ prompt_tokens: 0, completion_tokens: 0 }), [input, output]);
  assert.deepEqual(await tokens({ prompt_tokens: 7, completion_tokens: 70 }), [7, 70]);
  const thought = 'Let me think. '.repeat(400);
  for (const delta of [{ reasoning_content: thought }, { reasoning: thought, reasoning_content: thought }])
    assert.deepEqual(await tokens({}, event({ choices: [{ delta }] })), [input, output + thought.length / 4]);
});

test('pieces without a word are silence, thinking in the open is none', async () => {
  const completed = async (delta: object) => {
    const baseUrl = await serverThat((response) => {
      response.writeHead(200, EVENT_STREAM);
      const timer = setInterval(() => response.write(event({ choices: [{ delta }] })), 50);
      const answer = setTimeout(() => response.end(said(ANSWER)), 3_000);
      response.once('close', () => {
        clearInterval(timer);
        clearTimeout(answer);
      });
    });
    const completer = createOpenAiCompleter({
      model: 'm',
      generator: 'live',
      baseUrl,
      patience: { firstWordMs: 1_500 },
    });
    const deadline = new Deadline(Date.now() + HANG_MS, AbortSignal.timeout(HANG_MS));
    return completer.complete({ system: 'S', turns: [] }, deadline).then(
      ({ text }) => text,
      ({ code }) => code,
    );
  };
  assert.equal(await completed({ role: 'assistant', content: '', refusal: null }), 'PLATFORM_MODEL_STALLED');
  assert.equal(await completed({ content: '', reasoning_content: 'hm' }), ANSWER);
});
