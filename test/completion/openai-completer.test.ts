import assert from 'node:assert/strict';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { after, test } from 'node:test';
import { CompletionError } from '../../src/completion/completion-error.ts';
import { extractCandidate } from '../../src/completion/extract-candidate.ts';
import { createOpenAiCompleter } from '../../src/completion/openai-completer.ts';
import type { OpenAiOptions } from '../../src/completion/openai-options.ts';
import type { Completion, Prompt } from '../../src/contract/completion.ts';
import { Deadline } from '../../src/kernel/deadline.ts';
import {
  type Behaviour,
  type ScriptedModel,
  type ScriptedModelOptions,
  startScriptedModel,
} from '../../src/scripted-model/server.ts';

/** Far above anything that is waited for here. */
const HANG_MS = 20_000;
const ANSWER = 'Here it is.\n\n```ts\nexport const handle = () => ({ ok: true });\n```';
const PROMPT: Prompt = { system: 'You write handlers.', turns: [{ role: 'user', text: 'Write one.' }] };

const open: ScriptedModel[] = [];
after(() => Promise.all(open.map((model) => model.close())));

async function modelThat(options: Behaviour | ScriptedModelOptions): Promise<ScriptedModel> {
  const model = await startScriptedModel('kind' in options ? { behave: () => options } : options);
  open.push(model);
  return model;
}

function completing(
  baseUrl: string,
  options: Partial<OpenAiOptions> = {},
  deadline = deadlineIn(HANG_MS),
): Promise<Completion> {
  return createOpenAiCompleter({ model: 'test-model', generator: 'scripted', baseUrl, ...options }).complete(
    PROMPT,
    deadline,
  );
}

function listening(server: Server): Promise<number> {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)));
}

function deadlineIn(ms: number, signal: AbortSignal = AbortSignal.timeout(ms)): Deadline {
  return new Deadline(Date.now() + ms, signal);
}

