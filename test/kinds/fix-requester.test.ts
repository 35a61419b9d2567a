import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HandlerRecord } from '../../src/contract/handler.ts';
import type { JsonObject } from '../../src/kernel/json.ts';
import { example, reply, sharedRig } from '../system/harness.ts';
import { recordOf, storeInstead } from './stored.ts';

const rig = await sharedRig();

const soundReply = reply('product-en-requester');

/** A requester's job with a sound handler stored for it. */
async function solvedRequester(mark: string): Promise<{ job: JsonObject; record: HandlerRecord }> {
  const base = example('anp-product-en.requester');
  const candidateProtocols = `${base.agreement.candidateProtocols}\nReference: ${mark}\n`;
  const agreement = { ...base.agreement, candidateProtocols };
  const job = { ...base, agreement, negotiationId: mark, tenant: mark, timeoutMs: 120_000 };
  rig.answer(mark, () => ({ kind: 'reply', text: soundReply }));
  const outcome = await rig.outcomeOf(job);
  assert.equal(outcome.verdict, 'generated', JSON.stringify(outcome.findings));
  return { job, record: await recordOf(rig, outcome) };
}

function perform(request: string, rest = ''): string {
  return `export async function perform(task, context) {
  const { status, productInfo } = await context.send(${request});${rest}
  if (status.code === 404) return { found: false };
  return { found: true, name: productInfo.productName, price: productInfo.price, currency: productInfo.currency };
}
`;
}

const soundRequest = "{ messageId: context.newId(), type: 'REQUEST', action: 'getProductInfo', productId: task.id }";

function complaint(errorDescription: string): JsonObject {
  return { action: 'fixErrorNegotiation', errorDescription, status: 'negotiating' };
}

/** Omits a required member for one product. */
const forgetful = perform(
  soundRequest.replace("type: 'REQUEST'", "...(task.id === 'K7001' ? {} : { type: 'REQUEST' })"),
);

const quoted = { messageId: 'abc', action: 'getProductInfo', productId: 'K7001' };

test('the stored handler sends the quoted request again, and the missing member confirms the complaint', async () => {
  const { job, record } = await solvedRequester('fixr-quoted');
  const stored = await storeInstead(rig, record, forgetful);
  const text = `# Error Description\n- Your request has no \`type\`:\n${JSON.stringify(quoted)}`;
  const data = { ...job, complaint: complaint(text) };
  const mended = await rig.outcomeOf({ ...data, handlerDigest: stored.digest, negotiationId: 'r1' }, { kind: 'fix' });
  assert.equal(mended.verdict, 'generated', JSON.stringify(mended.findings));
  assert.deepEqual(
    mended.messages.map(({ action, status }) => `${action} ${status}`),
    ['fixErrorNegotiation accepted', 'codeGeneration generated'],
  );
  assert.match(String(mended.messages[0]?.errorDescription), /^- Request data, at `\/type`/m);
  const sound = await rig.outcomeOf({ ...data, handlerDigest: record.digest, negotiationId: 'r2' }, { kind: 'fix' });
  assert.deepEqual([sound.verdict, sound.messages[0]?.status], ['clean', 'rejected']);
  const finding = sound.findings.at(-1);
  assert.deepEqual([finding?.in, finding?.code], ['request', 'DOCUMENT_COMPLAINT_UNFOUNDED']);
  assert.match(String(finding?.message), /the quoted request breaks it/);
});

test('an exchange is replayed with the answer that the peer quotes', async () => {
  const { job, record } = await solvedRequester('fixr-answer');
  // Sends a second request, without a member, where the first answer is unusual.
  const asksAgain = perform(
    soundRequest,
    `\n  if (status.code === 410) await context.send({ messageId: context.newId(), type: 'REQUEST', action: 'getProductInfo' });\n  if (status.code === 410) return { found: false };`,
  );
  const stored = await storeInstead(rig, record, asksAgain);
  const response = { messageId: 'abc', type: 'RESPONSE', status: { code: 410, message: 'Gone' }, productInfo: null };
  const exchange = { request: { ...quoted, type: 'REQUEST' }, response };
  const text = (pair: JsonObject) => `# Error Description\n- productId is missing.\n${JSON.stringify(pair)}`;
  const data = { ...job, handlerDigest: stored.digest };
  const shown = await rig.outcomeOf(
    { ...data, complaint: complaint(text(exchange)), negotiationId: 'r3' },
    { kind: 'fix' },
  );
  assert.deepEqual(
    [shown.verdict, shown.messages[0]?.status],
    ['generated', 'accepted'],
    JSON.stringify(shown.findings),
  );
  const usual = { ...exchange, response: { ...response, status: { code: 404, message: 'Product Not Found' } } };
  const hidden = await rig.outcomeOf(
    { ...data, complaint: complaint(text(usual)), negotiationId: 'r4' },
    { kind: 'fix' },
  );
  assert.deepEqual([hidden.verdict, hidden.messages[0]?.status], ['clean', 'rejected']);
});

test('tasks that nobody quoted are tried as well', async () => {
  const { job, record } = await solvedRequester('fixr-generated');
  const known = "['P12345', 'P99999'].includes(task.id)";
  const stored = await storeInstead(
    rig,
    record,
    perform(soundRequest.replace("'REQUEST'", `${known} ? 'REQUEST' : 1`)),
  );
  const data = {
    ...job,
    handlerDigest: stored.digest,
    complaint: complaint('- The type is no string.'),
    negotiationId: 'r5',
  };
  const outcome = await rig.outcomeOf(data, { kind: 'fix' });
  assert.deepEqual(
    [outcome.verdict, outcome.messages[0]?.status],
    ['generated', 'accepted'],
    JSON.stringify(outcome.findings),
  );
});

test('how a requester uses an answer is internal, so the peer cannot complain about it', async () => {
  const { job, record } = await solvedRequester('fixr-output');
  const stored = await storeInstead(
    rig,
    record,
    perform(soundRequest, '\n  if (status.code === 200) return { found: true };'),
  );
  const data = {
    ...job,
    handlerDigest: stored.digest,
    complaint: complaint('- Something is wrong.'),
    negotiationId: 'r6',
  };
  const outcome = await rig.outcomeOf(data, { kind: 'fix' });
  assert.deepEqual(
    [outcome.verdict, outcome.messages[0]?.status],
    ['clean', 'rejected'],
    JSON.stringify(outcome.findings),
  );
});

test('an invalid value that comes from the task is no fault of the requester', async () => {
  const mark = 'fixr-garbage';
  const { job, record } = await solvedRequester(mark);
  const agreement = job.agreement as JsonObject;
  const candidateProtocols = String(agreement.candidateProtocols).replace(
    '"productId": {\n      "type": "string",',
    '"productId": {\n      "type": "string",\n      "minLength": 1,',
  );
  assert.notEqual(candidateProtocols, agreement.candidateProtocols);
  const strict = { ...job, agreement: { ...agreement, candidateProtocols }, negotiationId: `${mark}-2` };
  const made = await rig.outcomeOf(strict);
  assert.equal(made.verdict, 'generated', JSON.stringify(made.findings));
  const data = {
    ...strict,
    handlerDigest: made.handler?.digest ?? '',
    complaint: complaint('- productId is empty.'),
    negotiationId: 'r7',
  };
  const outcome = await rig.outcomeOf(data, { kind: 'fix' });
  assert.deepEqual(
    [outcome.verdict, outcome.messages[0]?.status],
    ['clean', 'rejected'],
    JSON.stringify(outcome.findings),
  );
  assert.ok(record.digest);
});
