import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../src/kernel/json.ts';
import { example, markedJob, sharedRig, soundReply } from '../system/harness.ts';
import { recordOf, solved, storeInstead } from './stored.ts';

const rig = await sharedRig();

function withCases(job: JsonObject, change: (text: string) => string): JsonObject {
  const testCases = job.testCases as { testCases: string };
  return { ...testCases, testCases: change(testCases.testCases) };
}

test('new cases that the stored handler passes: clean, nothing to forward, no model asked', async () => {
  const { job, record } = await solved(rig, 'verify-pass');
  const asked = rig.questions('verify-pass').length;
  const testCases = withCases(job, (text) => text.replaceAll('msg002', 'msg900').replaceAll('P99999', 'P31313'));
  const outcome = await rig.outcomeOf(
    { ...job, testCases, handlerDigest: record.digest, negotiationId: 'v1' },
    { kind: 'verify' },
  );
  assert.deepEqual([outcome.verdict, outcome.messages, outcome.handler?.digest], ['clean', [], record.digest]);
  assert.equal(rig.questions('verify-pass').length, asked);
  const kept = await recordOf(rig, outcome);
  assert.equal(kept.proof.cases.length, 3, 'old cases and the new one are remembered together');
});

test('new cases that it fails: made again against all of them, the old ones included', async () => {
  const { job, record } = await solved(rig, 'verify-fail');
  const testCases = withCases(job, (text) => {
    const [, second = ''] = text.split(' # Test Case 2');
    return ` # Test Case 1${second.replaceAll('msg002', 'msg901').replaceAll('P99999', '""').replace('404', '400').replace('Product Not Found', 'Empty Product Id').replaceAll('"""', '"')}`;
  });
  const reply = soundReply.replace(
    /(export async function handle\([\s\S]*?\{\n)/,
    (head) =>
      `${head}  if ((request as { productId?: unknown }).productId === '') {\n    return { messageId: (request as { messageId: string }).messageId, type: 'RESPONSE', status: { code: 400, message: 'Empty Product Id' }, productInfo: null };\n  }\n`,
  );
  assert.notEqual(reply, soundReply);
  rig.answer('verify-fail', () => ({ kind: 'reply', text: reply }));
  const outcome = await rig.outcomeOf(
    { ...job, testCases, handlerDigest: record.digest, negotiationId: 'v2' },
    { kind: 'verify' },
  );
  assert.equal(outcome.verdict, 'generated', JSON.stringify(outcome.findings));
  assert.deepEqual(outcome.messages, [{ action: 'codeGeneration', status: 'generated' }]);
  assert.notEqual(outcome.handler?.digest, record.digest);
  assert.equal(outcome.report.cases.length, 3);
});

test('a handler that is unknown, withdrawn or for another agreement is the job’s own fault', async () => {
  const { job, record } = await solved(rig, 'verify-unknown');
  const unknown = await rig.outcomeOf(
    { ...job, handlerDigest: 'a'.repeat(64), negotiationId: 'v3' },
    { kind: 'verify' },
  );
  assert.deepEqual(
    [unknown.verdict, unknown.findings[0]?.code, unknown.findings[0]?.pointer],
    ['error', 'JOB_HANDLER_UNKNOWN', '/handlerDigest'],
  );
  assert.match(String(unknown.findings[0]?.message), /^Cannot .*: found .*, wanted /);
  const agreement = {
    ...(job.agreement as JsonObject),
    candidateProtocols: `${(job.agreement as JsonObject).candidateProtocols}\nMore.\n`,
  };
  const other = await rig.outcomeOf(
    { ...job, agreement, handlerDigest: record.digest, negotiationId: 'v4' },
    { kind: 'verify' },
  );
  assert.deepEqual([other.verdict, other.findings[0]?.code], ['error', 'JOB_HANDLER_MISMATCH']);
});

test('new cases that contradict the schema are disputed before anything is run', async () => {
  const { job, record } = await solved(rig, 'verify-dispute');
  const testCases = withCases(job, (text) => text.replace('"price": 1299.99', '"price": "1299.99"'));
  const outcome = await rig.outcomeOf(
    { ...job, testCases, handlerDigest: record.digest, negotiationId: 'v5' },
    { kind: 'verify' },
  );
  assert.deepEqual([outcome.verdict, outcome.findings[0]?.pointer], ['disputed', '/productInfo/price']);
});

test('a new case that contradicts one agreed before is disputed by its own number', async () => {
  const { job, record } = await solved(rig, 'verify-contradict');
  const asked = rig.questions('verify-contradict').length;
  const testCases = withCases(job, (text) => text.replace('"message": "Product Not Found"', '"message": "None"'));
  const outcome = await rig.outcomeOf(
    { ...job, testCases, handlerDigest: record.digest, negotiationId: 'v6' },
    { kind: 'verify' },
  );
  const [finding] = outcome.findings;
  assert.deepEqual(
    [outcome.verdict, finding?.code, finding?.testCase, finding?.actual, finding?.expected],
    ['disputed', 'DOCUMENT_CASES_CONTRADICT', 2, 'None', 'Product Not Found'],
  );
  assert.match(String(finding?.message), /^Cannot satisfy case 2 and one agreed earlier: /);
  assert.match(
    String(outcome.messages[0]?.errorDescription),
    /test case 2, at `\/status\/message`.*here `"None"`, there `"Product Not Found"`/,
  );
  assert.deepEqual([outcome.report.verification, outcome.handler], [null, null]);
  assert.equal(rig.questions('verify-contradict').length, asked, 'no model is asked');
});

test('a new case whose answer has another id than its request is disputed by its own number, and mended', async () => {
  const { job, record } = await solved(rig, 'verify-echo');
  const testCases = withCases(job, (text) => {
    const [, second = ''] = text.split(' # Test Case 2');
    return ` # Test Case 7${second.replace('"msg002"', '"msg777"').replace('"msg002"', '"msg778"').replace('P99999', 'P31313')}`;
  });
  const data = { ...job, testCases, handlerDigest: record.digest, negotiationId: 'v8' };
  const outcome = await rig.outcomeOf(data, { kind: 'verify' });
  const [finding] = outcome.findings;
  assert.deepEqual(
    [outcome.verdict, finding?.code, finding?.testCase, finding?.expected],
    ['disputed', 'DOCUMENT_CASE_ID_NOT_ECHOED', 7, 'msg777'],
  );
  const [proposal] = outcome.proposals ?? [];
  assert.equal(proposal?.action, 'testCasesNegotiation');
  assert.equal(String(proposal?.testCases).match(/"msg777"/g)?.length, 2);
});

test('a handler made under amendments is verified and made again under them', async () => {
  const mark = 'verify-amended';
  const job = { ...example('anp-product-en.amended'), tenant: mark, negotiationId: mark } as JsonObject;
  const made = await rig.outcomeOf(job);
  assert.equal(made.verdict, 'generated', JSON.stringify(made.findings));
  const record = await recordOf(rig, made);
  assert.equal(record.amendments.length, 1);
  const data = { ...job, onContradiction: 'dispute' };
  const broken = await storeInstead(rig, record, 'export const handle = () => null;');
  const again = await rig.outcomeOf(
    { ...data, handlerDigest: broken.digest, negotiationId: `${mark}-2` },
    { kind: 'verify' },
  );
  assert.deepEqual([again.verdict, again.handler], ['generated', made.handler], JSON.stringify(again.findings));
  const passed = await rig.outcomeOf(
    { ...data, handlerDigest: record.digest, negotiationId: `${mark}-1` },
    { kind: 'verify' },
  );
  assert.deepEqual([passed.verdict, passed.handler?.amendments.length], ['clean', 1], JSON.stringify(passed.findings));
});

test('new cases that it passes as amended: the same code is another handler, held to what was amended, and no model is asked', async () => {
  rig.answer('verify-amends', () => ({ kind: 'reply', text: soundReply }));
  const whole = JSON.parse(
    JSON.stringify(markedJob('verify-amends', { tenant: 'verify-amends', timeoutMs: 120_000 }))
      .replaceAll('1299.99', '1300')
      .replace(/(price[^}]*?type[^a-z]*)number/, '$1integer'),
  ) as JsonObject;
  const made = await rig.outcomeOf(whole);
  assert.equal(made.verdict, 'generated', JSON.stringify(made.findings));
  assert.deepEqual(made.handler?.amendments, []);
  const half = JSON.parse(JSON.stringify(whole).replaceAll('1300', '1300.5')) as JsonObject;
  const agreement = whole.agreement as JsonObject;
  const handlerDigest = made.handler?.digest ?? null;
  const asked = { ...half, agreement, handlerDigest, onContradiction: 'amend', negotiationId: 'v7' };
  const questions = rig.questions('verify-amends').length;
  const verified = await rig.outcomeOf(asked, { kind: 'verify' });
  assert.equal(verified.verdict, 'generated', JSON.stringify(verified.findings));
  assert.equal(rig.questions('verify-amends').length, questions);
  assert.equal(verified.handler?.amendments.length, 1);
  assert.deepEqual(
    verified.findings.map(({ code, severity }) => [code, severity]),
    [['DOCUMENT_CASE_VIOLATES_SCHEMA', 'warning']],
  );
  const [before, after] = [await recordOf(rig, made), await recordOf(rig, verified)];
  assert.match(JSON.stringify(before.responseSchema), /"price":{[^}]*"integer"/);
  assert.match(JSON.stringify(after.responseSchema), /"price":{[^}]*"number"/);
  assert.deepEqual([before.amendments.length, after.amendments.length], [0, 1]);
  const again = await rig.outcomeOf({ ...asked, handlerDigest: after.digest, negotiationId: 'v8' }, { kind: 'verify' });
  assert.deepEqual([again.verdict, again.handler?.digest], ['clean', after.digest]);
  const live = await rig.outcomeOf({ ...half, agreement, onContradiction: 'amend', negotiationId: 'v9' });
  assert.deepEqual([live.verdict, live.report.reused, live.handler?.digest], ['generated', true, after.digest]);
});
