import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Amendment } from '../../src/contract/finding.ts';
import type { HandlerRecord } from '../../src/contract/handler.ts';
import type { Outcome } from '../../src/contract/outcome.ts';
import { sha256Hex } from '../../src/kernel/digest.ts';
import type { JsonObject } from '../../src/kernel/json.ts';
import { recordOf, solved } from '../kinds/stored.ts';
import { example, sharedRig, soundReply } from '../system/harness.ts';

const rig = await sharedRig();

/** Changes a stored handler's record so that it was made with these amendments. */
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

/** The end of a complaint, and the place that it is about. */
function end({ verdict, messages, findings }: Outcome): unknown[] {
  const finding = findings.at(-1);
  return [verdict, messages[0]?.status, finding?.code, finding?.in, finding?.pointer];
}

const contested = 'DOCUMENT_AMENDMENT_CONTESTED';
const unfounded = 'DOCUMENT_COMPLAINT_UNFOUNDED';

test('a member that an amendment made optional is an amended place; others are not', async () => {
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

test('an amendment of a whole message does not make each of its places an amended one', async () => {
  const { job, record } = await solved(rig, 'contested-whole');
  await amended(record, [
    { of: 'responseSchema', patch: [{ op: 'replace', path: '/type', value: ['object', 'null'] }] },
  ]);
  const outcome = await complained(job, record, '`/status/code` is a text');
  assert.deepEqual(end(outcome), ['clean', 'rejected', unfounded, 'response', '/status/code']);
});

test('a peer that complains about an amendment is told of the dispute, even if it had said that it cannot be told', async () => {
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

test('a place behind a reference is amended wherever the reference is used, and in any item of a list', async () => {
  const { job, record } = await solved(rig, 'contested-referred');
  const agreement = job.agreement as JsonObject;
  const info = {
    type: 'object',
    required: ['id'],
    properties: { id: { type: 'string' }, owner: { $ref: '#/$defs/Owner' } },
  };
  const schema = JSON.stringify({
    type: 'object',
    properties: { info: { $ref: '#/$defs/Info' }, parts: { type: 'array', items: { $ref: '#/$defs/Info' } }, code: {} },
    $defs: { Owner: { type: 'object', properties: { code: {} } }, Info: info },
  });
  const document = `# Requirements\nTell.\n\n## Request Message\n\`\`\`json\n{"type":"object"}\n\`\`\`\n\n## Response Message\n\`\`\`json\n${schema}\n\`\`\`\n`;
  const other = { ...job, agreement: { ...agreement, candidateProtocols: document }, testCases: [] };
  const of = 'responseSchema';
  const provenance = { ...record.provenance, protocolHash: sha256Hex(document) };
  const about = async (path: string, op: 'add' | 'remove', complaint: string) => {
    const patch = [{ op, path, ...(op === 'add' ? { value: ['object', 'null'] } : {}) }];
    await amended({ ...record, provenance, proof: { ...record.proof, cases: [] } }, [{ of, patch }]);
    return end(await complained(other as JsonObject, record, complaint));
  };
  const disputed = (pointer: string) => ['disputed', 'negotiating', contested, 'response', pointer];
  assert.deepEqual(await about('/$defs/Info/type', 'add', '`/info` is null'), disputed('/info'));
  assert.deepEqual(await about('/$defs/Info/type', 'add', '`/parts/3` is null'), disputed('/parts'));
  assert.deepEqual(await about('/$defs/Owner/type', 'add', '`/parts/0/owner` is null'), disputed('/parts/owner'));
  assert.deepEqual(await about('/$defs/Info/required/0', 'remove', '`/info/id` is missing'), disputed('/info/id'));
  assert.equal((await about('/$defs/Owner/properties/code/type', 'add', '`/code` is missing'))[0], 'clean');
});

test('a quoted message contests the amendment that it satisfies, where it breaks the schema as agreed', async () => {
  const mark = 'contested-quoted';
  rig.answer(mark, () => ({ kind: 'reply', text: soundReply }));
  const base = example('anp-product-en.amended');
  const document = String(base.agreement.candidateProtocols);
  const referring = document.replace(
    /"productInfo": (\{.*?\n {4}\})\n {2}\},/s,
    '"productInfo": {"$ref": "#/$defs/Product"}}, "$defs": {"Product": $1},',
  );
  assert.notEqual(referring, document);
  const agreement = { ...base.agreement, candidateProtocols: `${referring}\nReference: ${mark}\n` };
  const job: JsonObject = { ...base, agreement, tenant: mark, negotiationId: mark, timeoutMs: 120_000 };
  const record = await recordOf(rig, await rig.outcomeOf(job));
  assert.deepEqual(
    record.amendments.map(({ patch }) => patch.map(({ path }) => path)),
    [['/$defs/Product/type']],
  );
  const quoted = { messageId: 'm-1', type: 'RESPONSE', status: { code: 404, message: 'None' }, productInfo: null };
  const about = async (words: string, value?: JsonObject) =>
    end(await complained(job, record, `${words}${value === undefined ? '' : `: ${JSON.stringify(value)}`}`)).slice(
      0,
      3,
    );
  const disputed = ['disputed', 'negotiating', 'DOCUMENT_CASE_VIOLATES_SCHEMA'];
  assert.deepEqual(await about('`/productInfo` is null, the schema wants an object.'), disputed);
  assert.deepEqual(await about('response violates the schema', quoted), disputed);
  assert.deepEqual(await about('that with messageId m-1 is wrong', quoted), disputed);
  assert.deepEqual(await about('wrong', { request: { productId: 'P1' }, response: quoted }), disputed);
  const { productInfo: _, ...lacking } = quoted;
  for (const [words, value] of [
    ['`/status/code` is a text', quoted],
    ['wrong', { ...quoted, status: { code: '404', message: 'None' } }],
    ['wrong', lacking],
  ] as const)
    assert.deepEqual(await about(words, value), ['clean', 'rejected', unfounded], words);
});
