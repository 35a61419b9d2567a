import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Outcome } from '../../src/contract/outcome.ts';
import type { JsonObject } from '../../src/kernel/json.ts';
import { soundReply, startRig } from '../system/harness.ts';
import { solved, storeInstead } from './stored.ts';

const rig = await startRig();
after(() => rig.close());
await rig.worker();

function complaint(errorDescription: string): JsonObject {
  return { action: 'fixErrorNegotiation', errorDescription, status: 'negotiating' };
}

/** Never ends where the condition holds. */
function endlessWhere(condition: string): string {
  return `export async function handle(request, context) {
  while (${condition}) {}
  const found = await context.call.lookupProduct({ productId: request.productId });
  const status = found ? { code: 200, message: 'Success' } : { code: 404, message: 'Product Not Found' };
  return { messageId: request.messageId, type: 'RESPONSE', status, productInfo: found };
}
`;
}

function statuses({ messages }: Outcome): string[] {
  return messages.map(({ action, status }) => `${action} ${status}`);
}

const quoted = { messageId: 'q-9', type: 'REQUEST', action: 'getProductInfo', productId: 'Z9Z9Z' };

for (const [name, condition, text] of [
  ['in every case', 'true', '- We never get an answer.'],
  ['for the request that is quoted', "request.productId === 'Z9Z9Z'", `- No answer to\n${JSON.stringify(quoted)}`],
  ['but for the cases', "!['P12345', 'P99999'].includes(request.productId)", '- No answer.'],
] as const)
  test(`for a stored handler that never ends ${name}, the complaint is accepted and a new handler is made`, async () => {
    const mark = `endless-${condition.length}`;
    const { job, record } = await solved(rig, mark);
    const stored = await storeInstead(rig, record, endlessWhere(condition));
    const data = { ...job, handlerDigest: stored.digest, complaint: complaint(text), negotiationId: `${mark}-2` };
    const outcome = await rig.outcomeOf({ ...data, timeoutMs: 60_000 }, { kind: 'fix' });
    assert.deepEqual(
      [outcome.verdict, ...statuses(outcome)],
      ['generated', 'fixErrorNegotiation accepted', 'codeGeneration generated'],
      JSON.stringify(outcome.findings),
    );
    assert.match(String(outcome.findings[0]?.message), /no answer/);
    const confirmed = outcome.findings.filter(({ code }) => code === 'CANDIDATE_COMPLAINT_CONFIRMED');
    assert.equal(confirmed.length, 1, 'one run without end is enough');
  });

test('an accepted complaint stays accepted when the deadline comes before the new handler', async () => {
  const { job, record } = await solved(rig, 'accepted-late');
  const stored = await storeInstead(rig, record, endlessWhere('true'));
  // Keeps sending, so that the endpoint does not count as dead, and never finishes.
  rig.answer('accepted-late', () => ({ kind: 'reply', text: soundReply, pieceCharacters: 1, pauseMs: 500 }));
  const data = { ...job, handlerDigest: stored.digest, complaint: complaint('- No answer.'), timeoutMs: 30_000 };
  const outcomes = await Promise.all(
    [0, 20_000].map((workMs) => rig.outcomeOf({ ...data, workMs, negotiationId: `late-${workMs}` }, { kind: 'fix' })),
  );
  for (const outcome of outcomes)
    assert.deepEqual(
      [outcome.verdict, outcome.findings.some(({ code }) => code === 'PLATFORM_DEADLINE'), ...statuses(outcome)],
      ['error', true, 'fixErrorNegotiation accepted', 'codeGeneration error'],
    );
});

test('a new handler that still has the fault is repaired with the facts of its runs', async () => {
  const { job, record } = await solved(rig, 'fix-repaired');
  const partly = soundReply.replace(
    /(export async function handle\([\s\S]*?\{\n)/,
    (head) =>
      `${head}  if (JSON.stringify(request).includes('Z9Z')) return { messageId: '0', type: 'RESPONSE', status: { code: 404, message: 'No' }, productInfo: null };\n`,
  );
  assert.notEqual(partly, soundReply);
  const stored = await storeInstead(rig, record, endlessWhere("request.productId === 'Z9Z9Z'"));
  const asked = rig.questions('fix-repaired').length;
  rig.answer('fix-repaired', (_, { prompt }) => ({
    kind: 'reply',
    text: prompt.includes('wanted the value sent') ? soundReply : partly,
  }));
  const text = `- messageId is wrong, or there is no answer:\n${JSON.stringify(quoted)}`;
  const data = { ...job, handlerDigest: stored.digest, complaint: complaint(text), negotiationId: 'e5' };
  const outcome = await rig.outcomeOf({ ...data, timeoutMs: 60_000 }, { kind: 'fix' });
  assert.equal(outcome.verdict, 'generated', JSON.stringify(outcome.findings));
  assert.ok(rig.questions('fix-repaired').length - asked >= 2);
  assert.ok(outcome.report.attempts.some(({ code }) => code === 'CANDIDATE_COMPLAINT_STANDS'));
});

test('a message that answers a complaint of ours is no complaint', async () => {
  const { job, record } = await solved(rig, 'fix-answer');
  for (const status of ['accepted', 'rejected']) {
    const data = { ...job, handlerDigest: record.digest, complaint: { ...complaint('- x'), status } };
    const outcome = await rig.outcomeOf({ ...data, negotiationId: `a-${status}` }, { kind: 'fix' });
    assert.deepEqual(
      [outcome.verdict, ...statuses(outcome), outcome.findings[0]?.code, outcome.findings[0]?.pointer],
      ['error', 'codeGeneration error', 'JOB_INVALID', '/complaint/status'],
    );
  }
});
