import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HandlerRecord } from '../../src/contract/handler.ts';
import { handlerDigest } from '../../src/hosting/load-handler.ts';
import type { JsonObject } from '../../src/kernel/json.ts';
import { commandHere } from '../system/command-here.ts';
import { example, sharedRig, soundReply } from '../system/harness.ts';
import { recordOf, solved } from './stored.ts';

const rig = await sharedRig();

/** A table of the one product of the cases. */
const table = `export async function handle(request) {
  const { messageId, productId } = request;
  if (productId !== 'P12345') return { messageId, type: 'RESPONSE', status: { code: 404, message: 'Product Not Found' }, productInfo: null };
  const productInfo = { productId, productName: 'High-Performance Laptop', productDescription: 'A high-performance laptop equipped with the latest processor and large memory capacity.', price: 1299.99, currency: 'USD' };
  return { messageId, type: 'RESPONSE', status: { code: 200, message: 'Success' }, productInfo };
}
`;

/** Stores a record as another release, or somebody else, may have left it. */
async function store(record: HandlerRecord, more: Partial<HandlerRecord>): Promise<HandlerRecord> {
  const changed = { ...record, ...more };
  const other = { ...changed, digest: handlerDigest(changed) };
  await rig.connection.set(rig.keys.handler(record.provenance.tenant, other.digest), JSON.stringify(other));
  return other;
}

/** The cases of a job, with other data in the second one. */
function otherCases(job: JsonObject): JsonObject {
  const testCases = job.testCases as { testCases: string };
  return { ...testCases, testCases: testCases.testCases.replaceAll('msg002', 'msg900').replaceAll('P99999', 'P31313') };
}

test('a handler is trusted for the cases it was verified against by this verifier; otherwise it is checked', async () => {
  const mark = 'trust-checks';
  const { job, record } = await solved(rig, mark);
  const known = await store(record, { bundle: table, tools: [] });
  const verify = (handlerDigest: string, more: JsonObject) =>
    rig.outcomeOf({ ...job, handlerDigest, ...more }, { kind: 'verify' });
  const trusted = await verify(known.digest, { negotiationId: `${mark}-1` });
  assert.deepEqual([trusted.verdict, trusted.handler?.digest], ['clean', known.digest]);
  const newCase = await verify(known.digest, { negotiationId: `${mark}-2`, testCases: otherCases(job) });
  assert.equal(newCase.verdict, 'generated', 'it passes the new case, and knows the examples by heart');
  assert.notEqual(newCase.handler?.digest, known.digest);
  const provenance = { ...record.provenance, verifierVersion: 'an older one' };
  const older = await store(record, { bundle: `${table}\n`, tools: [], provenance });
  const again = await verify(older.digest, { negotiationId: `${mark}-3` });
  assert.equal(again.verdict, 'generated', JSON.stringify(again.findings));
  assert.notEqual(again.handler?.digest, older.digest);
});

test('a stored handler can call only the tools that its verified code used', async () => {
  const mark = 'trust-tools';
  const { job, record } = await solved(rig, mark);
  assert.deepEqual(record.tools, ['lookupProduct']);
  const without = await store(record, { tools: [] });
  const outcome = await rig.outcomeOf(
    { ...job, handlerDigest: without.digest, negotiationId: `${mark}-1` },
    { kind: 'verify' },
  );
  assert.equal(outcome.verdict, 'generated', JSON.stringify(outcome.findings));
  assert.deepEqual(outcome.handler?.tools, ['lookupProduct']);
  const complaint = { action: 'fixErrorNegotiation', errorDescription: '- No answer.', status: 'negotiating' };
  const data = { ...job, handlerDigest: without.digest, complaint, negotiationId: `${mark}-2` };
  const fixed = await rig.outcomeOf(data, { kind: 'fix' });
  assert.deepEqual([fixed.verdict, fixed.messages[0]?.status], ['generated', 'accepted']);
});

test('of several stored handlers, the one that passes is used, and its passed cases are stored', async () => {
  const mark = 'trust-several';
  const { job, record } = await solved(rig, mark);
  const testCases = job.testCases as { testCases: string };
  const renamed = testCases.testCases.replace('"message": "Success"', '"message": "OK"');
  rig.answer(mark, () => ({ kind: 'reply', text: soundReply.replaceAll("'Success'", "'OK'") }));
  const newer = await rig.outcomeOf({
    ...job,
    testCases: { ...testCases, testCases: renamed },
    negotiationId: `${mark}-1`,
  });
  assert.deepEqual([newer.verdict, newer.report.reused], ['generated', false], JSON.stringify(newer.findings));
  const asked = rig.questions(mark).length;
  const again = await rig.outcomeOf({ ...job, testCases: otherCases(job), negotiationId: `${mark}-2` });
  assert.deepEqual([again.report.reused, again.handler?.digest], [true, record.digest]);
  assert.equal(rig.questions(mark).length, asked);
  assert.equal((await recordOf(rig, again)).proof.cases.length, 3);
});

test('a withdrawn handler is neither verified, replaced by a fix, nor stored again', async () => {
  const mark = 'trust-withdrawn';
  const { job, record } = await solved(rig, mark);
  const { digest } = record;
  const withdrawal = ['handlers', 'withdraw', digest, '--tenant', mark, '--reason', 'it leaks'];
  const ran = await commandHere(withdrawal, { environment: { REDIS_URL: rig.redis.url } });
  assert.equal(ran.code, 0, ran.stderr);
  const complaint = { action: 'fixErrorNegotiation', errorDescription: '- x', status: 'negotiating' };
  for (const [kind, more] of [
    ['verify', {}],
    ['fix', { complaint }],
  ] as const) {
    const data = { ...job, ...more, handlerDigest: digest, negotiationId: `${mark}-${kind}` };
    const outcome = await rig.outcomeOf(data, { kind });
    assert.deepEqual([outcome.verdict, outcome.findings[0]?.code], ['error', 'JOB_HANDLER_UNKNOWN']);
    assert.match(String(outcome.findings[0]?.message), /withdrawn/);
  }
  // The model writes the same module again.
  const again = await rig.outcomeOf({ ...job, negotiationId: `${mark}-again` });
  assert.deepEqual([again.verdict, again.findings[0]?.code], ['error', 'OPERATOR_HANDLER_WITHDRAWN']);
});

test('a handler for the other side of the same agreement is the job’s own fault', async () => {
  const { job, record } = await solved(rig, 'trust-side');
  const { task } = example('anp-product-en.requester');
  const data = { ...job, role: 'requester', task, handlerDigest: record.digest, negotiationId: 'trust-side-1' };
  const outcome = await rig.outcomeOf(data, { kind: 'verify' });
  assert.deepEqual([outcome.verdict, outcome.findings[0]?.code], ['error', 'JOB_HANDLER_MISMATCH']);
});

test('a record that is not what its digest says is not run, and nobody is blamed', async () => {
  const { job, record } = await solved(rig, 'trust-corrupt');
  const key = rig.keys.handler(record.provenance.tenant, record.digest);
  await rig.connection.set(key, JSON.stringify({ ...record, bundle: `${record.bundle}\n;` }));
  const data = { ...job, handlerDigest: record.digest, negotiationId: 'trust-corrupt-1', timeoutMs: 10_000, workMs: 0 };
  const outcome = await rig.outcomeOf(data, { kind: 'verify' });
  assert.deepEqual([outcome.verdict, outcome.findings[0]?.code], ['error', 'PLATFORM_HANDLER_CORRUPT']);
});
