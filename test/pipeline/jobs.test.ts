import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Outcome } from '../../src/contract/outcome.ts';
import type { JsonObject } from '../../src/kernel/json.ts';
import { reportFault } from '../system/fault-report.ts';
import { example, markedJob, sharedRig, soundReply, until } from '../system/harness.ts';

const rig = await sharedRig();

const error: JsonObject = { action: 'codeGeneration', status: 'error' };

function faults({ findings }: Outcome): [code: string, pointer: string | undefined][] {
  return findings.map(({ code, pointer }) => [code, pointer]);
}

test('an invalid job: every fault has its pointer, and what could be read is reported', async () => {
  const { agreement, ...rest } = markedJob('jobs-invalid');
  const outcome = await rig.outcomeOf({
    ...rest,
    agreement: { ...(agreement as JsonObject), status: 'negotiating' },
    role: 'spectator',
    timeoutMs: 5,
    tenant: 'no spaces',
    surprise: true,
    tools: [{ name: 'toString' }, { name: '1st' }],
    loose: [{ pointer: 'status', as: 'text' }],
  });
  assert.equal(outcome.verdict, 'error');
  assert.deepEqual(outcome.messages, [error]);
  assert.deepEqual(
    [outcome.negotiationId, outcome.role, outcome.tenant, outcome.kind, outcome.version],
    ['jobs-invalid', null, null, 'generate', 1],
  );
  const pointers = outcome.findings.map(({ pointer }) => pointer);
  for (const pointer of [
    '/role',
    '/timeoutMs',
    '/tenant',
    '/surprise',
    '/tools/0/name',
    '/tools/1/name',
    '/loose/0/pointer',
    '/agreement/status',
  ])
    assert.ok(pointers.includes(pointer), `${pointer} is not among ${pointers}`);
  for (const finding of outcome.findings) {
    assert.match(finding.code, /^JOB_/);
    assert.deepEqual([finding.severity, finding.in], ['error', 'job']);
    assert.match(finding.message, /^Cannot .*, wanted /);
  }
  assert.equal(rig.questions('jobs-invalid').length, 0);
});

test('data that are not an object end with an error that says what is missing', async () => {
  for (const data of ['text', [], 7, null]) {
    const outcome = await rig.outcomeOf(data);
    assert.equal(outcome.verdict, 'error');
    assert.deepEqual(
      [outcome.version, outcome.negotiationId, outcome.tenant, outcome.family, outcome.role, outcome.protocolHash],
      [null, null, null, null, null, null],
    );
  }
});

test('a hash in the job is verified, with any prefix', async () => {
  const job = markedJob('jobs-hash', { protocolHash: `sha256:${'0'.repeat(64)}` });
  const outcome = await rig.outcomeOf(job, { kind: 'review' });
  assert.deepEqual(faults(outcome), [['JOB_HASH_MISMATCH', '/protocolHash']]);
  assert.match(outcome.protocolHash ?? '', /^[0-9a-f]{64}$/);
  const right = await rig.outcomeOf({ ...job, protocolHash: `sha-256:${outcome.protocolHash}` }, { kind: 'review' });
  assert.equal(right.verdict, 'clean', JSON.stringify(right.findings));
});

test('an unknown kind ends with an error', async () => {
  const outcome = await rig.outcomeOf(markedJob('jobs-kind'), { kind: 'juggle' });
  assert.equal(outcome.verdict, 'error');
  assert.deepEqual(
    faults(outcome).map(([code]) => code),
    ['JOB_KIND_UNKNOWN'],
  );
  assert.equal(outcome.kind, null);
});

test('a review of a contradiction ends as disputed, with a counter-offer and no message, and asks no model', async () => {
  const job = { ...example('anp-product-en.disputed'), negotiationId: 'jobs-review', timeoutMs: 10_000 };
  const outcome = await rig.outcomeOf(
    {
      ...job,
      agreement: { ...job.agreement, status: 'negotiating' },
      testCases: { ...job.testCases, status: 'negotiating' },
    },
    { kind: 'review' },
  );
  assert.equal(outcome.verdict, 'disputed');
  assert.deepEqual(outcome.messages, []);
  assert.ok((outcome.proposals ?? []).some(({ action }) => action === 'protocolNegotiation'));
  assert.equal(outcome.report.attempts.length, 0);
  assert.deepEqual(outcome.report.generator, { kind: 'none', model: null });
});

