import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bundleHandler, createSandbox, type Limit, type Limits, policy, resolveLimits } from '../../sandbox/index.ts';
import { runBudgetMs } from '../../sandbox/policy.ts';

test('every limit has a reason and a default no greater than its ceiling', () => {
  for (const [name, limit] of Object.entries<Limit>(policy)) {
    assert.ok(limit.default <= limit.ceiling, name);
    assert.ok(limit.reason.length > 20, name);
  }
});

test('nobody gets more than the ceiling, less than something, or a fraction', () => {
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

test('less may be asked for, and the watchdog leaves the isolate its time', () => {
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
