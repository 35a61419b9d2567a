import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Cell } from '../../sandbox/cell.ts';
import {
  bundleHandler,
  createSandbox,
  type LoadedHandler,
  type OnCall,
  type Run,
  type RunReport,
  type Sandbox,
  type SandboxEvent,
} from '../../sandbox/index.ts';
import type { Launch } from '../../sandbox/launch.ts';
import { operatorLimits } from '../../sandbox/policy.ts';

const run = (input: unknown): Run => ({
  input: JSON.stringify(input),
  seed: 'seed',
  nowMs: 0,
  tools: ['look'],
  send: false,
});
const echo: OnCall = async ({ input }) => ({ output: input });

async function load(sandbox: Sandbox, source: string, limits = {}): Promise<LoadedHandler> {
  const bundled = await bundleHandler(source, 'handle');
  assert.ok(bundled.ok);
  return sandbox.load(bundled.bundle, 'handle', limits);
}

async function until(holds: () => boolean): Promise<void> {
  for (let n = 0; n < 2_000 && !holds(); n += 1) await sleep(5);
  assert.ok(holds());
}

const sound = 'export const handle = async (n: number, context: any) => (await context.call.look({ n })).n;';
const killer = 'export const handle = () => Array.prototype.indexOf.call({ length: 2 ** 53 - 1 } as any, 1);';

test('other handlers do not notice that a cell dies', async () => {
  const events: SandboxEvent[] = [];
  const sandbox = await createSandbox({ cells: 2, onEvent: (event) => events.push(event) });
  try {
    const hostile = await load(sandbox, killer, { stepMs: 200, watchdogMs: 600 });
    const dying = hostile.run(run(0), echo);
    const handlers = await Promise.all(Array.from({ length: 6 }, (_, index) => load(sandbox, `// ${index}\n${sound}`)));
    const reports = await Promise.all(
      handlers.flatMap((handler, index) =>
        Array.from({ length: 20 }, () => handler.run(run(index), echo).then(({ value }) => value === String(index))),
      ),
    );
    assert.ok(reports.every(Boolean));
    assert.equal((await dying).end, 'killed');
    assert.deepEqual(
      new Set(events.map(({ kind }) => kind)),
      new Set(['cell-died', 'cell-replaced', 'bundle-quarantined']),
    );
    assert.equal((await handlers[0]?.run(run(7), echo))?.value, '7');
  } finally {
    await sandbox.close();
  }
});

test('a free cell goes to a waiter whose handler is loaded there, and then to the others', async () => {
  const sandbox = await createSandbox({ cells: 1 });
  try {
    const [busy, known, fresh] = await Promise.all([
      load(sandbox, 'export const handle = (n: number) => n;'),
      load(sandbox, sound),
      load(sandbox, `// another\n${sound}`),
    ]);
    await known.run(run(1), echo);
    const served: string[] = [];
    const note = (name: string, handler: LoadedHandler) => handler.run(run(1), echo).then(() => served.push(name));
    await Promise.all([note('busy', busy), note('fresh', fresh), note('known', known)]);
    assert.deepEqual(served, ['busy', 'known', 'fresh']);
  } finally {
    await sandbox.close();
  }
});

test('a cell that is ended from outside is not blamed on the run', async () => {
  const sandbox = await createSandbox({ cells: 1, exactly: 'permission' });
  try {
    const handler = await load(sandbox, sound);
    let asked = 0;
    const report = await handler.run(run(3), async ({ input }) => {
      asked += 1;
      endAllCells();
      await new Promise((resolve) => setTimeout(resolve, 100));
      return { output: input };
    });
    assert.deepEqual([report.end, report.value, asked], ['returned', '3', 1], report.message);
    assert.equal(sandbox.stats().quarantined, 0);
  } finally {
    await sandbox.close();
  }
});

