import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Usage } from '../../src/contract/outcome.ts';
import { deadlinePassed, statementsOf } from '../../src/job/conclusion.ts';
import { Ledger, noUsage, sumUsage } from '../../src/job/ledger.ts';
import { CodedError } from '../../src/kernel/errors.ts';

const used = (costUsd: number | null): Usage => ({ inputTokens: 3, cachedInputTokens: 1, outputTokens: 2, costUsd });

test('the cost of a job is known where the cost of all completions that used tokens is known', () => {
  for (const [costs, sum] of [
    [[], null],
    [[0.25, 0.5], 0.75],
    [[null], null],
    [[null, 0.5], null],
    [[0.5, null], null],
    [[0.5, null, 0.25], null],
  ] as const) {
    const usages = costs.map(used);
    assert.equal(sumUsage(usages).costUsd, sum, JSON.stringify(costs));
    assert.equal(sumUsage([noUsage, ...usages, noUsage]).costUsd, sum, 'what used nothing costs nothing');
    assert.equal(sumUsage(usages).inputTokens, 3 * costs.length);
  }
});

test('the time of a stage includes all its runs, also failed ones', async () => {
  const turns: number[] = [];
  const ledger = new Ledger(
    { jobId: 'job', negotiationId: null },
    (event) => event.type === 'stage' && turns.push(event.durationMs),
  );
  for (const fails of [false, true, false])
    await ledger
      .stage('trial', async () => {
        await sleep(20);
        if (fails) throw new Error('no');
      })
      .catch(() => undefined);
  const told = turns.reduce((sum, one) => sum + one, 0);
  const { trial = 0 } = ledger.report().timings;
  assert.equal(turns.length, 3);
  // The time of one run is rounded to a millisecond.
  assert.ok(Math.abs(trial - told) < 2, `${trial} ms, told of ${turns} ms`);
});

test('no message is sent about a review or observed exchanges', () => {
  const failed = { verdict: 'error', findings: [] } as const;
  for (const kind of ['review', 'observe'] as const)
    assert.deepEqual(statementsOf({ ...failed, findings: [] }, kind), []);
  for (const kind of ['generate', 'verify', 'fix', null] as const)
    assert.deepEqual(statementsOf({ ...failed, findings: [] }, kind), [{ what: 'failed' }]);
});

test('a passed deadline is reported once, with the last other fault', () => {
  const said = (error?: unknown) => deadlinePassed(error).findings[0]?.message ?? '';
  const late = new CodedError('PLATFORM_DEADLINE', 'Cannot finish job: too late');
  const lost = new CodedError('PLATFORM_SANDBOX_LOST', 'Cannot run handler: lost');
  assert.equal(said(late), said());
  assert.equal(said(new TypeError('oops')), said());
  assert.equal(said(lost), `${said()} (PLATFORM_SANDBOX_LOST: ${lost.message})`);
});
