import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { bundleHandler, createSandbox, type Run, type Sandbox } from '../../sandbox/index.ts';

// Time enough that memory is what runs out first, however busy the machine is.
const limits = { stepMs: 10_000, watchdogMs: 30_000, memoryMb: 32 };
const run: Run = { input: '1', seed: 'seed', nowMs: 0, tools: [], send: false };

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

for (const [what, bomb] of Object.entries({
  arrays: 'for (;;) all.push(new Array(100_000).fill(1.5));',
  objects: 'for (;;) all.push({ one: 1, list: [1, 2, 3] });',
  texts: 'for (let n = 0; ; n += 1) all.push(String(n).repeat(10_000));',
  'a text that doubles and is taken to pieces':
    "for (let text = 'x'; ; text += text) if (text.length > 2 ** 22) all.push(text.split(''));",
  'an array that doubles': 'for (let list: any[] = [1]; ; list = list.concat(list)) all.length = 0;',
})) {
  test(`memory runs out by ${what}`, { timeout: 120_000 }, async () => {
    const bundled = await bundleHandler(`export const handle = () => { const all: any[] = []; ${bomb} };`, 'handle');
    assert.ok(bundled.ok, JSON.stringify(bundled));
    const handler = await sandbox.load(bundled.bundle, 'handle', limits);
    const { end, message } = await handler.run(run, async () => ({ output: '1' }));
    assert.equal(end, 'out-of-memory', message);
    assert.match(message ?? '', /32 MB/);
    assert.ok(await sandbox.canary());
  });
}

test('who takes much and gives it back does not run out of memory', async () => {
  const bundled = await bundleHandler(
    'export const handle = () => { let last: any; for (let n = 0; n < 300; n += 1) last = new Array(100_000).fill(n); return last.length; };',
    'handle',
  );
  assert.ok(bundled.ok);
  const handler = await sandbox.load(bundled.bundle, 'handle', limits);
  const { end, value, message } = await handler.run(run, async () => ({ output: '1' }));
  assert.deepEqual([end, value], ['returned', '100000'], message);
});
