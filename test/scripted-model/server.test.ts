import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { extractCandidate } from '../../src/completion/extract-candidate.ts';
import { createOpenAiCompleter } from '../../src/completion/openai-completer.ts';
import type { Prompt } from '../../src/contract/completion.ts';
import type { Task, Tool } from '../../src/contract/job.ts';
import { Deadline } from '../../src/kernel/deadline.ts';
import { JUDGE_SYSTEM_PROMPT } from '../../src/prompting/judge-prompt.ts';
import { renderPrompt } from '../../src/prompting/render-prompt.ts';
import { renderRepair } from '../../src/prompting/render-repair.ts';
import { SYSTEM_PROMPT } from '../../src/prompting/system-prompt.ts';
import { matchingScripts, parseScript, readScripts } from '../../src/scripted-model/script.ts';
import { startScriptedModel } from '../../src/scripted-model/server.ts';

const COMPLETIONS = fileURLToPath(new URL('../../fixtures/completions/', import.meta.url));
const EXAMPLES = fileURLToPath(new URL('../../../shared/examples/', import.meta.url));
const scripts = readScripts(COMPLETIONS);

const PRODUCT = {
  productId: 'P12345',
  productName: 'Laptop',
  productDescription: 'A laptop.',
  price: 1299.99,
  currency: 'USD',
};
const LOOKUP: Tool = { name: 'lookupProduct' };
const TASK: Task = {
  description: 'Our shopping agent wants the price of a product by its id, or to know that there is none.',
};

interface Story {
  role: 'provider' | 'requester';
  text: string;
  tools: Tool[];
  task?: Task;
  amended: boolean;
}

const STORIES: Record<string, Story> = {
  allows: { role: 'provider', text: '# Requirements\nRetrieve product information', tools: [LOOKUP], amended: false },
  amended: { role: 'provider', text: '# Requirements\nRetrieve product information', tools: [LOOKUP], amended: true },
  chinese: { role: 'provider', text: '# 需求\n获取商品信息', tools: [LOOKUP], amended: true },
  requester: {
    role: 'requester',
    text: '# Requirements\nRetrieve product information',
    tools: [],
    task: TASK,
    amended: false,
  },
};

function promptFor({ role, text, tools, task, amended }: Story): Prompt {
  return renderPrompt({
    role,
    agreement: { text, payload: 'json' },
    types: 'export {};',
    cases: [],
    tools,
    task,
    loose: [],
    amendments: amended ? [{ of: 'responseSchema', patch: [] }] : [],
  });
}

function story(name: keyof typeof STORIES): Story {
  const found = STORIES[name];
  assert.ok(found);
  return found;
}

const folder = mkdtempSync(join(tmpdir(), 'handlers-'));
after(() => rmSync(folder, { recursive: true }));

type Handler = (input: unknown, context: unknown) => Promise<Record<string, unknown>>;

/** The function of the reply that a prompt gets. The replies are our own, so they may run here. */
async function handlerFor(prompt: Prompt): Promise<Handler> {
  const fitting = matchingScripts(scripts, prompt.turns.map(({ text }) => text).join('\n\n'));
  assert.equal(fitting.length, 1, fitting.map(({ name }) => name).join(', '));
  const extracted = extractCandidate(fitting[0]?.reply ?? '');
  assert.ok(extracted.kind === 'code');
  const file = join(folder, `${fitting[0]?.name}.ts`);
  writeFileSync(file, extracted.source);
  const module: { handle?: Handler; perform?: Handler } = await import(pathToFileURL(file).href);
  const handler = module.handle ?? module.perform;
  assert.ok(handler);
  return handler;
}

/** A catalogue with one product, found by id or name. */
function catalogue(calls: unknown[] = []) {
  const find = async (input: { productId?: string; productName?: string }) => {
    calls.push(input);
    return input.productId === PRODUCT.productId || input.productName === PRODUCT.productName ? PRODUCT : null;
  };
  return { call: { lookupProduct: find }, newId: () => 'abcdefghijklmnop', now: () => 0, log: () => undefined };
}

const ask = (members: Record<string, unknown>) => ({
  messageId: 'm1',
  type: 'REQUEST',
  action: 'getProductInfo',
  ...members,
});
const codeOf = (answer: Record<string, unknown>) => (answer.status as { code: number }).code;

test('every script is labelled as written by hand, and every prompt that the scripts are for gets one', () => {
  assert.ok(scripts.length >= 5);
  assert.ok(scripts.every(({ origin }) => origin === 'hand-written'));
  for (const [name, one] of Object.entries(STORIES)) {
    const prompt = promptFor(one);
    const repair = renderRepair(prompt, one.role, 'export const handle = 1;', {});
    for (const { turns } of [prompt, repair]) {
      assert.equal(matchingScripts(scripts, turns.map(({ text }) => text).join('\n\n')).length, 1, name);
    }
  }
});

