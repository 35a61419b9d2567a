import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { latencyQuantile, noTally } from '../../src/telemetry/heartbeat.ts';
import { RecentCounts } from '../../src/telemetry/recent-counts.ts';
import { Repeats } from '../../src/telemetry/repeats.ts';
import { WorkerTally } from '../../src/telemetry/worker-tally.ts';

test('counts of the recent past are added up, and older ones are forgotten', () => {
  let nowMs = 0;
  const counts = new RecentCounts(300_000, () => nowMs);
  counts.add('a', 'x');
  counts.add('b', 'x');
  nowMs = 200_000;
  counts.add('a', 'x', 2);
  counts.add('a', '__proto__');
  assert.deepEqual(Object.entries(counts.of('a')), [
    ['x', 3],
    ['__proto__', 1],
  ]);
  assert.deepEqual(counts.of('a', 60_000, 1), { x: 2, others: 1 });
  nowMs = 400_000;
  counts.add('c', 'y');
  assert.deepEqual(counts.of('a'), JSON.parse('{"x":2,"__proto__":1}'));
  nowMs = 900_000;
  assert.deepEqual(counts.of('a'), {});
});

test('no producer can name more things than a few hundred', () => {
  const counts = new RecentCounts(300_000, () => 0);
  for (let nth = 0; nth < 10_000; nth += 1) counts.add('tenant', `t${nth}`);
  const named = counts.of('tenant', 300_000, 1_000);
  assert.ok(Object.keys(named).length <= 201);
  assert.equal(named.others, 9_800);
});

test('a line that repeats is said once, and then with its number', async () => {
  const said: [string, number][] = [];
  const repeats = new Repeats<string>((line, count) => said.push([line, count]), 100);
  for (const line of ['a1', 'a2', 'a3']) repeats.note('a', line);
  repeats.note('b', 'b1');
  assert.deepEqual(said, [
    ['a1', 1],
    ['b1', 1],
  ]);
  while (said.length < 3) await sleep(20);
  assert.deepEqual(said[2], ['a3', 2]);
  repeats.note('a', 'a4');
  repeats.flush();
  assert.deepEqual(said.slice(3), [['a4', 1]]);
  repeats.note('a', 'a5');
  assert.deepEqual(said[4], ['a5', 1], 'flush forgets what was said');
  repeats.flush();
});

test('a worker tells what it did of late, within bounds, whatever producers name', () => {
  const tally = new WorkerTally('w', '1.0.0');
  for (let nth = 0; nth < 100; nth += 1) {
    const jobId = `${nth}`.repeat(200);
    tally.onQueueEvent({ event: 'taken', jobId });
    if (nth < 50) continue;
    const codes = ['JOB_INVALID'];
    tally.onQueueEvent({
      event: 'published',
      jobId,
      verdict: 'error',
      codes,
      tenant: `t${nth}`,
      replyTo: 'r'.repeat(500),
    });
  }
  tally.onQueueEvent({ event: 'redis-error', message: 'NOPERM no', count: 7 });
  tally.onTry({ endpoint: 'http://m/v1 large', result: 'answered' });
  const job = { job: 'j', negotiation: null, tenant: 't', delivery: 1 } as const;
  const usage = { inputTokens: 100, cachedInputTokens: 0, outputTokens: 7, costUsd: null };
  tally.onJobEvent({ ...job, type: 'attempted', attempt: 1, result: 'verified', usage });
  tally.onJobEvent({ ...job, type: 'attempted', attempt: 2, result: 'verified', usage: { ...usage, costUsd: 0.5 } });
  tally.onJobEvent({ ...job, type: 'stored', digest: 'd', bundleDigest: 'b', reused: true });
  for (const latencyMs of [900, 900, 900, 30_000]) tally.onQueueEvent({ event: 'published', jobId: 'x', latencyMs });
  const said = tally.beat('running', {
    health: () => ({ connected: true, paused: [], running: 50, concurrency: 99, sinceFetchMs: 1, closing: false }),
    sandbox: {
      stats: () => ({ cells: 1, waiting: 0, waitedMs: 0, runs: 0, killedCells: 0, quarantined: 0 }),
      layers: { level: 'process' },
    },
    silent: () => [],
    heard: () => ({}),
  });
  assert.deepEqual(said.recent.verdicts, { error: 50, unknown: 4 });
  assert.deepEqual(said.recent.work, { inputTokens: 200, outputTokens: 14, reused: 1, costUsd: 0.5 });
  assert.deepEqual(
    [0.5, 0.99].map((share) => latencyQuantile(said.recent, share)),
    [1, 32],
  );
  assert.equal(latencyQuantile(noTally, 0.5), null);
  assert.deepEqual(said.recent.codes, { JOB_INVALID: 50 });
  assert.equal(said.recent.tenants.others, 31);
  assert.deepEqual(said.recent.tries, { 'http://m/v1 large': { answered: 1 } });
  assert.deepEqual(said.redisFaults, [{ code: 'NOPERM', message: 'NOPERM no', count: 7 }]);
  assert.deepEqual([said.jobs.length, said.invalid.length, said.endedLastMinute], [20, 20, 54]);
  assert.ok(JSON.stringify(said).length < 20_000);
  tally.fail({ code: 'OPERATOR_X', message: 'x' });
  assert.deepEqual([tally.plain().state, tally.plain().fault?.code], ['failed', 'OPERATOR_X']);
});
