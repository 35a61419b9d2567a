import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { CompletionError } from '../../src/completion/completion-error.ts';
import { createModel } from '../../src/completion/create-model.ts';
import type { CompleteOptions, Completion, Prompt } from '../../src/contract/completion.ts';
import { Deadline } from '../../src/kernel/deadline.ts';
import { type Behaviour, type ScriptedModelOptions, startScriptedModel } from '../../src/scripted-model/server.ts';

const HANG_MS = 20_000;
const PROMPT: Prompt = { system: 'You read agreements between software agents.', turns: [{ role: 'user', text: 'u' }] };
const LINES = '{"kind":"name","text":"é 商品 😀"}\n{"kind":"status","code":404}\n';
const HALF = LINES.slice(0, -9);
const FORMAT = { name: 'reading', schema: { type: 'object', properties: { entries: { type: 'array' } } } };

const closing: (() => unknown)[] = [];
after(() => Promise.all(closing.map((close) => close())));

async function modelThat(options: Behaviour | ScriptedModelOptions) {
  const model = await startScriptedModel('kind' in options ? { behave: () => options } : options);
  closing.push(() => model.close());
  return model;
}

/** Behaves so for the first question, then the second, and so on. */
const inTurn = (...behaviours: Behaviour[]): ScriptedModelOptions => ({
  behave: ({ nth }) => behaviours[nth - 1] ?? { kind: 'status', status: 500 },
});

/** The base URL of a server that sends these bytes, so many at a time. */
async function serverThatSends(stream: string, bytesAtOnce: number): Promise<string> {
  const bytes = Buffer.from(stream);
  const server = createServer(async (request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (let at = 0; at < bytes.length; at += bytesAtOnce) {
      response.write(bytes.subarray(at, at + bytesAtOnce));
      await new Promise(setImmediate);
    }
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

interface Heard {
  outcome: Completion | CompletionError;
  /** What the sink was told, an item for each attempt that said something. */
  attempts: { model: string; formatted: boolean; pieces: string[] }[];
}

/** Asks for a text, each of the models in turn, and listens. */
async function asking(baseUrls: string | [string, ...string[]], more: CompleteOptions = {}): Promise<Heard> {
  const [first, ...others] = typeof baseUrls === 'string' ? [baseUrls] : baseUrls;
  const optionsOf = (baseUrl: string, at: number) => ({
    model: `model-${at + 1}`,
    generator: 'scripted' as const,
    baseUrl,
    patience: { stallMs: 500 },
  });
  const model = createModel({
    models: [optionsOf(first, 0), ...others.map((url, at) => optionsOf(url, at + 1))],
    retries: { retries: 1, baseMs: 1 },
  });
  const attempts: Heard['attempts'] = [];
  const sink = {
    start: (attempt: { model: string; formatted: boolean }) => void attempts.push({ ...attempt, pieces: [] }),
    text: (piece: string) => void attempts.at(-1)?.pieces.push(piece),
  };
  const deadline = new Deadline(Date.now() + HANG_MS, AbortSignal.timeout(HANG_MS));
  const outcome = await model.complete(PROMPT, deadline, { answer: 'text', sink, ...more }).catch((error) => {
    assert.ok(error instanceof CompletionError, String(error));
    return error;
  });
  return { outcome, attempts };
}

const textsOf = ({ attempts }: Heard) => attempts.map(({ pieces }) => pieces.join(''));
const codeOf = ({ outcome }: Heard) => (outcome instanceof CompletionError ? outcome.code : 'completed');
const textOf = ({ outcome }: Heard) => (outcome instanceof CompletionError ? outcome.message : outcome.text);

test('a text is told in the pieces in which it comes, and is what was told', async () => {
  const model = await modelThat({ kind: 'reply', text: LINES, pieceCharacters: 1 });
  const heard = await asking(model.baseUrl);
  assert.equal(textOf(heard), LINES);
  assert.deepEqual(heard.attempts, [{ model: 'model-1', formatted: false, pieces: LINES.split('') }]);
});

test('a text ends where the model ends it, not at a fence', async () => {
  const text = '```json\n{"decline":"case"}\n```\n{"kind":"more"}\n```ts\nexport const handle = 1;\n```\nend';
  const heard = await asking((await modelThat({ kind: 'reply', text, pieceCharacters: 5 })).baseUrl);
  assert.equal(textOf(heard), text);
  assert.deepEqual(textsOf(heard), [text]);
});

test('characters that come in parts are put together, and reasoning is not told', async () => {
  const event = (delta: object, more: object = {}) => `data: ${JSON.stringify({ choices: [{ delta, ...more }] })}\n\n`;
  const stream = [
    event({ reasoning_content: '{"kind":"draft"}' }),
    event({ content: null, reasoning: '{"kind":"draft"}' }),
    ...(LINES.match(/[\s\S]{1,3}/gu) ?? []).map((content) => event({ content, reasoning: 'hm' })),
    event({}, { finish_reason: 'stop' }),
  ].join('');
  for (const bytesAtOnce of [1, 3, 100_000]) {
    const heard = await asking(await serverThatSends(stream, bytesAtOnce));
    assert.equal(codeOf(heard), 'completed');
    assert.deepEqual(textsOf(heard), [LINES]);
  }
});

test('a text that the server ended is whole, whatever happens to the connection then', async () => {
  const event = (choice: object) => `data: ${JSON.stringify({ choices: [choice] })}\n\n`;
  const ended = event({ delta: { content: LINES }, finish_reason: 'stop' });
  const open = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(ended);
  });
  await new Promise<void>((resolve) => open.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    open.closeAllConnections();
    open.close();
  });
  const baseUrl = `http://127.0.0.1:${(open.address() as AddressInfo).port}/v1`;
  assert.equal(textOf(await asking(baseUrl)), LINES);
  const talking = await asking(await serverThatSends(ended + event({ delta: { content: 'and more' } }), 100_000));
  assert.deepEqual([textOf(talking), textsOf(talking)], [LINES, [LINES]]);
});