test('the first reply to the agreement that allows null forgets the unknown product, and the repair does not', async () => {
  const prompt = promptFor(story('allows'));
  const first = await handlerFor(prompt);
  const repaired = await handlerFor(renderRepair(prompt, 'provider', 'export const handle = 1;', {}));
  for (const handler of [first, repaired]) {
    assert.deepEqual(await handler(ask({ productId: 'P12345' }), catalogue()), {
      messageId: 'm1',
      type: 'RESPONSE',
      status: { code: 200, message: 'Success' },
      productInfo: PRODUCT,
    });
  }
  assert.equal(codeOf(await first(ask({ productId: 'P99999' }), catalogue())), 200);
  assert.deepEqual(await repaired(ask({ productId: 'P99999' }), catalogue()), {
    messageId: 'm1',
    type: 'RESPONSE',
    status: { code: 404, message: 'Product Not Found' },
    productInfo: null,
  });
});

for (const name of ['amended', 'chinese'] as const) {
  test(`the reply to the ${name} agreement is general`, async () => {
    const handler = await handlerFor(promptFor(story(name)));
    assert.equal(codeOf(await handler(ask({ productId: 'P12345' }), catalogue())), 200);
    assert.equal(codeOf(await handler(ask({ productId: 'P99999' }), catalogue())), 404);
    const calls: unknown[] = [];
    assert.deepEqual(
      (await handler(ask({ productId: '', productName: 'Laptop' }), catalogue(calls))).productInfo,
      PRODUCT,
    );
    assert.deepEqual(calls, [{ productName: 'Laptop' }]);
    assert.equal(codeOf(await handler(ask({ productId: 'P0', productName: 'Laptop' }), catalogue())), 200);
    for (const code of ['FAILED', 'INVALID', 'TIMEOUT']) {
      const failing = {
        ...catalogue(),
        call: { lookupProduct: () => Promise.reject(Object.assign(new Error('down'), { code })) },
      };
      const answer = await handler(ask({ productId: 'P12345' }), failing);
      assert.deepEqual(
        [codeOf(answer), answer.productInfo, answer.messageId],
        [code === 'TIMEOUT' ? 504 : 500, null, 'm1'],
      );
    }
    for (const invalid of [
      null,
      [],
      'x',
      7,
      {},
      { messageId: 'm1' },
      ask({}),
      ask({ productId: 7 }),
      ask({ productId: 'P1', productName: null }),
      { ...ask({ productId: 'P1' }), messageId: 9 },
    ]) {
      const unused: unknown[] = [];
      const answer = await handler(invalid, catalogue(unused));
      assert.deepEqual(
        [codeOf(answer), answer.productInfo, typeof answer.messageId],
        [400, null, 'string'],
        JSON.stringify(invalid),
      );
      assert.deepEqual(unused, []);
    }
  });
}

test("the requester's reply sends its own id, and believes only the answer to it", async () => {
  const handler = await handlerFor(promptFor(story('requester')));
  const sent: Record<string, unknown>[] = [];
  const peer = (change: (answer: Record<string, unknown>) => unknown) => ({
    ...catalogue(),
    send: async (request: Record<string, unknown>) => {
      sent.push(request);
      return change({
        messageId: request.messageId,
        type: 'RESPONSE',
        status: { code: 200, message: 'Success' },
        productInfo: PRODUCT,
      });
    },
  });
  assert.deepEqual(
    await handler(
      { id: 'P12345' },
      peer((answer) => answer),
    ),
    { found: true, name: 'Laptop', price: 1299.99, currency: 'USD' },
  );
  assert.deepEqual(sent, [
    { messageId: 'abcdefghijklmnop', type: 'REQUEST', action: 'getProductInfo', productId: 'P12345' },
  ]);
  assert.deepEqual(
    await handler(
      { id: 'P99999' },
      peer((answer) => ({ ...answer, status: { code: 404, message: '' }, productInfo: null })),
    ),
    { found: false },
  );
  for (const wrong of [
    { messageId: 'other' },
    { status: null },
    { status: { code: 500 } },
    { productInfo: null },
    { productInfo: { ...PRODUCT, productId: 'P2' } },
    { productInfo: { productId: 'P12345' } },
  ]) {
    await assert.rejects(
      handler(
        { id: 'P12345' },
        peer((answer) => ({ ...answer, ...wrong })),
      ),
      JSON.stringify(wrong),
    );
  }
  await assert.rejects(
    handler(
      { id: 'P12345' },
      peer(() => null),
    ),
  );
});

test('the example jobs find their replies', {
  skip: existsSync(EXAMPLES) ? false : 'the shared examples are not here',
}, () => {
  for (const file of readdirSync(EXAMPLES).filter(
    (name) => /\.job\.json$/.test(name) && !/disputed|base-missing/.test(name),
  )) {
    const job = JSON.parse(readFileSync(join(EXAMPLES, file), 'utf8'));
    for (const amended of [true, false]) {
      const prompt = promptFor({
        role: job.role,
        text: job.agreement.candidateProtocols,
        tools: job.tools,
        task: job.task,
        amended,
      });
      assert.equal(matchingScripts(scripts, prompt.turns.map(({ text }) => text).join('\n\n')).length, 1, file);
    }
  }
});

