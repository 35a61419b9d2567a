import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CompletionError } from '../../src/completion/completion-error.ts';
import type { Adaptation, Form } from '../../src/completion/dialect.ts';
import { faultOf, reportedFaults } from '../../src/completion/faults.ts';
import { isUnreached, networkCause } from '../../src/completion/model-failure.ts';
import { readFault } from '../../src/completion/server-fault.ts';
import type { JsonObject } from '../../src/kernel/json.ts';
import { answer, asking, event, eventStream, events, json, nobodyThere, serverThat, toldBy } from './odd-server.ts';
import { error, said } from './said-by-servers.ts';

const format = { name: 'reading', schema: { type: 'object' } };
const sent: Form = {
  underVersion: false,
  system: 'own',
  stream: true,
  usage: true,
  format: true,
  limit: { name: 'max_tokens', tokens: 16_384 },
};

test('each fault of the table is seen in what servers say, and each saying means one', () => {
  assert.deepEqual(Object.keys(said).sort(), reportedFaults.map(({ name }) => name).sort());
  for (const [name, bodies] of Object.entries(said)) {
    assert.ok(bodies.length > 0, name);
    for (const [status, body] of bodies) {
      const found = faultOf(readFault(status, body), { form: sent, promptTokens: 3_000 });
      assert.equal(found.name, name, JSON.stringify([status, body]));
    }
  }
});

for (const { name, code, adapts } of reportedFaults)
  test(`over HTTP, ${name}: ${code}${adapts === undefined ? '' : ', once another form was tried'}`, async () => {
    for (const [status, body] of said[name] ?? []) {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const inForms = status === 200 ? ['whole', 'event', 'error event'] : ['whole'];
      for (const form of inForms) {
        const { baseUrl, got } = await serverThat((response) => {
          if (form === 'whole') response.writeHead(status, { 'content-type': 'application/json' }).end(text);
          else response.writeHead(200, eventStream).end(`${form === 'event' ? '' : 'event: error\n'}data: ${text}\n\n`);
        });
        const { outcome } = await asking(baseFor(baseUrl, adapts), { question: { format } });
        assert.equal(toldBy(outcome), code, `${form} ${status} ${text}`);
        assert.match((outcome as CompletionError).message, /^Cannot .+: .+, wanted /s);
        // Refused in every form: no form is sent twice.
        const forms = got.map((one) => JSON.stringify(one));
        assert.equal(new Set(forms).size, forms.length, text);
        assert.equal(forms.length > 1, adapts !== undefined, text);
      }
    }
  });

/** A base URL as it has to be for a fault to come up. */
const baseFor = (baseUrl: string, adapts: Adaptation | undefined): string =>
  adapts === 'path' ? baseUrl.replace('/v1', '/api') : baseUrl;

/** Whether a question has what a fault is about. */
const offends: Record<Adaptation, (body: JsonObject, url: string) => boolean> = {
  path: (_, url) => url !== '/api/v1/chat/completions',
  system: ({ messages }) => (messages as JsonObject[]).some(({ role }) => role === 'system'),
  stream: ({ stream }) => stream === true,
  usage: (body) => body.stream_options !== undefined,
  format: (body) => body.response_format !== undefined,
  'limit-name': (body) => body.max_tokens !== undefined,
  limit: (body) => Number(body.max_tokens ?? body.max_completion_tokens) > 8_192,
};

for (const { name, adapts } of reportedFaults.filter((one) => one.adapts !== undefined))
  test(`${name}: asked in another form once, which is remembered and told once`, async () => {
    for (const [status, body] of said[name] ?? []) {
      const { baseUrl, got } = await serverThat((response, asked, { url }) => {
        if (offends[adapts as Adaptation](asked, url)) json(response, status, body);
        else if (asked.stream === true) response.writeHead(200, eventStream).end(events(answer));
        else json(response, 200, { choices: [{ message: { content: answer }, finish_reason: 'stop' }] });
      });
      const given = baseFor(baseUrl, adapts);
      const first = await asking(given, { question: { format } });
      const second = await asking(given, { question: { format } });
      assert.deepEqual([toldBy(first.outcome), toldBy(second.outcome)], [answer, answer], JSON.stringify(body));
      assert.deepEqual([first.learnt, second.learnt, got.length], [[adapts], [], 3]);
      const texts = ((got[2]?.body.messages ?? []) as JsonObject[]).map(({ content }) => content).join('\n');
      assert.match(texts, /^You write handlers[\s\S]*very secret product\.$/);
    }
  });