test('a review without a fault is clean', async () => {
  const outcome = await rig.outcomeOf(markedJob('jobs-clean'), { kind: 'review' });
  assert.equal(outcome.verdict, 'clean', JSON.stringify(outcome.findings));
  assert.deepEqual([outcome.messages, outcome.handler], [[], null]);
  assert.equal(rig.questions('jobs-clean').length, 0);
});

test('a job with an automatic id gets a stream entry and no outcome', async () => {
  const added = await rig.queue.add('generate', markedJob('jobs-numeric'));
  const entry = await until(async () => (await rig.entries()).find(({ jobId }) => jobId === added.id), 'an entry');
  assert.deepEqual([entry.verdict, entry.final, entry.replayed], ['error', '1', '0']);
  assert.deepEqual(JSON.parse(entry.messages ?? ''), [error]);
  assert.equal(await rig.connection.exists(rig.keys.outcome(added.id ?? '')), 0);
  assert.equal(rig.questions('jobs-numeric').length, 0);
});

test('the same job again is announced as replayed, and no work is repeated', async () => {
  rig.answer('jobs-replayed', () => ({ kind: 'reply', text: soundReply }));
  const job = markedJob('jobs-replayed', { replyTo: 'replays' });
  const first = await rig.outcomeOf(job);
  assert.equal(first.verdict, 'generated', JSON.stringify(first.findings));
  const asked = rig.questions('jobs-replayed').length;
  await rig.submit(job);
  const sinceMs = Date.now();
  const replays = { outcome: rig.outcome, entries: () => rig.entries('replays') };
  const [once, again] = await until(async () => {
    const entries = await replays.entries();
    return entries.length > 1 && entries;
  }, 'the second entry');
  await reportFault(replays, 'the same job again after its outcome', [first.jobId], sinceMs);
  assert.deepEqual([once?.replayed, again?.replayed], ['0', '1']);
  assert.deepEqual({ ...again, replayed: '0' }, once);
  assert.equal(rig.questions('jobs-replayed').length, asked);
});

test('an id with other data is refused, and its outcome stays unchanged', async () => {
  const jobId = 'jobs-reused-id';
  const first = await rig.outcomeOf(markedJob('jobs-reused-1'), { kind: 'review', jobId });
  await rig.left(jobId);
  await rig.queue.add('review', markedJob('jobs-reused-2'), { jobId });
  const failed = await until(
    async () => (await rig.queue.getJobs(['failed'])).find(({ id }) => id === jobId),
    'the failed job',
  );
  assert.match(failed.failedReason, /JOB_ID_REUSED/);
  assert.deepEqual(await reportFault(rig, 'same id, other data', [jobId], Date.now()), [first]);
});

test('a job can be cancelled while the model is asked', async () => {
  rig.answer('jobs-cancelled', () => ({ kind: 'stall' }));
  const jobId = await rig.submit(markedJob('jobs-cancelled', { timeoutMs: 60_000 }));
  const question = await until(() => rig.questions('jobs-cancelled')[0], 'the question');
  await rig.connection.set(rig.keys.cancel(jobId), '1', 'EX', 600);
  const outcome = await rig.outcome(jobId);
  assert.equal(outcome.verdict, 'error');
  assert.deepEqual(outcome.messages, [error]);
  assert.deepEqual(
    faults(outcome).map(([code]) => code),
    ['JOB_CANCELLED'],
  );
  await until(() => question.hungUp.aborted, 'the model call to be dropped');
});

test('a job that supersedes another cancels it', async () => {
  rig.answer('jobs-old', () => ({ kind: 'stall' }));
  rig.answer('jobs-new', () => ({ kind: 'reply', text: soundReply }));
  const old = await rig.submit(markedJob('jobs-old', { timeoutMs: 60_000 }));
  await until(() => rig.questions('jobs-old')[0], 'the question');
  const [replaced, outcome] = await Promise.all([
    rig.outcome(old),
    rig.outcomeOf(markedJob('jobs-new', { supersedes: old })),
  ]);
  assert.deepEqual(
    faults(replaced).map(([code]) => code),
    ['JOB_CANCELLED'],
  );
  assert.equal(outcome.verdict, 'generated', JSON.stringify(outcome.findings));
});

