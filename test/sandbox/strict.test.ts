import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { bundleHandler, createSandbox, type OnCall, type Run, type Sandbox } from '../../sandbox/index.ts';

// A change to a built-in is what no two runs can share where one of them could see it.
const marking = `let seen = 0;
export async function handle({ tool, fail, loop }: any, context: any) {
  seen += 1;
  try { (Array.prototype as any).mark = ((Array.prototype as any).mark ?? 0) + 1; } catch {}
  if (tool) await context.call.look({ tool });
  if (fail) throw new Error('no luck');
  if (loop) for (;;);
  return { seen, mark: ([] as any).mark ?? 0 };
}`;
const echo: OnCall = async ({ input }) => ({ output: input });
const runs = (inputs: readonly object[]): Run[] =>
  inputs.map((input, index) => ({
    input: JSON.stringify(input),
    seed: `${index}`,
    nowMs: 0,
    tools: ['look'],
    send: false,
  }));

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1, strict: ['jitless', 'fresh-contexts'] });
});
after(() => sandbox.close());

async function load(of: Sandbox) {
  const bundled = await bundleHandler(marking, 'handle');
  assert.ok(bundled.ok);
  return of.load(bundled.bundle, 'handle', { stepMs: 300, memoryMb: 64 });
}

test('each run has built-ins of its own, whether or not others wait beside it', async () => {
  for (const layer of ['jitless', 'fresh-contexts']) assert.ok(sandbox.layers.inForce.includes(layer));
  const handler = await load(sandbox);
  for (const tool of [undefined, 1]) {
    const reports = await handler.runAll(runs(Array.from({ length: 100 }, () => ({ tool }))), echo);
    assert.deepEqual(new Set(reports.map(({ value }) => value)), new Set(['{"seen":1,"mark":1}']));
  }
});

test('runs that throw or loop end like that, once, and do not change how the others of their batch end', async () => {
  const handler = await load(sandbox);
  let calls = 0;
  const counting: OnCall = async (call, ...rest) => {
    calls += 1;
    return echo(call, ...rest);
  };
  const inputs = [{}, { tool: 1, fail: true }, { tool: 1 }, { tool: 1, loop: true }, {}];
  const reports = await handler.runAll(runs(inputs), counting);
  assert.deepEqual(
    reports.map(({ end, value, position }) => value ?? [end, position !== undefined]),
    ['{"seen":1,"mark":1}', ['threw', true], '{"seen":1,"mark":1}', ['timed-out', false], '{"seen":1,"mark":1}'],
  );
  assert.equal(calls, 3);
});

test('without fresh contexts the runs share a realm that none can mark', async () => {
  const plain = await createSandbox({ cells: 1 });
  try {
    assert.ok(!plain.layers.inForce.some((layer) => layer === 'jitless' || layer === 'fresh-contexts'));
    const [report] = await (await load(plain)).runAll(runs([{}]), echo);
    assert.equal(report?.value, '{"seen":1,"mark":0}');
  } finally {
    await plain.close();
  }
});