test('a text that is broken off, or outgrows its limit, fails, and what came of it was told', async () => {
  for (const [behaviour, code] of [
    [{ kind: 'cut', text: HALF }, 'PLATFORM_MODEL_CUT'],
    [{ kind: 'stall', text: HALF }, 'PLATFORM_MODEL_STALLED'],
    [{ kind: 'reply', text: HALF, finishReason: null }, 'PLATFORM_MODEL_CUT'],
    [{ kind: 'reply', text: HALF, finishReason: 'length' }, 'PLATFORM_MODEL_LENGTH'],
    [{ kind: 'reply', text: HALF, finishReason: 'content_filter' }, 'PLATFORM_MODEL_FILTERED'],
    [{ kind: 'reply', text: '```ts\nexport const handle = 1;\n```', finishReason: null }, 'PLATFORM_MODEL_CUT'],
  ] satisfies [Behaviour, string][]) {
    const heard = await asking((await modelThat(behaviour)).baseUrl, { mayRepeat: () => false });
    assert.equal(codeOf(heard), code);
    assert.deepEqual(textsOf(heard), [behaviour.text]);
    assert.ok(heard.outcome.usage !== undefined && heard.outcome.usage.outputTokens > 0);
  }
});

test('an answer without text is none', async () => {
  const heard = await asking((await modelThat({ kind: 'empty' })).baseUrl);
  assert.deepEqual([codeOf(heard), heard.attempts], ['PLATFORM_MODEL_EMPTY', []]);
});

test('the sink is told that the text starts anew where it is tried again, there or at another model', async () => {
  const again = await modelThat(inTurn({ kind: 'cut', text: HALF }, { kind: 'reply', text: LINES }));
  const retried = await asking(again.baseUrl);
  assert.equal(textOf(retried), LINES);
  assert.deepEqual(textsOf(retried), [HALF, LINES]);
  const [bad, good] = [await modelThat({ kind: 'cut', text: HALF }), await modelThat({ kind: 'reply', text: LINES })];
  const other = await asking([bad.baseUrl, good.baseUrl]);
  assert.deepEqual(textsOf(other), [HALF, LINES]);
  assert.deepEqual(
    other.attempts.map(({ model }) => model),
    ['model-1', 'model-2'],
  );
});

