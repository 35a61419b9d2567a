import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Limit, policy, resolveLimits } from '../../sandbox/index.ts';
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