async function failureOf(completion: Promise<Completion>): Promise<CompletionError> {
  const error = await completion.then(
    () => assert.fail('the completion succeeded'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof CompletionError, String(error));
  return error;
}

test('an answer is streamed whole, with the tokens that the server counted, cached ones apart, and their price', async () => {
  const model = await modelThat({ kind: 'reply', text: ANSWER, cachedTokens: 3 });
  const completion = await completing(model.baseUrl, { prices: { inputUsd: 2, cachedInputUsd: 1, outputUsd: 10 } });
  assert.equal(completion.text, ANSWER);
  assert.equal(completion.model, 'test-model');
  const { inputTokens, cachedInputTokens, outputTokens, costUsd } = completion.usage;
  assert.equal(cachedInputTokens, 3);
  assert.ok(inputTokens > 3 && outputTokens > 10);
  assert.equal(costUsd, ((inputTokens - 3) * 2 + 3 * 1 + outputTokens * 10) / 1_000_000);
});

test('the cost is null where the price is unknown, never 0', async () => {
  const model = await modelThat({ kind: 'reply', text: ANSWER });
  assert.equal((await completing(model.baseUrl)).usage.costUsd, null);
});

test('the system part and the turns reach the server in order, with a bound on the answer', async () => {
  const model = await modelThat({ kind: 'reply', text: ANSWER });
  const turns = [
    { role: 'user' as const, text: 'one' },
    { role: 'assistant' as const, text: 'two' },
    { role: 'user' as const, text: 'three' },
  ];
  await createOpenAiCompleter({ model: 'm', generator: 'live', baseUrl: model.baseUrl, maxTokens: 77 }).complete(
    { system: 'S', turns },
    deadlineIn(HANG_MS),
  );
  const [question] = model.questions;
  assert.deepEqual(question?.body.messages, [
    { role: 'system', content: 'S' },
    { role: 'user', content: 'one' },
    { role: 'assistant', content: 'two' },
    { role: 'user', content: 'three' },
  ]);
  assert.equal(question?.body.max_tokens, 77);
});

test('a key is sent where there is one, and a local server without a key is asked all the same', async () => {
  const model = await modelThat({ kind: 'reply', text: ANSWER });
  await completing(model.baseUrl, { apiKey: 'sk-secret' });
  await completing(model.baseUrl, { apiKey: '' });
  assert.equal(model.questions[0]?.headers.authorization, 'Bearer sk-secret');
  assert.match(model.questions[1]?.headers.authorization ?? '', /^Bearer \S+$/);
});

test('the model is cut off at the closing fence, even where it would talk on for ever', async () => {
  const model = await modelThat({
    kind: 'reply',
    text: `${ANSWER}\n\nAnd now ${'let me explain '.repeat(5_000)}`,
    pauseMs: 2,
  });
  const completion = await completing(model.baseUrl);
  assert.ok(completion.text.length < ANSWER.length + 60, completion.text.slice(ANSWER.length));
  assert.match(completion.text, /```\n?[\s\S]{0,60}$/);
  const hungUp = model.questions[0]?.hungUp;
  if (hungUp?.aborted === false) await new Promise((resolve) => hungUp.addEventListener('abort', resolve));
  assert.ok(completion.usage.outputTokens > 0, 'what was not counted is estimated');
});

test('what a model says after the closing fence is heard for a while at most, and is not part of the answer', async () => {
  const model = await modelThat({
    kind: 'reply',
    text: `${ANSWER}\n\n${'more '.repeat(20_000)}`,
    pieceCharacters: 1_000,
  });
  const { text, usage } = await completing(model.baseUrl);
  assert.ok(text.length < ANSWER.length + 1_000 && usage.outputTokens < 3_000);
});

test('a fence inside a comment of the module does not end the answer', async () => {
  const text = '```ts\n/* Answers\n```\n{"ok": true}\n```\n*/\nexport const handle = () => `\n\\`\\`\\`\n`;\n```\nover';
  const model = await modelThat({ kind: 'reply', text, pieceCharacters: 3 });
  const completion = await completing(model.baseUrl);
  assert.deepEqual(extractCandidate(completion.text), {
    kind: 'code',
    source: '/* Answers\n```\n{"ok": true}\n```\n*/\nexport const handle = () => `\n\\`\\`\\`\n`;\n',
  });
});

test('a model that thinks in silence before its first word is waited for longer than one that stops talking', async () => {
  const model = await modelThat({ kind: 'reply', text: ANSWER, pauseMs: 500, pieceCharacters: 1_000 });
  assert.equal((await completing(model.baseUrl, { patience: { stallMs: 100 } })).text, ANSWER);
});

test('a stream without [DONE] is whole where it said that it is finished', async () => {
  const model = await modelThat({ kind: 'reply', text: 'No block, but finished.', done: false });
  assert.equal((await completing(model.baseUrl)).text, 'No block, but finished.');
});

test('a server that does not stream is understood', async () => {
  const model = await modelThat({ kind: 'whole', text: ANSWER });
  const completion = await completing(model.baseUrl);
  assert.equal(completion.text, ANSWER);
  assert.ok(completion.usage.inputTokens > 0);
});

test('a stream that is cut, stalls or breaks after the closing fence is whole', async () => {
  for (const behaviour of [
    { kind: 'cut', text: ANSWER },
    { kind: 'reset', text: ANSWER },
    { kind: 'stall', text: ANSWER },
  ] satisfies Behaviour[]) {
    const model = await modelThat(behaviour);
    assert.equal((await completing(model.baseUrl, { patience: { stallMs: 500 } })).text, ANSWER, behaviour.kind);
  }
});

const failures: {
  name: string;
  behaviour: Behaviour;
  code: string;
  options?: Partial<OpenAiOptions>;
  began?: boolean;
}[] = [
  { name: 'status 500', behaviour: { kind: 'status', status: 500 }, code: 'PLATFORM_MODEL_UNAVAILABLE' },
  { name: 'status 503', behaviour: { kind: 'status', status: 503 }, code: 'PLATFORM_MODEL_UNAVAILABLE' },
  { name: 'a reset before the headers', behaviour: { kind: 'reset' }, code: 'PLATFORM_MODEL_UNAVAILABLE' },
  {
    name: 'a reset in the middle',
    behaviour: { kind: 'reset', text: '```ts\nexport const handle' },
    code: 'PLATFORM_MODEL_CUT',
    began: true,
  },
  {
    name: 'a cut stream',
    behaviour: { kind: 'cut', text: '```ts\nexport const handle' },
    code: 'PLATFORM_MODEL_CUT',
    began: true,
  },
  {
    name: 'a whole stream that never says it is finished',
    behaviour: { kind: 'reply', text: 'Some prose only', finishReason: null },
    code: 'PLATFORM_MODEL_CUT',
    began: true,
  },
  { name: 'an answer without text', behaviour: { kind: 'empty' }, code: 'PLATFORM_MODEL_EMPTY', began: true },
  { name: 'a page of HTML', behaviour: { kind: 'html' }, code: 'PLATFORM_MODEL_NOT_AN_API', began: true },
  {
    name: 'the token limit',
    behaviour: { kind: 'reply', text: '```ts\nexport', finishReason: 'length' },
    code: 'PLATFORM_MODEL_LENGTH',
    began: true,
  },
  {
    name: 'a content filter',
    behaviour: { kind: 'reply', text: 'I', finishReason: 'content_filter' },
    code: 'PLATFORM_MODEL_FILTERED',
    began: true,
  },
  {
    name: 'silence before the headers',
    behaviour: { kind: 'stall' },
    code: 'PLATFORM_MODEL_STALLED',
    options: { patience: { headersMs: 300 } },
  },
  {
    name: 'silence after the headers',
    behaviour: { kind: 'stall', text: '' },
    code: 'PLATFORM_MODEL_STALLED',
    options: { patience: { firstWordMs: 300 } },
    began: true,
  },
  {
    name: 'silence in the middle',
    behaviour: { kind: 'stall', text: '```ts\nexport' },
    code: 'PLATFORM_MODEL_STALLED',
    options: { patience: { stallMs: 300 } },
    began: true,
  },
  { name: 'a wrong key', behaviour: { kind: 'status', status: 401 }, code: 'OPERATOR_MODEL_AUTH' },
  { name: 'a forbidden model', behaviour: { kind: 'status', status: 403 }, code: 'OPERATOR_MODEL_AUTH' },
  { name: 'an unknown model', behaviour: { kind: 'status', status: 404 }, code: 'OPERATOR_MODEL_UNKNOWN' },
  {
    name: 'an account without credit',
    behaviour: {
      kind: 'status',
      status: 429,
      body: { error: { message: 'You exceeded your quota', code: 'insufficient_quota' } },
    },
    code: 'OPERATOR_MODEL_QUOTA',
  },
  { name: 'a refused request', behaviour: { kind: 'status', status: 400 }, code: 'PLATFORM_MODEL_REFUSED' },
  {
    name: 'a prompt that is too long',
    behaviour: {
      kind: 'status',
      status: 400,
      body: { error: { message: 'too long', code: 'context_length_exceeded' } },
    },
    code: 'PLATFORM_MODEL_PROMPT_TOO_LONG',
  },
  {
    name: 'JSON that holds no answer',
    behaviour: { kind: 'status', status: 200, body: { hello: 'world' } },
    code: 'PLATFORM_MODEL_UNAVAILABLE',
    began: true,
  },
];

for (const { name, behaviour, code, options, began } of failures) {
  test(`${name} is told as ${code}`, async () => {
    const model = await modelThat(behaviour);
    const error = await failureOf(completing(model.baseUrl, options));
    assert.equal(error.code, code);
    assert.match(error.message, /^Cannot .+: .+, wanted /s);
    assert.equal(model.questions.length, 1, 'one attempt: retrying is not its business');
    assert.equal(error.usage !== undefined, began === true, 'what reached the model is accounted for');
  });
}

test('a prompt that no script fits names the settings for a real model', async () => {
  const model = await modelThat({ scripts: [] });
  const error = await failureOf(completing(model.baseUrl));
  assert.equal(error.code, 'OPERATOR_NO_SCRIPT');
  for (const variable of ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'PROTOSMITH_MODEL'])
    assert.match(error.message, new RegExp(variable));
});

test('a rate limit carries how long to wait, also above a minute, in seconds, milliseconds or as a date, at most ten minutes', async () => {
  const soon = new Date(Date.now() + 300_000).toUTCString();
  for (const [headers, least, most] of [
    [{ 'retry-after': '90' }, 90_000, 90_000],
    [{ 'retry-after-ms': '1500', 'retry-after': '90' }, 1_500, 1_500],
    [{ 'retry-after': soon }, 200_000, 300_000],
    [{ 'retry-after': '3600' }, 600_000, 600_000],
    // A moment, as some servers send it.
    [{ 'retry-after': String(Math.ceil(Date.now() / 1_000) + 5) }, 600_000, 600_000],
  ] as const) {
    const model = await modelThat({ kind: 'status', status: 429, headers });
    const error = await failureOf(completing(model.baseUrl));
    assert.equal(error.code, 'PLATFORM_MODEL_RATE_LIMITED');
    assert.ok(
      error.retryAfterMs !== undefined && error.retryAfterMs >= least && error.retryAfterMs <= most,
      String(error.retryAfterMs),
    );
  }
});

test('a refused connection is PLATFORM_MODEL_UNAVAILABLE', async () => {
  const server = createServer();
  const port = await listening(server);
  await new Promise((resolve) => server.close(resolve));
  assert.equal((await failureOf(completing(`http://127.0.0.1:${port}/v1`))).code, 'PLATFORM_MODEL_UNAVAILABLE');
});

test('a name that does not resolve is PLATFORM_MODEL_UNAVAILABLE', async () => {
  assert.equal((await failureOf(completing('http://model.invalid/v1'))).code, 'PLATFORM_MODEL_UNAVAILABLE');
});

for (const [state, behaviour] of [
  ['before the headers', { kind: 'stall' }],
  ['after the headers', { kind: 'stall', text: '' }],
  ['in a stalled body', { kind: 'stall', text: '```ts\nexport' }],
  ['between slow tokens', { kind: 'reply', text: 'word '.repeat(10_000), pauseMs: 20 }],
] as const satisfies [string, Behaviour][]) {
  test(`the deadline ends the exchange ${state}`, async () => {
    const model = await modelThat(behaviour);
    const error = await failureOf(completing(model.baseUrl, {}, deadlineIn(400, new AbortController().signal)));
    assert.equal(error.code, 'PLATFORM_MODEL_TIMEOUT');
  });

  test(`calling off ends the exchange ${state}, and the server notices`, async () => {
    const model = await modelThat(behaviour);
    const controller = new AbortController();
    const completion = failureOf(completing(model.baseUrl, {}, deadlineIn(HANG_MS, controller.signal)));
    while (model.questions.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    await new Promise((resolve) => setTimeout(resolve, 50));
    controller.abort();
    assert.equal((await completion).code, 'PLATFORM_MODEL_ABORTED');
    const hungUp = model.questions[0]?.hungUp;
    if (hungUp?.aborted === false) await new Promise((resolve) => hungUp.addEventListener('abort', resolve));
  });
}

test('a deadline that has passed asks nobody', async () => {
  const model = await modelThat({ kind: 'reply', text: ANSWER });
  assert.equal((await failureOf(completing(model.baseUrl, {}, deadlineIn(0)))).code, 'PLATFORM_MODEL_TIMEOUT');
});

test('an error in the stream is told from an answer', async () => {
  const server = createHttpServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end('data: {"error":{"message":"overloaded","code":"rate_limit_exceeded"}}\n\n');
  });
  const port = await listening(server);
  try {
    assert.equal((await failureOf(completing(`http://127.0.0.1:${port}/v1`))).code, 'PLATFORM_MODEL_RATE_LIMITED');
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test('max_tokens is swapped for max_completion_tokens where it is refused, once for an endpoint', async () => {
  const model = await modelThat({ refuses: ['max_tokens'], behave: () => ({ kind: 'reply', text: ANSWER }) });
  for (let n = 0; n < 2; n += 1) await completing(model.baseUrl, { model: 'newer' });
  assert.deepEqual(
    model.questions.map(({ body }) => [
      Object.hasOwn(body, 'max_tokens'),
      Object.hasOwn(body, 'max_completion_tokens'),
    ]),
    [
      [false, true],
      [false, true],
    ],
  );
});

test('a server that refuses stream_options is asked without, and its tokens are estimated', async () => {
  const model = await modelThat({ refuses: ['stream_options'], behave: () => ({ kind: 'reply', text: ANSWER }) });
  const completion = await completing(model.baseUrl);
  assert.ok(completion.usage.inputTokens > 0 && completion.usage.outputTokens > 0);
  assert.equal(completion.usage.cachedInputTokens, 0);
});

test('neither the key nor the prompt stands in an error', async () => {
  const model = await modelThat({
    kind: 'status',
    status: 401,
    body: { error: { message: 'Incorrect API key provided: very-secret-key', code: 'invalid_api_key' } },
  });
  const error = await failureOf(completing(model.baseUrl, { apiKey: 'very-secret-key' }));
  assert.doesNotMatch(`${error.message} ${String(error.cause)}`, /very-secret|Write one/);
});
