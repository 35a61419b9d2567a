import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extractCandidate } from '../../src/completion/extract-candidate.ts';
import { createEntryReader } from '../../src/completion/json-entries.ts';
import type { AnswerSink } from '../../src/contract/completion.ts';
import type { JsonObject } from '../../src/kernel/json.ts';
import { answer, asking, event, eventStream, events, moduleSource, serverThat, toldBy } from './odd-server.ts';

const draft = `A sketch first.\n\n\`\`\`ts\nexport const handle = () => 'draft';\n\`\`\`\n\nNo, that forgets a case.\n`;
const lines = '{"unit":1,"kind":"name"}\n{"unit":2,"kind":"status"}\n';
const draftLine = '{"unit":9,"kind":"draft"}\n';

/** Wrappings of reasoning: what comes before the answer. */
const wrappings: Record<string, (reasoning: string) => string> = {
  '<think>': (text) => `<think>\n${text}</think>\n\n`,
  'a lone </think>': (text) => `So they want this. ${text}</think>\n\n`,
  'a word before <think>': (text) => `Sure. <think>\n${text}</think>\n`,
  '<thinking>': (text) => `<thinking>${text}</thinking>`,
  '<thought>': (text) => `<thought>\n${text}</thought>\n`,
  'a lone </thought>': (text) => `Hm. ${text}</thought>\n`,
  '<reasoning>': (text) => `<reasoning>\n${text}</reasoning>\n`,
  '<seed:think>': (text) => `<seed:think>\n${text}</seed:think>\n`,
  '[THINK]': (text) => `[THINK]${text}[/THINK]`,
  'a lone [/THINK]': (text) => `Well. ${text}[/THINK]\n`,
  '◁think▷': (text) => `◁think▷${text}◁/think▷`,
  'a lone ◁/think▷': (text) => `Well. ${text}◁/think▷`,
  '<|begin_of_thought|>': (text) => `<|begin_of_thought|>\n${text}<|end_of_thought|>\n`,
  '<|START_THINKING|>': (text) => `<|START_THINKING|>${text}<|END_THINKING|>`,
  'harmony channels': (text) =>
    `<|channel|>analysis<|message|>${text}<|end|><|start|>assistant<|channel|>final<|message|>`,
  'harmony channels without marks': (text) => `analysis${text}assistantfinal\n`,
  '<think> in capitals, with an attribute': (text) => `<THINK effort="high">\n${text}</THINK>\n`,
  '<analysis>': (text) => `<analysis>\n${text}</analysis>\n`,
  '<inner_monologue>': (text) => `<inner_monologue>\n${text}</inner_monologue>\n`,
  'a tag that ends in _think': (text) => `<longcat_think>\n${text}</longcat_think>\n`,
  'details of a web front end': (text) =>
    `<details type="reasoning" done="true">\n<summary>Thought</summary>\n${text}</details>\n`,
  '<|thinking|>': (text) => `<|thinking|>${text}<|/thinking|>\n`,
  'unused tokens': (text) => `<unused94>thought\n${text}<unused95>`,
  '[BEGIN FINAL RESPONSE]': (text) => `My steps:\n${text}\n[BEGIN FINAL RESPONSE]\n`,
  'two thoughts': (text) => `<think>${text}</think>\n<think>\n${text}</think>\n`,
};

/** A text as a stream in pieces of so many characters. */
function streamed(text: string, size: number): string {
  return events(...(text.match(new RegExp(`[\\s\\S]{1,${size}}`, 'gu')) ?? []));
}

async function asked(body: string, type = 'text/event-stream', question: Parameters<typeof asking>[1] = {}) {
  const { baseUrl, got } = await serverThat((response) => response.writeHead(200, { 'content-type': type }).end(body));
  const { outcome } = await asking(baseUrl, question);
  return { told: toldBy(outcome), got, outcome };
}

/** The module that an answer holds. */
function moduleIn(text: string): string | undefined {
  const extracted = extractCandidate(text);
  return extracted.kind === 'code' ? extracted.source.trim() : undefined;
}

for (const [name, wrap] of Object.entries(wrappings))
  test(`the module after the reasoning is taken, not a draft in it: ${name}`, async () => {
    for (const size of [1, 7, 100_000]) {
      const { told } = await asked(streamed(`${wrap(draft)}${answer}`, size));
      assert.equal(moduleIn(told), moduleSource, `${size}: ${told}`);
    }
    const whole = {
      choices: [{ message: { role: 'assistant', content: `${wrap(draft)}${answer}` }, finish_reason: 'stop' }],
    };
    assert.equal(moduleIn((await asked(JSON.stringify(whole), 'application/json')).told), moduleSource);
  });