test('a cell that is ended from outside while it computes is not blamed on the run either', async () => {
  const sandbox = await createSandbox({ cells: 1, exactly: 'permission' });
  try {
    const endless = await load(sandbox, 'export const handle = () => { for (;;); };', { stepMs: 1_500 });
    const pending = endless.run(run(0), echo);
    await new Promise((resolve) => setTimeout(resolve, 300));
    endAllCells();
    // Its own end, on another cell.
    assert.equal((await pending).end, 'timed-out');
    assert.equal(sandbox.stats().quarantined, 0);
  } finally {
    await sandbox.close();
  }
});

test('a live run whose cell another run has killed goes on as it began', async () => {
  const sandbox = await createSandbox({ cells: 1 });
  try {
    const handler = await load(
      sandbox,
      `export async function handle(request: any, context: any) {
        const slow = context.call.look({ of: 'slow', at: context.now() }).then(() => context.call.look({ after: 'slow', at: Date.now() }));
        await context.call.look({ of: 'fast', at: context.now() });
        if (request === 'kills') return Array.prototype.indexOf.call({ length: 2 ** 53 - 1 } as any, 1);
        await context.call.look({ after: 'fast', at: Date.now() });
        await slow;
        return await context.call.look({ of: 'last', at: Date.now() });
      }`,
      { stepMs: 300, watchdogMs: 1_000 },
    );
    let asked = 0;
    let killsNow = () => {};
    const toldToKill = new Promise<void>((resolve) => {
      killsNow = resolve;
    });
    const answer: OnCall = async ({ input }, _signal, { input: request }) => {
      const { of } = JSON.parse(input) as { of?: string };
      asked += 1;
      if (of === 'slow') await sleep(100);
      if (request === '"kills"') await toldToKill;
      if (of === 'last') {
        killsNow();
        await sleep(1_500);
      }
      return { output: '"done"' };
    };
    const live = (request: string) => ({ ...run(request), nowMs: Date.now(), fixedClock: false });
    const reports = await Promise.all(['sound', 'kills', 'sound'].map((request) => handler.run(live(request), answer)));
    assert.deepEqual(
      reports.map(({ end, value, message }) => [end, value ?? message]),
      [
        ['returned', '"done"'],
        ['killed', 'its cell did not answer within 1000 ms'],
        ['returned', '"done"'],
      ],
    );
    assert.equal(asked, 2 * 5 + 2);
  } finally {
    await sandbox.close();
  }
});

test('the queue in front of the cells is bounded, and its length is reported', async () => {
  const sandbox = await createSandbox({ cells: 1, limits: { maxWaiting: 2 } });
  try {
    const busy = await load(sandbox, 'export const handle = () => { for (;;); };', { stepMs: 1_000 });
    const holder = busy.run(run(0), echo);
    const waiting = await Promise.all([1, 2, 3].map((index) => load(sandbox, `// ${index}\n${sound}`)));
    const results = waiting.map((handler, index) =>
      handler.run(run(index), echo).then(
        ({ value }) => value,
        (error: { code: string }) => error.code,
      ),
    );
    await until(() => sandbox.stats().waiting === 2);
    assert.deepEqual(await Promise.all(results), ['0', '1', 'PLATFORM_SANDBOX_BUSY']);
    assert.equal((await holder).end, 'timed-out');
    assert.ok(sandbox.stats().waitedMs > 0);
    assert.equal(sandbox.stats().waiting, 0);
  } finally {
    await sandbox.close();
  }
});

test('requests for one handler wait in that queue too, but not those beside runs that only wait for tools', async () => {
  const sandbox = await createSandbox({ cells: 1, limits: { maxWaiting: 2 } });
  try {
    const busy = await load(sandbox, 'export const handle = () => { for (;;); };', {
      stepMs: 1_000,
      watchdogMs: 10_000,
    });
    const first = busy.run(run(0), echo);
    await until(() => sandbox.stats().waiting === 0);
    const more = [1, 2, 3].map((index) =>
      busy.run(run(index), echo).then(
        ({ end }) => end,
        (error: { code: string }) => error.code,
      ),
    );
    assert.equal(sandbox.stats().waiting, 2);
    assert.deepEqual(await Promise.all(more), ['timed-out', 'timed-out', 'PLATFORM_SANDBOX_BUSY']);
    assert.equal((await first).end, 'timed-out');
    // One behind another, a second each.
    assert.ok(sandbox.stats().waitedMs > 2_000, `${sandbox.stats().waitedMs}`);
    assert.equal(sandbox.stats().waiting, 0);

    const asking = await load(sandbox, sound);
    let asked = 0;
    let answer: () => void = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const runs: Promise<RunReport>[] = [];
    for (let index = 0; index < 8; index += 1) {
      runs.push(
        asking.run(run(index), async ({ input }) => {
          asked += 1;
          await answered;
          return { output: input };
        }),
      );
      await until(() => asked === index + 1);
      assert.equal(sandbox.stats().waiting, 0);
    }
    answer();
    for (const { end } of await Promise.all(runs)) assert.equal(end, 'returned');
  } finally {
    await sandbox.close();
  }
});

