import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { bundleHandler, createSandbox } from '../../sandbox/index.ts';
import type { Tool } from '../../src/contract/job.ts';
import type { Scenario } from '../../src/contract/trial.ts';
import { sourceLocator } from '../../src/hosting/source-position.ts';
import { Surface, storedSurface } from '../../src/hosting/surface.ts';
import { createTrier } from '../../src/hosting/trier.ts';
import type { Json } from '../../src/kernel/json.ts';

const sandbox = await createSandbox({ cells: 1 });
after(() => sandbox.close());

const tool: Tool = {
  name: 'find',
  outputSchema: { type: ['number', 'null'] },
  examples: [
    { input: { a: 1, b: 2 }, output: 3 },
    { input: 'broken', output: 'no number' },
    { input: 'failing', error: 'not there' },
  ],
};
const surface = new Surface({
  role: 'provider',
  requestSchema: null,
  responseSchema: { type: 'object' },
  toolSchemas: { find: { outputSchema: tool.outputSchema as Json, readOnly: true } },
});

const observe = (source: string, ...batches: Partial<Scenario>[][]) => observeDrawn('trial', source, ...batches);

async function observeDrawn(trialSeed: string, source: string, ...batches: Partial<Scenario>[][]) {
  const bundled = await bundleHandler(source, 'handle');
  assert.ok(bundled.ok);
  const handler = await sandbox.load(bundled.bundle, 'handle');
  const trier = createTrier(handler, surface, sourceLocator(source, bundled.map), trialSeed);
  try {
    const seen = [];
    for (const scenarios of batches)
      seen.push(
        ...(await trier.try(
          scenarios.map((one) => ({ input: null, tools: [tool], seed: 'seed', nowMs: 1_700_000_000_000, ...one })),
          AbortSignal.timeout(60_000),
        )),
      );
    return seen;
  } finally {
    await handler.close();
  }
}

const asks = `export async function handle(request: any, context: any) {
  try { return { found: await context.call.find(request) }; } catch (error: any) { return { code: error.code }; }
}`;

test('a call is answered by the example with an equal input, else by otherwise, else it fails', async () => {
  const seen = await observe(asks, [
    { input: { b: 2, a: 1.0 } },
    { input: { a: 1, b: 3 } },
    { input: { a: 1, b: 3 }, tools: [{ ...tool, otherwise: { output: null } }] },
    { input: 'failing' },
    { input: 'broken' },
  ]);
  assert.deepEqual(
    seen.map(({ value }) => value),
    [{ found: 3 }, { code: 'FAILED' }, { found: null }, { code: 'FAILED' }, { code: 'INVALID' }],
  );
  assert.deepEqual(seen[0]?.calls, [{ tool: 'find', input: { a: 1, b: 2 }, output: 3 }]);
  assert.equal(seen[4]?.calls[0]?.invalid, 'output');
});

test('a stored handler sees the tools of the job, and only those that its code used answer', async () => {
  const bundled = await bundleHandler(
    `export async function handle(request: any, { call }: any) {
  const code = await call.other(1).catch((error: any) => error.code);
  return { tools: Object.keys(call), code, found: await call.find(request) };
}`,
    'handle',
  );
  assert.ok(bundled.ok);
  const other: Tool = { name: 'other', examples: [{ input: 1, output: 1 }], otherwise: { output: 2 } };
  const toolSchemas = { find: { readOnly: true }, other: { readOnly: true } };
  const schemas = { requestSchema: null, responseSchema: null, toolSchemas };
  const handler = await sandbox.load(bundled.bundle, 'handle');
  try {
    const trier = createTrier(
      handler,
      storedSurface({ role: 'provider', tools: ['find'] }, schemas),
      () => undefined,
      'trial',
    );
    const [seen] = await trier.try(
      [{ input: { a: 1, b: 2 }, tools: [tool, other], seed: 'seed', nowMs: 0 }],
      AbortSignal.timeout(30_000),
    );
    assert.deepEqual(seen?.value, { tools: ['find', 'other'], code: 'FAILED', found: 3 });
  } finally {
    await handler.close();
  }
});

test('calls fail if a scenario says so, whatever the examples say', async () => {
  const source = `export async function handle(request: any, context: any) {
  const codes = [];
  for (let nth = 1; nth <= 3; nth += 1) {
    try { codes.push(await context.call.find({ a: 1, b: 2 })); } catch (error: any) { codes.push(error.code); }
  }
  return { codes };
}`;
  const error = { code: 'TIMEOUT' as const, message: 'late' };
  const [second, every] = await observe(source, [
    { faults: [{ tool: 'find', nth: 2, error }] },
    { faults: [{ tool: 'find', error }] },
  ]);
  assert.deepEqual(second?.value, { codes: [3, 'TIMEOUT', 3] });
  assert.deepEqual(every?.value, { codes: ['TIMEOUT', 'TIMEOUT', 'TIMEOUT'] });
});

