import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyze } from '../../src/analysis/analyze.ts';
import type { HandlerStore } from '../../src/contract/ports.ts';
import { solve } from '../../src/generation/solve.ts';
import { intake, type Taken } from '../../src/intake/intake.ts';
import { clear } from '../../src/job/clear.ts';
import { EarlyEnd } from '../../src/job/conclusion.ts';
import { Ledger } from '../../src/job/ledger.ts';
import type { Received } from '../../src/job/received.ts';
import { requirementsOf } from '../../src/job/requirements.ts';
import type { Services } from '../../src/job/services.ts';
import { Deadline } from '../../src/kernel/deadline.ts';
import type { JsonObject } from '../../src/kernel/json.ts';
import { example } from '../system/harness.ts';

const dayMs = 86_400_000;

const silent: Received['announceEarly'] = () => assert.fail('nothing to announce');

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
    tenant: 'default',
    data,
    dataDigest: '',
    rawBytes: JSON.stringify(data).length,
    deadlineAtMs,
    delivery: 1,
    signal,
    publishNow: () => assert.fail('nothing to publish'),
    announced: [],
    announceEarly: () => assert.fail('nothing to announce'),
    announceLate: () => assert.fail('nothing to announce'),
  };
}

function received(taken: Taken): Received {
  const one = intake(taken, ['generate'], silent);
  one.release();
  return one;
}

function leaves(taken: Taken, knownKinds = ['generate']) {
  try {
    intake(taken, knownKinds, silent).release();
  } catch (error) {
    if (error instanceof EarlyEnd) return error.conclusion;
    throw error;
  }
  return assert.fail('it was taken in');
}

test('a twentieth of the peer’s time is reserved for publishing, within bounds', () => {
  for (const [timeoutMs, reserveMs] of [
    [1_000, 250],
    [5_000, 250],
    [20_000, 1_000],
    [40_000, 2_000],
    [600_000, 2_000],
  ] as const) {
    const taken = takenJob({ timeoutMs });
    assert.equal(taken.deadlineAtMs - received(taken).peerDeadline.atMs, reserveMs, `${timeoutMs} ms`);
  }
});

test('work for the handler store may go on as long as the job allows, or not at all', () => {
  const taken = takenJob({ workMs: 7_000 });
  assert.equal(received(taken).workDeadline.atMs, taken.deadlineAtMs + 7_000);
  const none = received(takenJob({ workMs: 0 }));
  assert.equal(none.workDeadline, none.peerDeadline);
});

test('a job that arrives after its deadline is answered, and not started', () => {
  const { verdict, findings } = leaves(takenJob({}, Date.now() + 100));
  assert.deepEqual([verdict, findings.map(({ code }) => code)], ['error', ['PLATFORM_DEADLINE']]);
});

test('a kind without a path is the job’s fault', () => {
  assert.deepEqual(
    leaves(takenJob(), ['review']).findings.map(({ code, in: place }) => [code, place]),
    [['JOB_KIND_UNKNOWN', 'job']],
  );
});

test('aborted work stops both deadlines, with the reason given', () => {
  const stop = new AbortController();
  const one = intake(takenJob({}, undefined, stop.signal), ['generate'], silent);
  const reason = new Error('cancelled');
  stop.abort(reason);
  assert.deepEqual([one.peerDeadline.signal.reason, one.workDeadline.signal.reason], [reason, reason]);
  one.release();
});

test('where another worker generates the same handler for too long, the job fails with its deadline', async () => {
  const one = received(takenJob({ workMs: 7_000 }));
  const asked: number[] = [];
  const once: HandlerStore['once'] = async (_tenant, _key, { untilMs }) => {
    asked.push(untilMs);
    return null;
  };
  const handlers = { once } as Partial<HandlerStore>;
  const spending = { of: async () => ({}), note: () => undefined };
  const limits = { maxCandidates: 1, maxCompletions: 1, maxTokens: null, maxCostUsd: null };
  const services = { handlers, spending, limits } as Partial<Services> as Services;
  const work = new Deadline(one.workDeadline.atMs, new AbortController().signal);
  const held = requirementsOf(clear(analyze(one.job)), 'seed');
  await assert.rejects(
    solve(
      held,
      { ...one, workDeadline: work },
      services,
      new Ledger({ jobId: 'j', negotiationId: null }, () => undefined),
    ),
    {
      code: 'PLATFORM_DEADLINE',
    },
  );
  assert.deepEqual(asked, [one.workDeadline.atMs], 'it is waited for until work must end');
});