test('a handler that waits for a tool delays no other handler, not even one that the tool needs', async () => {
  const sandbox = await createSandbox({ cells: 1 });
  try {
    const handlers = await Promise.all([0, 1, 2].map((index) => load(sandbox, `// ${index}\n${sound}`)));
    const nested = async (depth: number): Promise<string> => {
      const handler = handlers[depth];
      if (!handler) return '{"n":7}';
      const report = await handler.run(run(depth), async () => ({
        output: `{"n":${JSON.parse(await nested(depth + 1)).n ?? 7}}`,
      }));
      assert.equal(report.end, 'returned', report.message);
      return `{"n":${report.value}}`;
    };
    assert.equal(await nested(0), '{"n":7}');
  } finally {
    await sandbox.close();
  }
});

test('runs of one handler share its cell, and wait for their answers at the same time', async () => {
  const sandbox = await createSandbox({ cells: 1 });
  try {
    const handler = await load(sandbox, sound);
    let together = 0;
    let most = 0;
    const values = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        handler.run(run(index), async ({ input }) => {
          together += 1;
          most = Math.max(most, together);
          for (let n = 0; n < 400 && most <= 10; n += 1) await new Promise((resolve) => setTimeout(resolve, 5));
          together -= 1;
          return { output: input };
        }),
      ),
    );
    assert.deepEqual(
      values.map(({ value }) => value),
      Array.from({ length: 30 }, (_, index) => String(index)),
    );
    assert.ok(most > 10, `${most}`);
  } finally {
    await sandbox.close();
  }
});

test('of many runs at the same time few may kill a cell, and the others are refused', async () => {
  const sandbox = await createSandbox({ cells: 1 });
  try {
    const handler = await load(sandbox, killer, { stepMs: 200, watchdogMs: 600 });
    const reports = await Promise.all(Array.from({ length: 12 }, () => handler.run(run(0), echo)));
    const killed = reports.filter(({ end }) => end === 'killed').length;
    // The next may begin while the known-good handler is asked whether the last is to blame.
    assert.ok(killed >= 1 && killed <= 4, `${killed}`);
    assert.equal(reports.filter(({ end }) => end === 'refused').length, 12 - killed);
  } finally {
    await sandbox.close();
  }
});

test('a quarantine that workers share keeps a bundle out of all of them', async () => {
  const digests = new Set<string>();
  const quarantine = {
    has: async (digest: string) => digests.has(digest),
    add: async (digest: string) => {
      digests.add(digest);
    },
  };
  const [one, other] = await Promise.all([
    createSandbox({ cells: 1, quarantine }),
    createSandbox({ cells: 1, quarantine }),
  ]);
  try {
    assert.equal((await (await load(one, killer, { stepMs: 200, watchdogMs: 500 })).run(run(0), echo)).end, 'killed');
    assert.equal((await (await load(other, killer)).run(run(0), echo)).end, 'refused');
    assert.equal(other.stats().killedCells, 0);
  } finally {
    await Promise.all([one.close(), other.close()]);
  }
});