for (const [name, wrap] of Object.entries(wrappings))
  test(`the entries after the reasoning are read, not a draft in it: ${name}`, async () => {
    for (const size of [1, 7, 100_000]) {
      const entries: JsonObject[] = [];
      const reader = createEntryReader((entry) => void entries.push(entry));
      const sink: AnswerSink = { start: () => undefined, text: (piece) => reader.push(piece) };
      const { told } = await asked(streamed(`${wrap(`Perhaps:\n${draftLine}`)}${lines}`, size), 'text/event-stream', {
        question: { answer: 'text', sink },
      });
      reader.end();
      assert.deepEqual(
        entries.map(({ unit }) => unit),
        [1, 2],
        `${size}: ${told}`,
      );
    }
  });

test('a model that reasons without an opening tag is heard to the end of it from then on, and that is told once', async () => {
  const text = `Let me see. ${draft}${'More thoughts. '.repeat(1_000)}</think>\n${answer}`;
  const { baseUrl } = await serverThat((response, { messages }) => {
    const isFirst = JSON.stringify(messages).length > 0 && response.req.url?.includes('first');
    response.writeHead(200, eventStream).end(streamed(isFirst ? `Hm. ${draft}</think>\n${answer}` : text, 50));
  });
  const first = await asking(baseUrl, { question: { answer: 'text' } });
  assert.deepEqual(first.learnt, ['reasoning']);
  const second = await asking(baseUrl);
  assert.deepEqual([moduleIn(toldBy(second.outcome)), second.learnt], [moduleSource, []]);
});

test('all before a closing mark without an opening one is no answer, thoughts with both among it', () => {
  assert.equal(moduleIn(`${draft}<think>\nhm\n</think>\n${draft}</think>\n${answer}`), moduleSource);
});

test('what follows the reasoning is told as it comes, and prose that turns out to be an answer at its end', async () => {
  for (const [before, least] of [
    ['So they want this.\n</think>\n', 5],
    ['', 5],
    ['Here they are:\n', 1],
  ] as const) {
    const pieces: string[] = [];
    const sink: AnswerSink = { start: () => undefined, text: (piece) => void pieces.push(piece) };
    const { told } = await asked(streamed(`${before}${lines}`, 5), undefined, { question: { answer: 'text', sink } });
    assert.equal(pieces.join(''), told);
    assert.ok(told.endsWith(lines) && (least === 1 ? pieces.length === 1 : pieces.length >= least), before);
  }
});

test('a mark of reasoning within a module is a part of it', async () => {
  const source = "export const handle = (text) => text.split('</think>')[0];";
  const { told } = await asked(streamed(`Here:\n\`\`\`ts\n${source}\n\`\`\`\n`, 9));
  assert.equal(moduleIn(told), source);
});

test('an answer that a server takes for reasoning to its end is an answer, of several drafts the last', async () => {
  for (const name of ['reasoning_content', 'reasoning']) {
    const { told } = await asked(
      events({ [name]: draft.slice(0, 30) }, { content: null, [name]: `${draft.slice(30)}${answer}` }),
    );
    assert.equal(moduleIn(told), moduleSource, name);
  }
  assert.equal(moduleIn((await asked(streamed(`<think>\n${draft}${answer}`, 20))).told), moduleSource);
  const text = await asked(events({ reasoning_content: lines }), 'text/event-stream', { question: { answer: 'text' } });
  assert.equal(text.told, lines);
  const cut = `${event({ choices: [{ delta: { reasoning_content: answer } }] })}`;
  assert.notEqual((await asked(cut)).told, answer, 'what breaks off is none');
});

test('details that a model writes after its module are no reasoning', async () => {
  const text = `${answer}<details>\n<summary>Why</summary>\nIt is short.\n</details>\n`;
  assert.equal(moduleIn((await asked(streamed(text, 20))).told), moduleSource);
  assert.equal(moduleIn(text), moduleSource);
});

test('a module is found in a fence around the whole answer, and behind blanks that are not seen', () => {
  assert.equal(moduleIn(`\`\`\`markdown\n${answer}\`\`\`\n`), moduleSource);
  for (const blank of ['\u00a0', '\u200b', '\ufeff'])
    assert.equal(moduleIn(answer.replace('```ts', `${blank}\`\`\`ts`)), moduleSource);
});

test('content in parts is joined, reasoning among them left out', async () => {
  const half = answer.length / 2;
  const parts = (text: string) => [
    { type: 'text', text: text.slice(0, half) },
    { type: 'text', text: { value: text.slice(half) } },
  ];
  const thinking = { type: 'thinking', thinking: [{ type: 'text', text: draft }] };
  assert.equal(
    (await asked(events({ content: [thinking] }, ...parts(answer).map((part) => ({ content: [part] }))))).told,
    answer,
  );
  const whole = { choices: [{ message: { content: [thinking, ...parts(answer)] }, finish_reason: 'stop' }] };
  assert.equal((await asked(JSON.stringify(whole), 'application/json')).told, answer);
});