test('a job of a later version waits for a newer worker until its deadline', async () => {
  const outcome = await rig.outcomeOf(markedJob('jobs-version', { version: 2, timeoutMs: 1_500 }));
  assert.equal(outcome.verdict, 'error');
  assert.deepEqual(
    faults(outcome).map(([code]) => code),
    ['JOB_VERSION_UNSUPPORTED'],
  );
  assert.equal(outcome.negotiationId, 'jobs-version');
});

test('the entry goes to the stream that the job names', async () => {
  const outcome = await rig.outcomeOf(markedJob('jobs-reply-to', { replyTo: 'negotiator-7' }), { kind: 'review' });
  assert.deepEqual(
    (await rig.entries('negotiator-7')).map(({ jobId, verdict }) => [jobId, verdict]),
    [[outcome.jobId, 'clean']],
  );
});

const echoDocument = `# Requirements
Answer a line of text with the same line in upper case.
`;

test('a job with a text payload', async () => {
  rig.answer('jobs-text', () => ({
    kind: 'reply',
    text: `\`\`\`ts
import type { Context, Request, Response } from './types';

export function handle(request: Request, _context: Context): Response {
  return request.toUpperCase();
}
\`\`\``,
  }));
  const outcome = await rig.outcomeOf({
    version: 1,
    negotiationId: 'jobs-text',
    role: 'provider',
    payload: 'text',
    agreement: {
      action: 'protocolNegotiation',
      sequenceId: 1,
      candidateProtocols: `${echoDocument}Reference: jobs-text\n`,
      status: 'accepted',
    },
    testCases: [
      { request: 'hello there', response: 'HELLO THERE' },
      { request: 'two\r\nlines\n', response: 'TWO\nLINES' },
    ],
  });
  assert.equal(outcome.verdict, 'generated', JSON.stringify(outcome));
  assert.deepEqual(
    outcome.report.cases.map(({ passed }) => passed),
    [true, true],
  );
});

test('a job without cases is checked against the schemas alone', async () => {
  rig.answer('jobs-no-cases', () => ({ kind: 'reply', text: soundReply }));
  const { testCases: _, ...job } = markedJob('jobs-no-cases');
  const outcome = await rig.outcomeOf(job);
  assert.equal(outcome.verdict, 'generated', JSON.stringify(outcome));
  assert.equal(outcome.report.verification, 'schema-only');
  assert.deepEqual(outcome.report.cases, []);
  assert.ok(outcome.report.checks.some(({ result, runs }) => result === 'passed' && runs > 0));
});

test('a document without schemas is legal', async () => {
  rig.answer('jobs-no-schemas', () => ({
    kind: 'reply',
    text: `\`\`\`ts
import type { Request, Response } from './types';

export function handle(request: Request): Response {
  const text = request !== null && typeof request === 'object' ? request.text : undefined;
  return typeof text === 'string' ? { text: text.toUpperCase() } : { error: 'no text' };
}
\`\`\``,
  }));
  const outcome = await rig.outcomeOf({
    version: 1,
    negotiationId: 'jobs-no-schemas',
    role: 'provider',
    agreement: {
      action: 'protocolNegotiation',
      sequenceId: 1,
      candidateProtocols: `${echoDocument}A message is {"text": "…"}; a message without text is answered with {"error": "no text"}.\nReference: jobs-no-schemas\n`,
      status: 'accepted',
    },
    testCases: [
      { request: { text: 'abc' }, response: { text: 'ABC' } },
      { request: {}, response: { error: 'no text' } },
    ],
  });
  assert.equal(outcome.verdict, 'generated', JSON.stringify(outcome));
  assert.equal(outcome.report.verification, 'negotiated');
});

test('a text of cases that cannot be read is a finding, not 0 passed cases', async () => {
  const job = markedJob('jobs-prose');
  const outcome = await rig.outcomeOf({
    ...job,
    testCases: { ...(job.testCases as JsonObject), testCases: 'We shall test this thoroughly.' },
  });
  assert.equal(outcome.verdict, 'disputed');
  assert.ok(outcome.findings.some(({ code }) => code.startsWith('DOCUMENT_CASE')));
  assert.equal(rig.questions('jobs-prose').length, 0);
});