test('a bundle released from the shared quarantine is run again, but not if that is unknown or it was never shared', async () => {
  const digests = new Set<string>();
  let isThere = true;
  const quarantine = {
    has: async (digest: string) => (isThere ? digests.has(digest) : undefined),
    add: async (digest: string) => {
      if (!isThere) throw new Error('away');
      digests.add(digest);
    },
  };
  const sandbox = await createSandbox({ cells: 1, quarantine });
  const run1 = async (source: string) =>
    (await (await load(sandbox, source, { stepMs: 200, watchdogMs: 500 })).run(run(0), echo)).end;
  try {
    assert.equal(await run1(killer), 'killed');
    isThere = false;
    assert.equal(await run1(killer), 'refused');
    const another = killer.replace('1)', '2)');
    assert.equal(await run1(another), 'killed');
    isThere = true;
    assert.equal(await run1(another), 'refused');
    digests.clear();
    assert.equal(await run1(killer), 'killed');
  } finally {
    await sandbox.close();
  }
});

test('handlers beyond those that a cell keeps are loaded again when they are needed', async () => {
  const sandbox = await createSandbox({ cells: 1 });
  try {
    const handlers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        load(sandbox, `// ${index}\nexport const handle = (n: number) => n * ${index};`),
      ),
    );
    for (let round = 0; round < 3; round += 1) {
      for (const [index, handler] of handlers.entries())
        assert.equal((await handler.run(run(2), echo)).value, String(2 * index));
    }
  } finally {
    await sandbox.close();
  }
});

for (const level of ['process', 'bubblewrap'] as const) {
  test(`a cell whose process leaves another behind, which holds its pipes, does not start: ${level}`, {
    timeout: 60_000,
  }, async ({ signal }) => {
    const folder = mkdtempSync(join(tmpdir(), 'protosmith-test-'));
    const left = join(folder, 'pid');
    const args = ['-c', `sleep 600 & echo $! > '${left}'; exit 1`];
    const launch: Launch = {
      level,
      drops: false,
      strict: [],
      command: '/bin/sh',
      args,
      seccomp: undefined,
      nodeArgs: [],
    };
    try {
      await assert.rejects(Cell.start(launch, '', '', operatorLimits({})), { code: 'PLATFORM_SANDBOX_START' });
      // Where there are processes around a cell, none outlives it.
      if (level === 'process') return;
      while (!signal.aborted && isRunning(Number(readFileSync(left, 'utf8')))) await sleep(10);
    } finally {
      const pid = Number(readFileSync(left, 'utf8'));
      if (isRunning(pid)) process.kill(pid, 'SIGKILL');
      rmSync(folder, { recursive: true });
    }
  });
}

/** Whether there is such a process; a zombie does not count. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

test('a closed sandbox takes nothing more', async () => {
  const sandbox = await createSandbox({ cells: 1 });
  const handler = await load(sandbox, sound);
  await sandbox.close();
  await assert.rejects(handler.run(run(0), echo), { code: 'PLATFORM_SANDBOX_CLOSED' });
  await assert.rejects(sandbox.load('', 'handle'), { code: 'PLATFORM_SANDBOX_CLOSED' });
  assert.equal(await sandbox.canary(), false);
});

test('the calls of a run are aborted when its sandbox is closed', async () => {
  const sandbox = await createSandbox({ cells: 1 });
  const handler = await load(sandbox, sound);
  const calledOff = await new Promise<boolean>((resolve, reject) => {
    const hangs: OnCall = (_call, signal) => {
      void sandbox.close();
      return new Promise((_answer, fail) => {
        signal.addEventListener('abort', () => {
          resolve(true);
          fail(signal.reason);
        });
      });
    };
    handler.run(run(0), hangs).then(
      () => reject(new Error('it came to an end')),
      (error) => {
        assert.equal(error.code, 'PLATFORM_SANDBOX_CLOSED');
        setImmediate(resolve, false);
      },
    );
  });
  assert.ok(calledOff);
});

/** Ends the cells among the children of this process, by /proc, the spare one too; the bundler is another child. */
function endAllCells(): void {
  const { readFileSync } = process.getBuiltinModule('node:fs');
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').trim().split(' ');
  for (const child of children) {
    if (readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('isolated-vm')) process.kill(Number(child), 'SIGKILL');
  }
}
