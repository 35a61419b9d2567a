import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { jobIdOf } from '../../queues/index.ts';
import type { Outcome } from '../../src/contract/outcome.ts';
import type { JsonObject } from '../../src/kernel/json.ts';
import { solved, storeInstead } from '../kinds/stored.ts';
import { soundReply, startRig, until } from '../system/harness.ts';

const rig = await startRig();
after(() => rig.close());

/** Passes both cases, and breaks the schema whenever a name is given. */
const faulty = `export async function handle(request, context) {
  const found = await context.call.lookupProduct({ productId: request.productId });
  const status = found ? { code: 200, message: 'Success' } : { code: 404, message: 'Product Not Found' };
  return { messageId: request.messageId, type: 'RESPONSE', status: request.productName === undefined ? status : { code: status.code }, productInfo: found };
}
`;

const complaint = { action: 'fixErrorNegotiation', errorDescription: '- message is missing', status: 'negotiating' };

/** A job with a justified complaint. */
async function complained(mark: string, more: JsonObject = {}) {
  const { job, record } = await solved(rig, mark);
  const stored = await storeInstead(rig, record, faulty);
  return { ...job, handlerDigest: stored.digest, complaint, replyTo: mark, timeoutMs: 600_000, ...more } as JsonObject;
}

/** Stream entries other than final ones. */
async function noticesOn(replyTo: string): Promise<string[]> {
  return (await rig.entries(replyTo)).filter(({ final }) => final === '0').map(({ messages = '' }) => messages);
}

function said({ verdict, messages, findings }: Outcome): unknown[] {
  return [verdict, ...messages.map(({ action, status }) => `${action} ${status}`), findings.at(-1)?.code];
}

const accepted = 'fixErrorNegotiation accepted';
const error = 'codeGeneration error';

test('an accepted complaint stays accepted and is announced once, however its job ends after its worker was killed', async () => {
  const first = await rig.worker();
  let isDead = false;
  const marks = ['ends-well', 'ends-withdrawn', 'ends-spent', 'ends-cancelled', 'ends-closed', 'ends-late'];
  const jobs = new Map<string, { jobId: string; data: JsonObject }>();
  for (const mark of marks) {
    const data = await complained(mark);
    rig.answer(mark, () => (isDead ? { kind: 'reply', text: soundReply } : { kind: 'stall' }));
    jobs.set(mark, { data, jobId: await rig.submit(data, { kind: 'fix' }) });
  }
  const of = (mark: string) => jobs.get(mark) ?? assert.fail(mark);
  await until(async () => (await Promise.all(marks.map(noticesOn))).every((found) => found.length > 0), 'acceptances');
  const notices = await Promise.all(marks.map(noticesOn));
  first.signal('SIGKILL');
  await first.ended;
  isDead = true;

  const withdrawn = of('ends-withdrawn');
  await rig.connection.hset(
    rig.keys.withdrawnHandlers('ends-withdrawn'),
    String(withdrawn.data.handlerDigest),
    'it is wrong',
  );
  await rig.connection.hset(rig.keys.spent(of('ends-spent').jobId), 'completions', 1_000);
  await rig.producer.cancel(of('ends-cancelled').jobId);
  const closed = await rig.producer.closeExpired(of('ends-closed').jobId, {
    kind: 'fix',
    data: of('ends-closed').data,
  });
  const late = of('ends-late');
  await rig.connection.hset(`${rig.keys.queue}:${late.jobId}`, 'takenAtMs', Date.now() - 600_000);
  await rig.connection.zadd(rig.keys.deadlines, 1, late.jobId);

  await rig.worker();
  const ends = await Promise.all(marks.map((mark) => rig.outcome(of(mark).jobId)));
  assert.deepEqual(Object.fromEntries(marks.map((mark, index) => [mark, said(ends[index] as Outcome)])), {
    'ends-well': ['generated', accepted, 'codeGeneration generated', 'CANDIDATE_COMPLAINT_CONFIRMED'],
    'ends-withdrawn': ['error', accepted, error, 'JOB_HANDLER_UNKNOWN'],
    'ends-spent': ['error', accepted, error, 'CANDIDATE_BUDGET'],
    'ends-cancelled': ['error', accepted, error, 'JOB_CANCELLED'],
    'ends-closed': ['error', accepted, error, 'READER_DEADLINE'],
    'ends-late': ['error', accepted, error, 'PLATFORM_DEADLINE'],
  });
  assert.deepEqual(closed.messages, ends[4]?.messages);
  assert.deepEqual(await Promise.all(marks.map(noticesOn)), notices, 'none is announced again');
  assert.deepEqual(
    ends.map(({ messages }) => JSON.stringify(messages.slice(0, 1))),
    notices.map(([text]) => text),
    'what was announced, word for word',
  );
});

test('an accepted complaint is not rejected later when its fault does not show again', async () => {
  const { job, record } = await solved(rig, 'unseen');
  const data = { ...job, handlerDigest: record.digest, complaint, timeoutMs: 15_000, workMs: 0 };
  const said = [{ action: 'fixErrorNegotiation', errorDescription: '- it was seen', status: 'accepted' }];
  await rig.connection.set(rig.keys.announced(jobIdOf(data)), JSON.stringify(said));
  const outcome = await rig.outcomeOf(data, { kind: 'fix' });
  assert.deepEqual(
    [outcome.verdict, outcome.messages],
    ['error', [...said, { action: 'codeGeneration', status: 'error' }]],
  );
  assert.match(JSON.stringify(outcome.findings), /PLATFORM_COMPLAINT_NOT_SEEN|PLATFORM_DEADLINE/);
});
