import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { bundleHandler, createSandbox, type Run, type Sandbox } from '../../sandbox/index.ts';

// Enough time that memory runs out first, however busy the machine is.
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

test('a run that takes much memory and frees it does not run out of memory', async () => {
  const bundled = await bundleHandler(
    'export const handle = () => { let last: any; for (let n = 0; n < 300; n += 1) last = new Array(100_000).fill(n); return last.length; };',
    'handle',
  );
  assert.ok(bundled.ok);
  const handler = await sandbox.load(bundled.bundle, 'handle', limits);
  const { end, value, message } = await handler.run(run, async () => ({ output: '1' }));
  assert.deepEqual([end, value], ['returned', '100000'], message);
});

for (const [what, body, end, together] of [
  ['throw', 'throw new Error("no");', 'threw', 50],
  // They are given up together, and their realm with them.
  ['never settle', 'return new Promise(() => {});', 'timed-out', 1],
] as const) {
  test(`runs that ${what} leave nothing of their realms in the isolate`, { timeout: 120_000 }, async () => {
    const bundled = await bundleHandler(`export const handle = (): any => { ${body} };`, 'handle');
    assert.ok(bundled.ok);
    const handler = await sandbox.load(bundled.bundle, 'handle', { ...limits, memoryMb: 16 });
    const runs = Array.from({ length: together }, () => run);
    // As many realms as sixteen megabytes have no room for.
    for (let made = 0; made < 1_000; made += together)
      for (const report of await handler.runAll(runs, async () => ({ output: '1' })))
        assert.equal(report.end, end, report.message);
    await handler.close();
  });
}

test('a cell keeps nothing of the results of its handlers', { timeout: 120_000 }, async () => {
  const bundled = await bundleHandler('export const handle = () => "x".repeat(20_000);', 'handle');
  assert.ok(bundled.ok);
  const handler = await sandbox.load(bundled.bundle, 'handle');
  const killed = sandbox.stats().killedCells;
  const runs = Array.from({ length: 100 }, () => run);
  // Half as much again as a cell may have.
  for (let batch = 0; batch < 480; batch += 1) {
    const reports = await handler.runAll(runs, async () => ({ output: '1' }));
    assert.ok(reports.every(({ end }) => end === 'returned'));
  }
  assert.equal(sandbox.stats().killedCells, killed);
  await handler.close();
});

/** Handlers that each leave as many megabytes in their isolate as the request says. */
async function leavers(box: Sandbox) {
  const bundled = await bundleHandler(
    'export const handle = (megabytes: any) => { const all: Float64Array[] = []; while (8 * all.length < megabytes) all.push(new Float64Array(1_000_000).fill(1.5)); let sum = 0; for (const list of all) for (const one of list) sum += one; return sum; };',
    'handle',
  );
  assert.ok(bundled.ok);
  const { bundle } = bundled;
  return await Promise.all(
    Array.from({ length: 8 }, (_, index) => box.load(`// ${index}\n${bundle}`, 'handle', { ...limits, memoryMb: 300 })),
  );
}

test('a cell that handlers have filled unloads them before it loads another', { timeout: 120_000 }, async () => {
  const box = await createSandbox({ cells: 1 });
  try {
    for (const handler of await leavers(box)) {
      const { end, message } = await handler.run({ ...run, input: '200' }, async () => ({ output: '1' }));
      assert.equal(end, 'returned', message);
    }
  } finally {
    await box.close();
  }
});

test('a run is not blamed for a cell that others have filled', { timeout: 120_000 }, async () => {
  const box = await createSandbox({ cells: 1 });
  try {
    const handlers = await leavers(box);
    for (const input of ['0', '200']) {
      for (const handler of handlers) {
        const { end, message } = await handler.run({ ...run, input }, async () => ({ output: '1' }));
        assert.equal(end, 'returned', message);
      }
    }
  } finally {
    await box.close();
  }
});
