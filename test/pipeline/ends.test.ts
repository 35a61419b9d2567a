import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Job } from '../../src/contract/job.ts';
import type { Outcome } from '../../src/contract/outcome.ts';
import type { Taken } from '../../src/intake/intake.ts';
import { type Conclusion, EarlyEnd } from '../../src/job/conclusion.ts';
import { conclusionOf } from '../../src/job/conclusion-of.ts';
import { Ledger } from '../../src/job/ledger.ts';
import type { Received } from '../../src/job/received.ts';
import { Deadline } from '../../src/kernel/deadline.ts';
import { type Code, CodedError } from '../../src/kernel/errors.ts';
import { answerInTime } from '../../src/pipeline/answer-in-time.ts';

const hourMs = 3_600_000;
const clean: Conclusion = { verdict: 'clean', findings: [] };

/** A running job; `late` = its peer no longer waits. */
function receivedJob(late: boolean, more: Partial<Received> = {}): Received {
  const signal = late ? AbortSignal.abort(new DOMException('', 'TimeoutError')) : new AbortController().signal;
  const deadline = new Deadline(Date.now() + (late ? -1 : hourMs), signal);
  return {
    jobId: 'j',
    job: { kind: 'fix', negotiationId: 'n', workMs: 1_000 } as Partial<Job> as Job,
    peerDeadline: deadline,
    announced: [],
    announceEarly: async () => undefined,
    workDeadline: new Deadline(Date.now() + hourMs, new AbortController().signal),
    release: () => undefined,
    ...more,
  };
}

/** A job from the queue, with what is published and announced for it. */
function takenJob(signal = new AbortController().signal) {
  const published: Outcome[] = [];
  const announced: unknown[] = [];
  const taken: Taken = {
    jobId: 'j',
    kind: 'fix',
    negotiationId: null,
    tenant: 'default',
    data: {},
    dataDigest: '',
    rawBytes: 2,
    deadlineAtMs: 0,
    delivery: 1,
    signal,
    announced: [],
    publishNow: async (outcome) => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      published.push(outcome as unknown as Outcome);
      return true as never;
    },
    announceEarly: async () => undefined,
    announceLate: async (entry) => void announced.push(entry),
  };
  return { taken, published, announced };
}

function fault(code: Code): CodedError {
  return new CodedError(code, 'Cannot go on: a fault, wanted none');
}

const quiet = { signal: new AbortController().signal };
const stopped = { signal: AbortSignal.abort(new Error('called off')) };

test('a job that ended early has the outcome of its early end, even if its data were not understood', () => {
  for (const received of [undefined, receivedJob(false), receivedJob(true)])
    assert.equal(conclusionOf(new EarlyEnd(clean), quiet, received), clean);
});

test('an operator’s fault ends the job at once', () => {
  const { verdict, findings } = conclusionOf(fault('OPERATOR_HANDLER_WITHDRAWN'), quiet, receivedJob(false));
  assert.deepEqual([verdict, findings[0]?.code], ['error', 'OPERATOR_HANDLER_WITHDRAWN']);
});

test('the queue handles a platform error while there is time; after the deadline it ends the job and blames nobody', () => {
  const lost = fault('PLATFORM_SANDBOX_LOST');
  assert.throws(() => conclusionOf(lost, quiet, receivedJob(false)), lost);
  const forbidden = fault('OPERATOR_REDIS_PERMISSION');
  assert.throws(() => conclusionOf(forbidden, quiet, receivedJob(false)), forbidden);
  const { verdict, findings } = conclusionOf(lost, quiet, receivedJob(true));
  assert.equal(verdict, 'error');
  assert.deepEqual(
    findings.map(({ code, in: place }) => [code, place]),
    [['PLATFORM_DEADLINE', 'job']],
  );
  assert.match(findings[0]?.message ?? '', /PLATFORM_SANDBOX_LOST/);
});

test('a defect is rethrown, late or not, and aborted work is left to the queue', () => {
  for (const late of [false, true]) {
    const defect = fault('DEFECT_UNCODED');
    assert.throws(() => conclusionOf(defect, quiet, receivedJob(late)), defect);
    const lost = fault('PLATFORM_SANDBOX_LOST');
    assert.throws(() => conclusionOf(lost, stopped, receivedJob(late)), lost);
  }
  const early = fault('PLATFORM_REDIS_UNREACHABLE');
  assert.throws(() => conclusionOf(early, quiet, undefined), early);
});

test('work that ends in time is not published here', async () => {
  const { taken, published } = takenJob();
  const ended = await answerInTime(
    Promise.resolve(clean),
    taken,
    receivedJob(false),
    new Ledger({ jobId: 'j', negotiationId: null }, () => undefined),
  );
  assert.deepEqual([ended, published], [clean, []]);
});

test('at the deadline the error is published, whatever the work does meanwhile', async () => {
  for (const later of [Promise.reject(fault('PLATFORM_SANDBOX_LOST')), Promise.resolve(clean)]) {
    const { taken, published, announced } = takenJob();
    const working = new Promise<Conclusion>((resolve) => setTimeout(() => resolve(later), 1));
    later.catch(() => undefined);
    assert.equal(
      await answerInTime(
        working,
        taken,
        receivedJob(true),
        new Ledger({ jobId: 'j', negotiationId: null }, () => undefined),
      ),
      undefined,
    );
    assert.deepEqual(
      published.map(({ verdict, messages, findings }) => [verdict, messages, findings[0]?.code]),
      [['error', [{ action: 'codeGeneration', status: 'error' }], 'PLATFORM_DEADLINE']],
    );
    assert.deepEqual(announced, []);
  }
});

test('a handler that is finished after the deadline is announced', async () => {
  const { taken, published, announced } = takenJob();
  const handler = { digest: 'd', provenance: { protocolHash: 'h' } } as Conclusion['handler'] & object;
  const working = Promise.resolve<Conclusion>({ ...clean, verdict: 'generated', handler });
  const slow = new Promise<Conclusion>((resolve) => setTimeout(() => resolve(working), 1));
  await answerInTime(slow, taken, receivedJob(true), new Ledger({ jobId: 'j', negotiationId: null }, () => undefined));
  assert.equal(published.length, 1);
  assert.deepEqual(announced, [{ negotiationId: 'n', protocolHash: 'h', digest: 'd' }]);
});

test('aborted work, and work that may not go on, is awaited, and nothing is published here', async () => {
  const job = { kind: 'fix', negotiationId: 'n', workMs: 0 } as Partial<Job> as Job;
  for (const [signal, received] of [
    [stopped.signal, receivedJob(true)],
    [quiet.signal, receivedJob(true, { job })],
  ] as const) {
    const { taken, published } = takenJob(signal);
    const working = new Promise<Conclusion>((resolve) => setTimeout(() => resolve(clean), 1));
    assert.equal(
      await answerInTime(working, taken, received, new Ledger({ jobId: 'j', negotiationId: null }, () => undefined)),
      clean,
    );
    assert.deepEqual(published, []);
  }
});