test('an error is reported with its position in the TypeScript source', async () => {
  const source = `interface Asked { id: string }

export function handle(request: Asked): never {
  const id: string = request.id;
  throw new TypeError('no such ' + id);
}
`;
  const [seen] = await observe(source, [{ input: { id: 'thing' } }]);
  assert.equal(seen?.end, 'threw');
  assert.match(seen?.message ?? '', /no such thing/);
  assert.equal(seen?.position?.line, 5);
  assert.match(seen?.position?.text ?? '', /throw new TypeError/);
});

test('ids and the time are the same for the same seed', async () => {
  const source =
    'export function handle(_: any, context: any) { return { id: context.newId(), now: context.now(), other: context.newId() }; }';
  const [first, again, other] = await observe(source, [{}, {}, { seed: 'another' }]);
  assert.deepEqual(first?.value, again?.value);
  assert.notDeepEqual(first?.value, other?.value);
  const value = first?.value as { id: string; other: string };
  assert.match(value.id, /^[a-z0-9]{16}$/);
  assert.notEqual(value.id, value.other);
  assert.deepEqual(first?.issuedIds, [value.id, value.other]);
});

test("everything that could show a handler that it is in a trial follows from the trial's seed", async () => {
  const source = `export async function handle(_: any, context: any) {
  const before = context.now();
  await context.call.find({ a: 1, b: 2 });
  const took = context.now() - before;
  const lost = await context.call.find('unheard of').catch((error: any) => error.message);
  const late = await context.call.find('late').catch((error: any) => error.message);
  return { id: context.newId(), chance: Math.random(), before, took, lost, late };
}`;
  const error = { code: 'TIMEOUT' as const, message: '' };
  const one = { faults: [{ tool: 'find', nth: 3, error }] };
  const [first] = await observeDrawn('one', source, [one]);
  const [again] = await observeDrawn('one', source, [one]);
  const [other] = await observeDrawn('another', source, [one]);
  assert.deepEqual(again?.value, first?.value);
  const [mine, theirs] = [first?.value, other?.value] as Record<string, unknown>[];
  const differing = Object.keys(mine ?? {}).filter((name) => mine?.[name] !== theirs?.[name]);
  assert.deepEqual(differing, ['id', 'chance', 'before', 'took', 'lost']);
  assert.ok(Number(mine?.before) - 1_700_000_000_000 < 60_000);
  // As in live use.
  assert.equal(mine?.late, 'find did not answer in time');
});

test('faults of a result are reported together with the result', async () => {
  const [seen] = await observe('export function handle() { return [1]; }', [{}]);
  assert.deepEqual([seen?.end, seen?.value], ['returned', [1]]);
  assert.equal(seen?.issues[0]?.keyword, 'type');
});

test('the output of all runs is bounded: further runs are not made', async () => {
  const source = `export async function handle(count: number, context: any) {
  if (count < 0) for (let nth = 0; nth < 4; nth += 1) await context.call.find('x'.repeat(1_000_000)).catch(() => {});
  return Array.from({ length: Math.max(0, count) }, () => ({}));
}`;
  const [answers, asks] = [{ input: 300_000 }, { input: -1 }];
  for (const much of [answers, asks]) {
    const seen = await observe(source, [{ input: 1 }], [{ input: 1 }, ...Array(30).fill(much)], [{ input: 1 }]);
    const ends = seen.map(({ end }) => end);
    const first = ends.indexOf('refused');
    assert.ok(first > 2 && first < 10, `${first}`);
    assert.deepEqual([...new Set(ends.slice(0, first))], ['returned']);
    assert.deepEqual([...new Set(ends.slice(first))], ['refused']);
    assert.match(seen.at(-1)?.message ?? '', /too much to read/);
  }
});

test('runs may output as much as the first ones, and as much as they were given', async () => {
  const source =
    'export function handle(request: any) { return typeof request === "number" ? Array(request).fill("x".repeat(99)) : request; }';
  const ends = async (...batches: Partial<Scenario>[][]) =>
    new Set((await observe(source, ...batches)).map(({ end }) => end));
  const many = Array(100).fill({ input: 4_000 });
  assert.deepEqual(await ends([{ input: 4_000 }], many), new Set(['returned']));
  assert.deepEqual(await ends([{ input: 1 }], many), new Set(['returned', 'refused']));
  const given = { input: ['x'.repeat(400_000)] };
  assert.deepEqual(await ends([{ input: 1 }], Array(100).fill(given)), new Set(['returned']));
});