test('a reply is chosen by what the prompt contains, over HTTP, whatever the order', async () => {
  const model = await startScriptedModel({ scripts: [...scripts].reverse() });
  try {
    const completer = createOpenAiCompleter({ model: 'scripted', generator: 'scripted', baseUrl: model.baseUrl });
    const deadline = new Deadline(Date.now() + 20_000, AbortSignal.timeout(20_000));
    const prompt = promptFor(story('allows'));
    const repair = renderRepair(prompt, 'provider', 'export const handle = 1;', {});
    for (const [asked, wanted] of [
      [repair, /404/],
      [prompt, /^(?![\s\S]*404)/],
      [repair, /404/],
    ] as const) {
      const extracted = extractCandidate((await completer.complete(asked, deadline)).text);
      assert.match(extracted.kind === 'code' ? extracted.source : '', wanted);
    }
    const models = await fetch(`${model.baseUrl}/models`).then((response) => response.json());
    assert.deepEqual(models, { object: 'list', data: [{ id: 'scripted', object: 'model' }] });
  } finally {
    await model.close();
  }
});

test('scripts that both fit are a fault of the scripts, not a matter of order', () => {
  const one = parseScript('one.md', '---\norigin: hand-written\npresent: "a"\n---\nx');
  const two = parseScript('two.md', '---\norigin: hand-written\npresent: "b"\n---\ny');
  const three = parseScript('three.md', '---\norigin: hand-written\npresent: "a"\npresent: "b"\nabsent: "c"\n---\nz');
  assert.deepEqual(matchingScripts([one, two], 'a b'), [one, two]);
  assert.deepEqual(matchingScripts([one, two, three], 'a b'), [three]);
  assert.deepEqual(matchingScripts([one, two, three], 'a b c'), [one, two]);
  assert.deepEqual(matchingScripts([one], 'b'), []);
});

test('a file that is no script is told', () => {
  for (const text of [
    'no head',
    '---\norigin: recorded\npresent: "a"\n---\nx',
    '---\norigin: hand-written\n---\nx',
    '---\norigin: hand-written\nwhen: "a"\n---\nx',
  ]) {
    assert.throws(() => parseScript('odd.md', text), /^Error: Cannot read script "odd.md": .+, wanted/s);
  }
});

test('what is no question is refused', async () => {
  const model = await startScriptedModel({});
  try {
    assert.equal((await fetch(`${model.baseUrl}/other`)).status, 404);
    assert.equal((await fetch(`${model.baseUrl}/chat/completions`, { method: 'POST', body: '[' })).status, 400);
    assert.match(model.baseUrl, /^http:\/\/127\.0\.0\.1:\d+\/v1$/);
  } finally {
    await model.close();
  }
});

test('a question is answered by the scripts for its purpose, which the system part tells', async () => {
  const script = (to: string) =>
    parseScript(
      `${to || 'plain'}.md`,
      `---\norigin: hand-written\n${to && `to: ${to}\n`}present: "a"\n---\nfrom ${to}`,
    );
  const model = await startScriptedModel({ scripts: ['', 'judge', 'read', 'confirm'].map(script) });
  const systems = [
    [SYSTEM_PROMPT, 'candidate', 'from '],
    [JUDGE_SYSTEM_PROMPT, 'judge', 'from judge'],
    ['You read agreements between software agents and list what they say.', 'read', 'from read'],
    ['You answer questions about one agreement.', 'confirm', 'from confirm'],
  ] as const;
  try {
    for (const [system, purpose, reply] of systems) {
      assert.equal((await saidBy(model.baseUrl, system)).trim(), reply.trim());
      assert.equal(model.questions.at(-1)?.to, purpose);
    }
  } finally {
    await model.close();
  }
  assert.throws(() => script('nobody'), /^Error: Cannot read script "nobody.md": to "nobody", wanted/);
});

test('a reader that no script answers is told that nothing was found, anybody else that there is no script', async () => {
  const model = await startScriptedModel({
    scripts: [parseScript('a.md', '---\norigin: hand-written\npresent: "a"\n---\nx')],
  });
  try {
    assert.equal(await saidBy(model.baseUrl, 'You read agreements between software agents.'), '{"none":"unscripted"}');
    for (const system of [JUDGE_SYSTEM_PROMPT, 'You answer questions about one agreement.'])
      await assert.rejects(saidBy(model.baseUrl, system), { code: 'OPERATOR_NO_SCRIPT' });
  } finally {
    await model.close();
  }
});

async function saidBy(baseUrl: string, system: string): Promise<string> {
  const completer = createOpenAiCompleter({ model: 'scripted', generator: 'scripted', baseUrl });
  const deadline = new Deadline(Date.now() + 20_000, AbortSignal.timeout(20_000));
  const prompt: Prompt = { system, turns: [{ role: 'user', text: 'a' }] };
  return (await completer.complete(prompt, deadline, { answer: 'text' })).text;
}