test('an attempt that says nothing takes nothing away of what was told before', async () => {
  const model = await modelThat(inTurn({ kind: 'cut', text: HALF }, { kind: 'empty' }));
  assert.deepEqual(textsOf(await asking(model.baseUrl)), [HALF]);
});

test('a server that does not stream is told in one piece', async () => {
  const heard = await asking((await modelThat({ kind: 'whole', text: LINES })).baseUrl);
  assert.deepEqual([textOf(heard), heard.attempts.map(({ pieces }) => pieces)], [LINES, [[LINES]]]);
});

test('a format is sent as a JSON schema, only where one is wanted, and the sink learns that it is in force', async () => {
  const model = await modelThat({ kind: 'reply', text: LINES });
  const heard = await asking(model.baseUrl, { format: FORMAT });
  await asking(model.baseUrl);
  assert.deepEqual(
    model.questions.map(({ body }) => body.response_format),
    [{ type: 'json_schema', json_schema: { ...FORMAT, strict: false } }, undefined],
  );
  assert.equal(heard.attempts[0]?.formatted, true);
});

test('a format that the server refuses is left out, and not tried again', async () => {
  for (const [status, body] of [
    [400, { error: { message: 'This response_format type is unavailable now', code: 'invalid_request_error' } }],
    [400, { error: { message: 'Not supported with this model.', param: 'response_format' } }],
    [400, { error: { message: 'JSON schema conversion failed' } }],
    [422, { error: { message: 'Structured output is not available' } }],
    [400, { error: { message: 'Failed to parse grammar' } }],
    [400, { error: { message: 'guided_json is unknown' } }],
    [422, { detail: [{ type: 'extra_forbidden', loc: ['body', 'response_format'] }] }],
  ] as const) {
    const model = await modelThat({
      behave: ({ body: asked }) =>
        asked.response_format === undefined
          ? { kind: 'reply', text: LINES }
          : { kind: 'status', status, body: structuredClone(body) as never },
    });
    const first = await asking(model.baseUrl, { format: FORMAT });
    const second = await asking(model.baseUrl, { format: FORMAT });
    assert.deepEqual([textOf(first), textOf(second)], [LINES, LINES]);
    assert.deepEqual(
      model.questions.map(({ body: asked }) => asked.response_format !== undefined),
      [true, false, false],
      JSON.stringify(body),
    );
    assert.deepEqual(
      [...first.attempts, ...second.attempts].map(({ formatted }) => formatted),
      [false, false],
    );
  }
});

test('a question with a format that is refused for another reason is refused', async () => {
  for (const error of [
    { message: 'The model is not for chat' },
    { message: 'structured prompt too long', code: 'context_length_exceeded' },
  ]) {
    const model = await modelThat({ kind: 'status', status: 400, body: { error } });
    assert.match(codeOf(await asking(model.baseUrl, { format: FORMAT })), /REFUSED|PROMPT_TOO_LONG/);
    assert.equal(model.questions.length, 1);
  }
});

test('questions that are under way together all do without what the server refuses', async () => {
  const model = await modelThat({
    refuses: ['response_format', 'stream_options', 'max_tokens', 'max_completion_tokens'],
    behave: () => ({ kind: 'reply', text: LINES }),
  });
  const together = await Promise.all(Array.from({ length: 4 }, () => asking(model.baseUrl, { format: FORMAT })));
  assert.deepEqual(together.map(textOf), [LINES, LINES, LINES, LINES]);
});

test('a module is told as it comes, too', async () => {
  const text = 'Here:\n```ts\nexport const handle = 1;\n```';
  const heard = await asking((await modelThat({ kind: 'reply', text: `${text}\n${'more '.repeat(5_000)}` })).baseUrl, {
    answer: 'module',
  });
  assert.deepEqual(textsOf(heard), [textOf(heard)]);
});
