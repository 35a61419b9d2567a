import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { createSandbox } from '../../sandbox/index.ts';
import type { HandlerRecord } from '../../src/contract/handler.ts';
import type { Role } from '../../src/contract/job.ts';
import { type Embedder, handlerDigest, loadHandler } from '../../src/hosting/load-handler.ts';
import { codeOf } from '../../src/kernel/errors.ts';
import type { Json } from '../../src/kernel/json.ts';
import { wordHandler } from './word-handler.ts';

const sandbox = await createSandbox({ cells: 1 });
after(() => sandbox.close());

const echo: Embedder = { call: async (_tool, input) => input };

async function run(source: string, embedder: Embedder = echo, input: Json = { word: 'a' }, role: Role = 'provider') {
  const handler = await loadHandler(await wordHandler(source, role), sandbox, { toolTimeoutMs: 300 });
  try {
    return await handler.run(input, embedder);
  } finally {
    await handler.close();
  }
}

/** A handler that answers with the code of what its tool call was rejected with. */
const tellsCode = (call: string) => `export async function handle(request: any, context: any) {
  try { return { word: 'answered ' + (await ${call}).word }; } catch (error: any) { return { word: error.code }; }
}`;

test('a result leaves the handler only if its schema allows it', async () => {
  const sound = await run('export function handle(request: any) { return { word: request.word + "!" }; }');
  assert.deepEqual([sound.end, sound.value], ['returned', { word: 'a!' }]);
  for (const wrong of ['{ word: 1 }', '{ word: "a", more: 1 }', 'null', '"a"', 'undefined']) {
    const { end, value, message } = await run(`export function handle() { return ${wrong} as any; }`);
    assert.notEqual(end, 'returned', wrong);
    assert.equal(value, undefined);
    assert.equal(typeof message, 'string');
  }
});

test('a tool gets only inputs that its schema allows, and the handler only such outputs', async () => {
  const asked: Json[] = [];
  const embedder: Embedder = {
    call: async (_tool, input) => {
      asked.push(input);
      return (input as { word: string }).word === 'bad' ? { word: 7 } : input;
    },
  };
  const [sound, badInput, badOutput] = await Promise.all([
    run(tellsCode("context.call.echo({ word: 'good' })"), embedder),
    run(tellsCode('context.call.echo({ word: 5 })'), embedder),
    run(tellsCode("context.call.echo({ word: 'bad' })"), embedder),
  ]);
  assert.deepEqual(
    [sound.value, badInput.value, badOutput.value],
    [{ word: 'answered good' }, { word: 'INVALID' }, { word: 'INVALID' }],
  );
  assert.deepEqual(asked.map((input) => (input as { word: string }).word).toSorted(), ['bad', 'good']);
  assert.equal(badInput.calls[0]?.error?.code, 'INVALID');
});

test('a handler can call only the tools that its verified code used', async () => {
  for (const call of ['context.call.other({})', 'context.call.toString()', 'context.call.constructor("return 1")()']) {
    const { value } = await run(tellsCode(call), { call: async () => ({ word: 'called' }) });
    assert.notDeepEqual(value, { word: 'answered called' }, call);
  }
});

test('a handler sees the tools that it was verified with, and only those that its code used answer', async () => {
  const source = `export async function handle(_: unknown, { call }: any) {
  const told = await call.other.bind(null)({}).catch((error: any) => error.code + ' ' + error.message);
  return { word: Object.keys(call).join() + ': ' + told };
}`;
  const record = await wordHandler(source);
  const asked: string[] = [];
  const embedder: Embedder = {
    call: async (tool) => {
      asked.push(tool);
      return { word: 'called' };
    },
  };
  const other = { inputSchema: { $ref: '#/none' }, readOnly: true };
  const toolSchemas = { ...record.toolSchemas, other, 'no name': other };
  const handler = await loadHandler({ ...record, toolSchemas }, sandbox);
  try {
    const { value } = await handler.run({ word: 'a' }, embedder);
    const refusal = 'FAILED other is not one of the tools that the verified code used';
    assert.deepEqual(value, { word: `echo,other: ${refusal}` });
    assert.deepEqual(asked, []);
  } finally {
    await handler.close();
  }
});

