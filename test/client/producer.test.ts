import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createProducer, type JobData, type Outcome } from '../../src/index.ts';
import { codeOf } from '../../src/kernel/errors.ts';
import { loadHandler } from '../../src/sandbox-door.ts';
import { commandHere } from '../system/command-here.ts';
import { example, markedJob, soundReply, startRig } from '../system/harness.ts';

const rig = await startRig();
const producer = createProducer({ url: rig.redis.url });
after(async () => {
  await producer.close();
  await rig.close();
});
await rig.worker();

/** As a caller writes it: without members that have a default. */
const review: JobData = {
  version: 1,
  negotiationId: 'client-review',
  role: 'provider',
  agreement: {
    action: 'protocolNegotiation',
    sequenceId: 1,
    status: 'negotiating',
    candidateProtocols: String(example('anp-product-en.disputed').agreement.candidateProtocols),
  },
};

test('a job is written without members that have a default, and its outcome read without a cast', async () => {
  const { jobId } = await producer.submit('review', {
    ...review,
    testCases: [{ request: { productId: 1 }, response: { productInfo: null } }],
  });
  const outcome: Outcome | null = await producer.waitForOutcome(jobId, { untilMs: Date.now() + 120_000 });
  assert.equal(outcome?.verdict, 'disputed');
  assert.ok(outcome.findings.some(({ severity, in: place }) => severity === 'error' && place === 'response'));
  assert.deepEqual((await producer.outcomeOf(jobId))?.report.usage.inputTokens, 0);
});

test('the types refuse invalid jobs', async () => {
  // @ts-expect-error: no such kind.
  const kind: Parameters<typeof producer.submit>[0] = 'generat';
  // @ts-expect-error: the kind is the job's name, and a fault among its data.
  const data: JobData = { ...review, kind: 'review' };
  assert.ok(kind && data);
});

test('the handler that an outcome names is loaded, until it is withdrawn', async () => {
  rig.answer('client-handler', () => ({ kind: 'reply', text: soundReply }));
  const { jobId } = await rig.producer.submit('generate', markedJob('client-handler'));
  const outcome = await producer.waitForOutcome(jobId, { untilMs: Date.now() + 120_000 });
  const digest = outcome?.handler?.digest ?? assert.fail(JSON.stringify(outcome?.findings));
  const handler = await loadHandler(await producer.handlerOf(digest), { lookupProduct: async () => null });
  const ran = await handler.run({ messageId: 'a', type: 'REQUEST', action: 'getProductInfo', productId: 'K1' });
  await handler.close();
  assert.equal(ran.end, 'returned');
  await assert.rejects(producer.handlerOf(digest, 'another'), (error) => codeOf(error) === 'JOB_HANDLER_UNKNOWN');
  const environment = { REDIS_URL: rig.redis.url };
  await commandHere(['handlers', 'withdraw', digest, '--reason', 'no more'], { environment });
  await assert.rejects(producer.handlerOf(digest), /it was withdrawn for tenant "default"/);
});

test('without Redis, `handlerOf` rejects within the given time', async () => {
  const lonely = createProducer({ url: 'redis://127.0.0.1:1', connectWithinMs: 200 });
  await assert.rejects(lonely.handlerOf('a'.repeat(64)), (error) => codeOf(error) === 'PLATFORM_REDIS_UNREACHABLE');
  await lonely.close();
});
