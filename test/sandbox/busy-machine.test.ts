import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Cell } from '../../sandbox/cell.ts';
import type { Death } from '../../sandbox/death.ts';
import { bundleHandler, createSandbox, resolveLimits } from '../../sandbox/index.ts';
import type { Launch } from '../../sandbox/launch.ts';
import { operatorLimits, policy } from '../../sandbox/policy.ts';
import { childrenNamed, cpuOf } from '../../sandbox/processes.ts';

// A stopped process stands for a machine that has no time for it.
const onLinux =
  process.platform === 'linux' ? {} : { skip: 'processor time of other processes is read on Linux alone' };
const plain: Launch = {
  level: 'process',
  drops: false,
  strict: [],
  command: process.execPath,
  args: [],
  seccomp: undefined,
  nodeArgs: [],
};
const limits = resolveLimits({ watchdogMs: 2_000 });

/** A program that replaces that of a cell: says that it is ready, and does this with each frame. */
const program = (onFrame: string) => `
  const { readSync, writeSync } = require('node:fs');
  const say = (header) => {
    const text = JSON.stringify({ ...header, lengths: [] }) + '\\n';
    writeSync(1, text.length.toString(16).padStart(8, '0') + text);
  };
  const done = (done) => say({ op: 'news', done, plain: [], reports: [], calls: [] });
  const all = [];
  say({ op: 'ready' });
  for (let frame = 1; readSync(0, Buffer.alloc(65_536)) > 0; frame += 1) { ${onFrame} }`;

test('a step that had no processor is made again with more time', { ...onLinux, timeout: 120_000 }, async () => {
  const stepMs = 1_500;
  const sandbox = await createSandbox({ cells: 1, exactly: 'process' });
  const cells = childrenNamed('MainThread').concat(childrenNamed('node'));
  const signal = (name: NodeJS.Signals) => {
    for (const pid of cells) process.kill(pid, name);
  };
  try {
    const bundled = await bundleHandler(
      'export const handle = () => { let n = 0; for (let i = 0; i < 3e7; i += 1) n = (n * 31 + i) | 0; return n; };',
      'handle',
    );
    assert.ok(bundled.ok);
    const handler = await sandbox.load(bundled.bundle, 'handle', { stepMs, watchdogMs: 30_000 });
    const usedMs = () => cells.reduce((sum, pid) => sum + (cpuOf(pid) ?? 0), 0);
    const before = usedMs();
    let isOver = false;
    const running = handler
      .run({ input: '1', seed: 'seed', nowMs: 0, tools: [], send: false }, async () => ({ output: '1' }))
      .finally(() => {
        isOver = true;
      });
    while (!isOver && usedMs() < before + 20) await sleep(1);
    signal('SIGSTOP');
    await sleep(2 * stepMs);
    signal('SIGCONT');
    const { end, message } = await running;
    assert.equal(end, 'returned', message);
  } finally {
    signal('SIGCONT');
    await sandbox.close();
  }
});

test('a late cell is ended as soon as it has had a quarter of its time', {
  ...onLinux,
  timeout: 120_000,
}, async (t) => {
  const cell = await Cell.start(plain, program('for (;;);'), '', operatorLimits({}));
  const pid = cell.leaf as number;
  t.after(() => process.kill(pid, 'SIGKILL'));
  process.kill(pid, 'SIGSTOP');
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  const kill = t.mock.method(cell, 'kill', () => {});
  cell.load(1, '', limits);
  t.mock.timers.tick(policy.memoryPollMs.default);
  const before = cpuOf(pid) as number;
  t.mock.timers.tick(limits.watchdogMs);
  assert.equal(kill.mock.callCount(), 0, 'it had no time at all');
  process.kill(pid, 'SIGCONT');
  while ((cpuOf(pid) as number) < before + limits.watchdogMs / 4) await new Promise(setImmediate);
  t.mock.timers.tick(limits.watchdogMs / 6);
  assert.deepEqual(
    kill.mock.calls.map(({ arguments: [cause] }) => cause),
    ['watchdog'],
  );
});

test(
  'the memory that a cell holds of other handlers is reported at its death, and is not taken for growth',
  onLinux,
  async (t) => {
    // What the second frame takes is there when the third begins, and the process dies of that one without having
    // grown.
    const cell = await Cell.start(
      plain,
      program('if (frame === 2) all.push(Buffer.alloc(2 ** 26, 1)); if (frame === 3) process.exit(1); done(frame);'),
      '',
      operatorLimits({}),
    );
    t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
    const died = new Promise<Death>((resolve) => cell.attach({ died: resolve }));
    const dealtWith = (send: () => void) =>
      new Promise<void>((resolve) => {
        cell.onIdle = resolve;
        send();
      });
    await dealtWith(() => cell.load(1, '', limits));
    t.mock.timers.tick(policy.memoryPollMs.default);
    await dealtWith(() => cell.drop(1));
    t.mock.timers.tick(policy.memoryPollMs.default);
    cell.load(2, '', limits);
    const { cause, grownMb, heldMb } = await died;
    assert.equal(cause, 'exit');
    assert.ok(heldMb > 32 && grownMb < 32, `${heldMb} and ${grownMb} MB`);
  },
);