test('an answer is read by what it is, whatever its content type says', async () => {
  const whole = { choices: [{ index: 0, message: { role: 'assistant', content: answer }, finish_reason: 'stop' }] };
  const chunks = [{ choices: [{ delta: { content: answer } }] }, { choices: [{ delta: {}, finish_reason: 'stop' }] }];
  const bodies = {
    events: streamed(answer, 10),
    'events after blanks': `\r\n\n${streamed(answer, 10)}`,
    'a whole answer': JSON.stringify(whole),
    'a whole answer, indented': `\ufeff\n${JSON.stringify(whole, null, 2)}\n`,
    'a whole answer as an event': event(whole),
    'events without blank lines between them': streamed(answer, 10).replaceAll('\n\n', '\n'),
    'a list of pieces': JSON.stringify(chunks),
    'an answer in an envelope': JSON.stringify({ code: 0, message: 'ok', data: whole }),
    'an answer in another envelope': JSON.stringify({ success: true, errors: [], result: whole }),
    'an answer with an empty error': JSON.stringify({ error: {}, ...whole }),
    'pieces by line': chunks.map((one) => JSON.stringify(one)).join('\n'),
  };
  for (const [name, body] of Object.entries(bodies))
    for (const type of [
      'text/event-stream',
      'application/json; charset=utf-8',
      'text/plain',
      'application/x-ndjson',
      'text/html',
    ])
      assert.equal((await asked(body, type)).told, answer, `${name} as ${type}`);
});

test('what is no answer is told as what it is', async () => {
  const call = { tool_calls: [{ function: { name: 'write_file', arguments: '{}' } }] };
  for (const [body, code] of [
    ['<!doctype html><title>Sign in</title>', 'PLATFORM_MODEL_NOT_AN_API'],
    ['upstream connect error', 'PLATFORM_MODEL_NOT_AN_API'],
    ['{"status":"ok"}', 'PLATFORM_MODEL_UNAVAILABLE'],
    [events({ content: null, ...call }), 'PLATFORM_MODEL_EMPTY'],
    [event({ choices: [{ delta: call, finish_reason: 'tool_calls' }] }), 'PLATFORM_MODEL_EMPTY'],
    [events(''), 'PLATFORM_MODEL_EMPTY'],
    [
      `error: {"code":400,"type":"exceed_context_size_error","message":"too long"}\n\n`,
      'PLATFORM_MODEL_PROMPT_TOO_LONG',
    ],
    [`${event({ choices: [{ delta: { content: 'Here' } }] })}{"error":{"code":402}}`, 'OPERATOR_MODEL_QUOTA'],
    [
      event({ choices: [{ delta: { content: 'No.' }, finish_reason: 'guardrail_intervened' }] }),
      'PLATFORM_MODEL_FILTERED',
    ],
  ] as const)
    for (const type of ['text/event-stream', 'application/json', 'text/html'])
      assert.equal((await asked(body, type)).told, code, `${body.slice(0, 60)} as ${type}`);
});

test('a base URL is asked as it was meant', async () => {
  for (const [given, path] of [
    ['BASE/v1', '/v1/chat/completions'],
    [' BASE/v1 ', '/v1/chat/completions'],
    ['BASE//v1//', '/v1/chat/completions'],
    ['BASE/v1/chat/completions', '/v1/chat/completions'],
    ['BASE/v1/chat/completions/chat/completions/', '/v1/chat/completions'],
    ['BASE/v1/models', '/v1/chat/completions'],
    ['BASE/v1/responses', '/v1/chat/completions'],
    ['BASE/v1/messages/', '/v1/chat/completions'],
    ['BASE/api/generate', '/chat/completions'],
    ['BASE/api/chat', '/chat/completions'],
    ['BASE/api/chat/completions', '/api/chat/completions'],
    [
      'BASE/openai/deployments/m/chat/completions?api-version=2',
      '/openai/deployments/m/chat/completions?api-version=2',
    ],
    ['BASE/openai?api-version=2', '/openai/chat/completions?api-version=2'],
    ['BASE', '/chat/completions'],
  ] as const) {
    const { baseUrl, got } = await serverThat((response) => response.writeHead(200, eventStream).end(events(answer)));
    assert.equal(toldBy((await asking(given.replace('BASE', baseUrl.replace('/v1', '')))).outcome), answer);
    assert.deepEqual(
      got.map(({ url }) => url),
      [path],
      given,
    );
  }
});
