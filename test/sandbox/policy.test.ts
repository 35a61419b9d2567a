import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Cell } from '../../sandbox/cell.ts';
import {
  bundleHandler,
  createSandbox,
  type Limit,
  type Limits,
  policy,
  resolveLimits,
  type Sandbox,
  type SandboxLimits,
} from '../../sandbox/index.ts';
import { operatorLimits, runBudgetMs } from '../../sandbox/policy.ts';

test('every limit has a reason and a default no greater than its ceiling', () => {
  for (const [name, limit] of Object.entries<Limit>(policy)) {
    assert.ok(limit.default <= limit.ceiling, name);
    assert.ok(limit.reason.length > 20, name);
  }
});

test('no limit is above its ceiling, below its minimum, or a fraction', () => {
  const asked = fc.record(
    {
      stepMs: fc.double(),
      watchdogMs: fc.double(),
      memoryMb: fc.double(),
      maxResultBytes: fc.double(),
      maxLogBytes: fc.double(),
      maxCalls: fc.double(),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(asked, (limits) => {
      for (const [name, value] of Object.entries(resolveLimits(limits))) {
        assert.ok(
          Number.isInteger(value) && value >= 1 && value <= policy[name as 'stepMs'].ceiling,
          `${name} ${value}`,
        );
      }
    }),
  );
});

test('a caller may ask for less, and the watchdog leaves the isolate its time', () => {
  assert.equal(resolveLimits({ stepMs: 50 }).stepMs, 50);
  const slow = resolveLimits({ stepMs: 5_000 });
  assert.ok(slow.watchdogMs >= 2 * slow.stepMs);
  const hasty = resolveLimits({ watchdogMs: 500 });
  assert.ok(hasty.stepMs <= 250);
  assert.ok(runBudgetMs(slow) + slow.stepMs <= slow.watchdogMs);
});

test('an operator sets what a handler may take, up to the ceiling, and a handler may ask for less', async () => {
  const bundled = await bundleHandler('export const handle = (n: number) => "x".repeat(n);', 'handle');
  assert.ok(bundled.ok);
  const sandbox = await createSandbox({ cells: 1, limits: { maxResultBytes: 2_000_000 } });
  const endOf = async (limits: Limits | undefined, input: string) => {
    const handler = await sandbox.load(bundled.bundle, 'handle', limits);
    return (await handler.run({ input, seed: 's', nowMs: 0, tools: [], send: false }, async () => ({ output: '1' })))
      .end;
  };
  try {
    assert.equal(await endOf(undefined, '1500000'), 'returned');
    assert.equal(await endOf(undefined, '2500000'), 'threw');
    assert.equal(await endOf({ maxResultBytes: 1_000 }, '1500'), 'threw');
  } finally {
    await sandbox.close();
  }
  for (const limits of [{ memoryMb: policy.memoryMb.ceiling + 1 }, { stepMs: 0 }, { stepMs: 1.5 }, { bytes: 1 }])
    await assert.rejects(createSandbox({ cells: 1, limits }), { code: 'OPERATOR_SANDBOX_LIMITS' });
});

test('an operator raises every limit whose ceiling is above its default', () => {
  const raised = Object.entries<Limit>(policy).filter(([, limit]) => limit.ceiling > limit.default);
  for (const [name, { ceiling }] of raised) {
    assert.equal(operatorLimits({ [name]: ceiling })[name as 'leaseMs'], ceiling);
    assert.throws(() => operatorLimits({ [name]: ceiling + 1 }), { code: 'OPERATOR_SANDBOX_LIMITS' }, name);
  }
});

async function loaded(sandbox: Sandbox, source: string) {
  const bundled = await bundleHandler(source, 'handle');
  assert.ok(bundled.ok);
  return sandbox.load(bundled.bundle, 'handle');
}

/**
 * How many of these handlers, each of which makes one call, have made it before any is answered: none is until as many
 * as expected have, and there was time for another one.
 */
async function callsAtOnce(handlers: number, limits: SandboxLimits, expected: number): Promise<number> {
  const sandbox = await createSandbox({ cells: 1, limits });
  try {
    let made = 0;
    let most = 0;
    const late = Promise.withResolvers<void>();
    const runs = Array.from({ length: handlers }, async (_, index) => {
      const handler = await loaded(sandbox, `// ${index}\nexport const handle = (n, context) => context.call.echo(n);`);
      const answer = async () => {
        made += 1;
        if (made === expected)
          setTimeout(() => {
            most = made;
            late.resolve();
          }, 1_500);
        await late.promise;
        return { output: '1' };
      };
      const { end } = await handler.run({ input: '1', seed: 's', nowMs: 0, tools: ['echo'], send: false }, answer);
      assert.equal(end, 'returned');
    });
    await Promise.all(runs);
    return most;
  } finally {
    await sandbox.close();
  }
}

test('the operator sets how many cells may wait for answers', async () => {
  assert.equal(await callsAtOnce(5, { parkedPerCell: 1 }, 3), 3, 'the one at work, one that waits, and the spare');
  assert.equal(await callsAtOnce(7, { parkedPerCell: 5 }, 7), 7);
});

test('the operator sets how much a cell may take', async () => {
  const grows = 'export const handle = () => Array.from({ length: 2e7 }, (_, n) => n).length;';
  const endIn = async (limits: SandboxLimits) => {
    const sandbox = await createSandbox({ cells: 1, limits: { memoryMb: 512, stepMs: 10_000, ...limits } });
    try {
      const handler = await loaded(sandbox, grows);
      return (
        await handler.run({ input: '1', seed: 's', nowMs: 0, tools: [], send: false }, async () => ({ output: '1' }))
      ).end;
    } finally {
      await sandbox.close();
    }
  };
  assert.equal(await endIn({}), 'returned');
  assert.notEqual(await endIn({ cellMemoryMb: 130 }), 'returned');
});

test('the operator sets how many handlers stay loaded in a cell, and with how much memory at rest', async () => {
  const keeps = async (limits: SandboxLimits) => {
    const cell = await Cell.start(
      {
        level: 'process',
        drops: false,
        strict: [],
        command: process.execPath,
        args: [],
        seccomp: undefined,
        nodeArgs: [],
      },
      `const text = '{"op":"ready","lengths":[]}\\n';
       process.stdout.write(text.length.toString(16).padStart(8, '0') + text);
       process.stdin.resume();`,
      '',
      operatorLimits(limits),
    );
    try {
      for (const handler of [1, 2, 3]) cell.load(handler, '', resolveLimits());
      return [1, 2, 3].filter((handler) => cell.has(handler));
    } finally {
      cell.kill('closed');
    }
  };
  assert.deepEqual(await keeps({}), [1, 2, 3]);
  assert.deepEqual(await keeps({ isolatesPerCell: 2 }), [2, 3]);
  if (process.platform === 'linux') assert.deepEqual(await keeps({ cellRestMb: 1 }), [3]);
});