test('a tool that fails, hangs or gives a false code reaches the handler as one of three codes', async () => {
  const failing = (error: unknown): Embedder => ({ call: () => Promise.reject(error) });
  const call = tellsCode("context.call.echo({ word: 'x' })");
  const [failed, timedOut, odd, hung] = await Promise.all([
    run(call, failing(new Error('no'))),
    run(call, failing(Object.assign(new Error('late'), { code: 'TIMEOUT' }))),
    run(call, failing(Object.assign(new Error('odd'), { code: 'ECONNRESET' }))),
    run(call, { call: () => new Promise(() => undefined) }),
  ]);
  assert.deepEqual(
    [failed, timedOut, odd, hung].map(({ value }) => value),
    ['FAILED', 'TIMEOUT', 'FAILED', 'TIMEOUT'].map((word) => ({ word })),
  );
});

test('an error of a tool is reported by its message, from any realm, and even if it cannot be read', async () => {
  const source = `export async function handle(request: any, context: any) {
  try { return await context.call.echo(request); } catch (error: any) { return { word: error.code + ' ' + error.message }; }
}`;
  const unreadable = Object.defineProperty(new Error(), 'message', {
    get() {
      throw new Error('no');
    },
  });
  const foreign: unknown = runInNewContext("Object.assign(new Error('far away'), { code: 'INVALID' })");
  const told: unknown[] = [];
  for (const error of [unreadable, foreign, { code: 'TIMEOUT', message: 'late' }, Object.create(null), null]) {
    const { end, value } = await run(source, { call: () => Promise.reject(error) });
    told.push(value ?? end);
  }
  assert.deepEqual(
    told,
    [
      'FAILED it failed with an error that cannot be read',
      'INVALID far away',
      'TIMEOUT late',
      'FAILED it failed with an error that cannot be read',
      'FAILED null',
    ].map((word) => ({ word })),
  );
});

test('the answer of a tool is validated as the handler gets it', async () => {
  const source = 'export const handle = (request: any, context: any) => context.call.echo(request);';
  const written = (value: unknown) => ({ toJSON: () => value }) as unknown as Json;
  const { value } = await run(source, { call: async () => written({ word: new Date(0) }) });
  assert.deepEqual(value, { word: '1970-01-01T00:00:00.000Z' });
  const hidden = Object.assign({ word: 'as it should be' }, written({ word: 5 })) as Json;
  assert.match((await run(source, { call: async () => hidden })).message ?? '', /breaks its schema/);
});

test('a tool is called even if the handler does not wait for it', async () => {
  const called: Json[] = [];
  const embedder: Embedder = { call: async (_tool, input) => called.push(input) };
  const source = (end: string) => `export async function handle(request: any, context: any) {
  context.call.echo(request);
  ${end}
}`;
  assert.equal((await run(source('return request;'), embedder, { word: 'a' })).end, 'returned');
  assert.equal((await run(source('throw new Error("no");'), embedder, { word: 'b' })).end, 'threw');
  assert.deepEqual(called, [{ word: 'a' }, { word: 'b' }]);
});

test('a tool that returns nothing answers null, and an answer that is no JSON fails', async () => {
  const unchecked = async (answer: unknown) => {
    const stored = await wordHandler(`export async function handle(request: any, context: any) {
  try { return { word: JSON.stringify(await context.call.echo(request)) }; } catch (error: any) { return { word: error.code }; }
}`);
    const handler = await loadHandler({ ...stored, toolSchemas: {} }, sandbox);
    const { value, message } = await handler.run({ word: 'a' }, { call: async () => answer as Json });
    await handler.close();
    return value ?? message;
  };
  assert.deepEqual(await unchecked(undefined), { word: 'null' });
  assert.deepEqual(await unchecked(() => 1), { word: 'FAILED' });
});

test('a requester: its requests and the responses are validated', async () => {
  const source = (request: string) => `export async function perform(task: any, context: any) {
  try { return { word: 'got ' + (await context.send(${request})).word }; } catch (error: any) { return { word: error.code }; }
}`;
  const peer = (answer: Json): Embedder => ({ ...echo, send: async () => answer });
  const results = await Promise.all([
    run(source('task'), peer({ word: 'b' }), { word: 'a' }, 'requester'),
    run(source('{ word: 1 }'), peer({ word: 'b' }), { word: 'a' }, 'requester'),
    run(source('task'), peer({ word: null }), { word: 'a' }, 'requester'),
    run(source('task'), echo, { word: 'a' }, 'requester'),
  ]);
  assert.deepEqual(
    results.map(({ value }) => value),
    ['got b', 'INVALID', 'INVALID', 'FAILED'].map((word) => ({ word })),
  );
});