test('a path is tried once where the base URL names no version, and remembered where it is answered', async () => {
  for (const [path, urls] of [
    ['', ['/chat/completions', '/v1/chat/completions']],
    [
      '/openai?api-version=2024',
      ['/openai/chat/completions?api-version=2024', '/openai/v1/chat/completions?api-version=2024'],
    ],
    ['/v1', ['/v1/chat/completions']],
    ['/api/v3', ['/api/v3/chat/completions']],
  ] as const) {
    const { baseUrl, got } = await serverThat((response) => json(response, 404, 'Not Found'));
    const given = baseUrl.replace('/v1', path);
    for (const times of [1, 2]) {
      const { outcome, learnt } = await asking(given);
      assert.deepEqual([toldBy(outcome), learnt], ['OPERATOR_MODEL_UNKNOWN', []]);
      assert.deepEqual(
        got.map(({ url }) => url),
        Array(times).fill(urls).flat(),
      );
    }
  }
});

test('a limit that is lowered is lowered to what the server says that it holds', async () => {
  for (const [message, least, most] of [
    [
      'maximum context length is 8192 tokens, 20284 were requested (3900 in the messages, 16384 in the completion)',
      3_500,
      4_292,
    ],
    ['max_tokens has to be at most 8192', 8_192, 8_192],
    ['tokens per minute: Limit 12000, Requested 20111, request too large', 3_000, 4_000],
    ['asks for 16384 tokens, but can only afford 2666', 2_666, 2_666],
    ['max_tokens is too large', 2_000, 4_096],
  ] as const) {
    const { baseUrl, got } = await serverThat((response, { max_tokens: limit }) => {
      if (Number(limit) > most) json(response, message.includes('afford') ? 402 : 400, error(message));
      else response.writeHead(200, eventStream).end(events(answer));
    });
    assert.equal(toldBy((await asking(baseUrl)).outcome), answer, message);
    const limit = Number(got[1]?.body.max_tokens);
    assert.ok(limit >= least && limit <= most, `${message}: ${limit}`);
  }
});

test('the words of a server are told for an operator: cut, seen, without key and without what they repeat of the prompt', async () => {
  const { baseUrl } = await serverThat((response, { messages }) => {
    const [, turn] = messages as JsonObject[];
    const echo = `bad\u202e request\u0000 of key-123: ${JSON.stringify({ content: turn?.content })} ${'x'.repeat(900)}`;
    json(response, 400, error(echo));
  });
  const { outcome } = await asking(baseUrl, { apiKey: 'key-123' });
  assert.ok(outcome instanceof CompletionError);
  assert.match(outcome.message, /status 400 \(bad request of …: [\s\S]*x{40}/);
  assert.doesNotMatch(outcome.message, /key-123|secret product|\u202e|\0/);
  assert.ok(outcome.message.length < 400, outcome.message);
});

test('how long to wait is read from the words where no header has it', async () => {
  for (const [words, ms] of [
    ['Rate limit. Please try again in 7.5s.', 7_500],
    ['Rate limit. Try again in 2m3s', 123_000],
    ['Rate limit: retry in 250ms', 250],
    ['Rate limit', undefined],
  ] as const) {
    const { baseUrl } = await serverThat((response) => json(response, 429, error(words)));
    assert.equal(((await asking(baseUrl)).outcome as CompletionError).retryAfterMs, ms, words);
  }
});

test('each request is asked leave for, and what did not reach a server is given back', async () => {
  const { baseUrl } = await serverThat((response, body) => {
    if (offends.system(body, '')) json(response, 400, error('system role not supported'));
    else response.writeHead(200, eventStream).end(events(answer));
  });
  let [asked, back] = [0, 0];
  const count = () => {
    asked += 1;
    return () => {
      back += 1;
    };
  };
  await asking(baseUrl, { question: { asking: count } });
  assert.deepEqual([asked, back], [2, 0]);
  await asking(await nobodyThere(), { question: { asking: count } });
  assert.deepEqual([asked, back], [3, 1]);
  const refused = await asking(baseUrl.replace('/v1', '/v2'), { question: { mayRepeat: () => false } });
  assert.equal(toldBy(refused.outcome), 'PLATFORM_MODEL_REFUSED', 'no leave for another form');
});

test('a proxy that opens no tunnel is told with its answer, and the request as not sent', () => {
  const refused = new Error('Proxy response (407) !== 200 when HTTP Tunneling');
  const error = new TypeError('fetch failed', { cause: Object.assign(refused, { code: 'UND_ERR_ABORTED' }) });
  assert.deepEqual([networkCause(error), isUnreached(error)], ['the proxy answers 407', true]);
});

test('an error that comes after a part of the answer is told with what was used', async () => {
  const { baseUrl } = await serverThat((response) => {
    const rest = event({
      choices: [{ delta: { content: '' }, finish_reason: 'error' }],
      error: { code: 402, message: 'no more' },
    });
    response.writeHead(200, eventStream).end(`${event({ choices: [{ delta: { content: 'Here ' } }] })}${rest}`);
  });
  const { outcome } = await asking(baseUrl);
  assert.equal(toldBy(outcome), 'OPERATOR_MODEL_QUOTA');
  assert.ok((outcome.usage?.outputTokens ?? 0) > 0);
});
