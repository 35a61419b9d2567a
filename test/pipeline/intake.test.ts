import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyze } from '../../src/analysis/analyze.ts';
import type { HandlerStore } from '../../src/contract/ports.ts';
import { Deadline } from '../../src/kernel/deadline.ts';
import type { JsonObject } from '../../src/kernel/json.ts';
import { clear } from '../../src/pipeline/clear.ts';
import { intake, type Received, type Taken } from '../../src/pipeline/intake.ts';
import { Leave } from '../../src/pipeline/leave.ts';
import { Ledger } from '../../src/pipeline/ledger.ts';
import { measure } from '../../src/pipeline/measure.ts';
import { solve } from '../../src/pipeline/solve.ts';
import type { Workshop } from '../../src/pipeline/workshop.ts';
import { example } from '../system/harness.ts';

const dayMs = 86_400_000;

function takenJob(
  more: JsonObject = {},
  deadlineAtMs = Date.now() + dayMs,
  signal = new AbortController().signal,
): Taken {
  const data = { ...example('anp-product-en.consistent'), ...more };
  return {
    jobId: 'j',
    kind: 'generate',
    negotiationId: null,
    data,
    dataDigest: '',
    rawBytes: JSON.stringify(data).length,
    deadlineAtMs,
    delivery: 1,
    signal,
    publish: () => assert.fail('nothing to publish'),
    announced: [],
    announceEarly: () => assert.fail('nothing to announce'),
    announceLate: () => assert.fail('nothing to announce'),
  };
}

function received(taken: Taken): Received {
  const one = intake(taken, ['generate']);
  one.release();
  return one;
}

function leaves(taken: Taken, knownKinds = ['generate']) {
  try {
    intake(taken, knownKinds).release();
  } catch (error) {
    if (error instanceof Leave) return error.conclusion;
    throw error;
  }
  return assert.fail('it was taken in');
}

test('a twentieth of the peer’s time is kept for publishing, within bounds', () => {
  for (const [timeoutMs, reserveMs] of [
    [1_000, 250],
    [5_000, 250],
    [20_000, 1_000],
    [40_000, 2_000],
    [600_000, 2_000],
  ] as const) {
    const taken = takenJob({ timeoutMs });
    assert.equal(taken.deadlineAtMs - received(taken).deadline.atMs, reserveMs, `${timeoutMs} ms`);
  }
});

test('work for the handler store may go on for as long as the job says, and not at all where it says so', () => {
  const taken = takenJob({ workMs: 7_000 });
  assert.equal(received(taken).work.atMs, taken.deadlineAtMs + 7_000);
  const none = received(takenJob({ workMs: 0 }));
  assert.equal(none.work, none.deadline);
});

test('a job whose time is up when it comes is answered, and not begun', () => {
  const { verdict, messages, findings } = leaves(takenJob({}, Date.now() + 100));
  assert.deepEqual(
    [verdict, messages, findings.map(({ code }) => code)],
    ['error', [{ action: 'codeGeneration', status: 'error' }], ['PLATFORM_DEADLINE']],
  );
});

test('a kind without a path is the job’s fault', () => {
  assert.deepEqual(
    leaves(takenJob(), ['review']).findings.map(({ code, in: place }) => [code, place]),
    [['JOB_KIND_UNKNOWN', 'job']],
  );
});

test('work that is called off stops both deadlines, for the reason given', () => {
  const stop = new AbortController();
  const one = intake(takenJob({}, undefined, stop.signal), ['generate']);
  const reason = new Error('cancelled');
  stop.abort(reason);
  assert.deepEqual([one.deadline.signal.reason, one.work.signal.reason], [reason, reason]);
  one.release();
});

test('where another worker generates the same handler for too long, the deadline is what failed', async () => {
  const one = received(takenJob({ workMs: 7_000 }));
  const asked: number[] = [];
  const once: HandlerStore['once'] = async (_tenant, _key, { untilMs }) => {
    asked.push(untilMs);
    return null;
  };
  const handlers = { once } as Partial<HandlerStore>;
  const spending = { of: async () => ({}), note: () => undefined };
  const limits = { maxCandidates: 1, maxCompletions: 1, maxTokens: null, maxCostUsd: null };
  const shop = { handlers, spending, limits } as Partial<Workshop> as Workshop;
  const work = new Deadline(one.work.atMs, new AbortController().signal);
  const held = measure(clear(analyze(one.job)), 'seed');
  await assert.rejects(
    solve(held, { ...one, work }, shop, new Ledger({ jobId: 'j', negotiationId: null }, () => undefined)),
    {
      code: 'PLATFORM_DEADLINE',
    },
  );
  assert.deepEqual(asked, [one.work.atMs], 'it is waited for until work must end');
});