test('the timeout of the agreement limits a request to the peer', async () => {
  const source = `export async function perform(task: any, context: any) {
  try { return await context.send(task); } catch (error: any) { return { word: error.code }; }
}`;
  const handler = await loadHandler(await wordHandler(source, 'requester', { timeoutMs: 200 }), sandbox, {
    toolTimeoutMs: 60_000,
  });
  const { value } = await handler.run({ word: 'a' }, { ...echo, send: () => new Promise(() => undefined) });
  assert.deepEqual(value, { word: 'TIMEOUT' });
  await handler.close();
});

test('an invalid request reaches the handler, which can answer it', async () => {
  const { value } = await run('export function handle(request: any) { return { word: typeof request }; }', echo, 7);
  assert.deepEqual(value, { word: 'number' });
});

test('a request that cannot be written as JSON is refused', async () => {
  let deep: Json = [];
  for (let level = 0; level < 100_000; level += 1) deep = [deep];
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  const handler = await loadHandler(await wordHandler('export const handle = () => ({ word: "a" });'), sandbox);
  for (const request of [undefined, () => 1, 1n, cycle, deep]) {
    const { end, message } = await handler.run(request as Json, echo);
    assert.equal(end, 'refused');
    assert.match(message ?? '', /^Cannot run handler: /);
  }
  await handler.close();
});

test('a timeout longer than any timer sets no limit', async () => {
  const source = tellsCode('context.send({ word: "a" })').replace('handle', 'perform');
  for (const timeoutMs of [2 ** 40, Number.POSITIVE_INFINITY]) {
    const handler = await loadHandler(await wordHandler(source, 'requester', { timeoutMs }), sandbox);
    const send = () => new Promise<Json>((resolve) => setTimeout(resolve, 50, { word: 'late' }));
    const { value } = await handler.run({ word: 'a' }, { ...echo, send });
    assert.deepEqual(value, { word: 'answered late' });
    await handler.close();
  }
});

test('runs at the same time do not see each other', async () => {
  const source = `const seen: string[] = [];
export async function handle(request: any, context: any) {
  seen.push(request.word);
  await context.call.echo(request);
  return { word: seen.join() };
}`;
  const handler = await loadHandler(await wordHandler(source), sandbox);
  const words = ['a', 'b', 'c', 'd'];
  const results = await Promise.all(words.map((one) => handler.run({ word: one }, echo)));
  assert.deepEqual(
    results.map(({ value }) => value),
    words.map((one) => ({ word: one })),
  );
  await handler.close();
});

test('a record that does not match its digest is not run', async () => {
  const sound = await wordHandler('export function handle(request: any) { return request; }');
  for (const change of [
    { bundle: `${sound.bundle}\n;` },
    { tools: [...sound.tools, 'other'] },
    { abi: 2 },
    { role: 'requester' as const },
  ]) {
    await assert.rejects(
      loadHandler({ ...sound, ...change }, sandbox),
      (error) => codeOf(error) === 'PLATFORM_HANDLER_CORRUPT',
    );
  }
});

test('a value that is no record is reported as that', async () => {
  for (const none of [null, 'x', 5] as unknown as HandlerRecord[])
    await assert.rejects(loadHandler(none, sandbox), (error) => codeOf(error) === 'PLATFORM_HANDLER_CORRUPT');
});

test('a record whose tools, role or bundle are not what a job can have is not run', async () => {
  const stored = await wordHandler('export const handle = (request: any, context: any) => context.call[">"](request);');
  const ofTools = [
    { tools: ['>'] },
    { tools: ['__proto__'] },
    { tools: ['toString'] },
    { tools: null },
    { toolSchemas: null },
  ];
  for (const odd of [...ofTools, { bundle: 5 }, { role: 'both' }]) {
    const content = { ...stored, ...odd } as HandlerRecord;
    const digest = typeof content.bundle === 'string' ? handlerDigest(content) : stored.digest;
    await assert.rejects(
      loadHandler({ ...content, digest }, sandbox),
      (error) => codeOf(error) === 'PLATFORM_HANDLER_CORRUPT',
    );
  }
});
