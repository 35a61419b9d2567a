import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AttemptReport, FailedTry, Usage } from '../../src/contract/outcome.ts';
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

test('a question that the deadline cuts off stands in the report, with its failed tries and those of earlier deliveries', () => {
  const events: string[] = [];
  const ledger = new Ledger({ jobId: 'job', negotiationId: null, delivery: 2 }, ({ type }) => void events.push(type));
  const failed: FailedTry = {
    atMs: 1,
    durationMs: 2,
    endpoint: 'models.example',
    model: 'm',
    code: 'PLATFORM_MODEL_UNAVAILABLE',
    message: 'status 503',
  };
  const before: AttemptReport = {
    attempt: 1,
    purpose: 'generate',
    model: 'm',
    result: 'no-answer',
    code: 'PLATFORM_MODEL_RATE_LIMITED',
    passedCases: 0,
    usage: used(1),
    durationMs: 3,
  };
  ledger.earlierAttempts = [before];
  const attempt = ledger.ask('generate', 'm');
  ledger.tryFailed(attempt, failed);
  const { attempts, usage } = ledger.report();
  assert.deepEqual(attempts[0], before);
  assert.deepEqual(
    [attempts[1]?.attempt, attempts[1]?.result, attempts[1]?.code, attempts[1]?.tries],
    [2, 'aborted', failed.code, [failed]],
  );
  // The usage of earlier deliveries is counted elsewhere.
  assert.deepEqual(usage, noUsage);
  assert.equal(ledger.unanswered.length, 2);
  assert.deepEqual(events, ['try-failed']);
  for (let one = 0; one < 100; one += 1) ledger.tryFailed(attempt, failed);
  const ended = ledger.ended({
    attempt,
    purpose: 'generate',
    model: 'm',
    result: 'verified',
    passedCases: 1,
    usage: used(1),
  });
  assert.equal(ended.tries?.length, 50);
  assert.deepEqual(ledger.unanswered, [before]);
});

test('waiting for models and own time are told apart, whatever overlaps', async () => {
  const ledger = new Ledger({ jobId: 'job', negotiationId: null }, () => undefined);
  assert.equal(ledger.modelMs, 0);
  const [first, second] = [ledger.ask('generate', 'm'), ledger.ask('read', 'm')];
  await sleep(40);
  ledger.answered(first);
  await sleep(20);
  ledger.answered(second);
  const waited = ledger.modelMs;
  await sleep(30);
  assert.equal(ledger.modelMs, waited);
  assert.ok(waited >= 55 && waited <= ledger.elapsedMs - 25, `${waited} of ${ledger.elapsedMs} ms`);
});
