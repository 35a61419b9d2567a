import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Amendment } from '../../src/contract/finding.ts';
import type { HandlerRecord } from '../../src/contract/handler.ts';
import type { Outcome } from '../../src/contract/outcome.ts';
import type { JsonObject } from '../../src/kernel/json.ts';
import { recordOf, solved } from '../kinds/stored.ts';
import { example, soundReply, startRig } from '../system/harness.ts';

const rig = await startRig();
after(() => rig.close());
await rig.worker();

/** Has a stored handler's record say that it was made under these amendments. */
async function amended(record: HandlerRecord, amendments: readonly Amendment[]): Promise<void> {
  const key = rig.keys.handler(record.provenance.tenant, record.digest);
  await rig.connection.set(key, JSON.stringify({ ...record, amendments }));
}

let complaints = 0;

async function complained(job: JsonObject, { digest }: { digest: string }, about: string): Promise<Outcome> {
  complaints += 1;
  const complaint = { action: 'fixErrorNegotiation', errorDescription: `- ${about}`, status: 'negotiating' };
  const negotiationId = `contested-${complaints}`;
  return rig.outcomeOf({ ...job, handlerDigest: digest, complaint, negotiationId }, { kind: 'fix' });
}

/** What became of a complaint, and the place that it is about. */
function end({ verdict, messages, findings }: Outcome): unknown[] {
  const finding = findings.at(-1);
  return [verdict, messages[0]?.status, finding?.code, finding?.in, finding?.pointer];
}

const contested = 'DOCUMENT_AMENDMENT_CONTESTED';
const unfounded = 'DOCUMENT_COMPLAINT_UNFOUNDED';

test('a member that need not be there since an amendment is an amended place; others are none', async () => {
  const { job, record } = await solved(rig, 'contested-required');
  for (const [of, place, pointer] of [
    ['responseSchema', '/required/3', '/productInfo'],
    ['responseSchema', '/properties/status/required/1', '/status/message'],
    ['requestSchema', '/required/3', '/productId'],
  ] as const) {
    await amended(record, [{ of, patch: [{ op: 'remove', path: place }] }]);
    const side = of === 'requestSchema' ? 'request' : 'response';
    assert.deepEqual(end(await complained(job, record, `\`${pointer}\` is missing`)), [
      'disputed',
      'negotiating',
      contested,
      side,
      pointer,
    ]);
    const name = pointer.split('/').at(-1);
    assert.deepEqual(end(await complained(job, record, `消息中的${name}为null，应为对象。`)).slice(0, 3), [
      'disputed',
      'negotiating',
      contested,
    ]);
    const other = await complained(job, record, '`/messageId` is a number');
    assert.deepEqual(end(other), ['clean', 'rejected', unfounded, 'response', '/messageId']);
  }
});

test('an amendment of a message as a whole makes no place of it an amended one', async () => {
  const { job, record } = await solved(rig, 'contested-whole');
  await amended(record, [
    { of: 'responseSchema', patch: [{ op: 'replace', path: '/type', value: ['object', 'null'] }] },
  ]);
  const outcome = await complained(job, record, '`/status/code` is a text');
  assert.deepEqual(end(outcome), ['clean', 'rejected', unfounded, 'response', '/status/code']);
});

test('a peer that complains of what was amended is told, though it said that it cannot be', async () => {
  const mark = 'contested-told';
  rig.answer(mark, () => ({ kind: 'reply', text: soundReply }));
  const { onContradiction: _, ...base } = example('anp-product-en.amended');
  const job: JsonObject = { ...base, tenant: mark, negotiationId: mark, peerCapabilities: ['codeGeneration'] };
  const made = await rig.outcomeOf({ ...job, timeoutMs: 120_000 });
  assert.equal(made.verdict, 'generated', JSON.stringify(made.findings));
  const outcome = await complained(
    job,
    await recordOf(rig, made),
    '`/productInfo` is null, and the schema wants an object',
  );
  assert.deepEqual([outcome.verdict, outcome.messages[0]?.status], ['disputed', 'negotiating']);
  assert.ok((outcome.proposals ?? []).length > 0);
});
