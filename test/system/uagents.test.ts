import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createProducer } from '../../src/client/producer.ts';
import {
  acceptEnvelope,
  ERROR_MESSAGE_DIGEST,
  envelopeText,
  identityFromSeed,
  messageIn,
  openProtocol,
  replyOf,
  requestOf,
  seal,
  verifyEnvelope,
} from '../../src/families/uagents/door.ts';
import type { JsonObject } from '../../src/kernel/json.ts';
import { loadHandler } from '../../src/sandbox-door.ts';
import { type Rig, root, startRig } from './harness.ts';

const fixtures = join(root, 'fixtures/families/uagents');
const folders = ['chat', 'weather', 'weather-requester', 'payment-seller'];

let rig: Rig;

before(async () => {
  rig = await startRig();
  await rig.worker({ PROTOSMITH_READING: 'off', PROTOSMITH_MAX_CANDIDATES: '2' });
});

after(() => rig.close());

/**
 * The job of a fixture. Its mark stands in the metadata of the manifest, which are not part of its digest: a tenant of
 * its own keeps handlers apart.
 */
function marked(folder: string, mark: string, more: JsonObject = {}): JsonObject & { testCases: JsonObject[] } {
  const job = JSON.parse(readFileSync(join(fixtures, folder, 'job.json'), 'utf8'));
  const { manifest } = job.agreement;
  const parsed = typeof manifest === 'string' ? JSON.parse(manifest) : manifest;
  const agreement = { manifest: { ...parsed, metadata: { ...parsed.metadata, name: mark } } };
  return { ...job, agreement, negotiationId: mark, tenant: mark, ...more };
}

function answerWith(mark: string, folder: string, file: string): void {
  const source = readFileSync(join(fixtures, folder, file), 'utf8');
  rig.answer(mark, () => ({ kind: 'reply', text: `\`\`\`ts\n${source}\n\`\`\`` }));
}

for (const folder of folders)
  for (const file of readdirSync(join(fixtures, folder)).filter((name) => name.endsWith('.ts'))) {
    const mark = `${folder}-${file.replace('.ts', '')}`;
    const isSound = file === 'sound.ts';
    test(`${mark} ${isSound ? 'is a handler' : 'is none'}`, async () => {
      answerWith(mark, folder, file);
      const outcome = await rig.outcomeOf(marked(folder, mark));
      assert.equal(
        outcome.verdict,
        isSound ? 'generated' : 'error',
        JSON.stringify([outcome.findings, outcome.report.attempts]),
      );
      assert.ok(rig.questions(mark).length > 0);
      if (isSound) return assert.deepEqual(outcome.messages, []);
      const wanted = file === 'table.ts' ? 'CANDIDATE_CHECKS_FAILED' : 'CANDIDATE_CASES_FAILED';
      assert.equal(outcome.report.attempts[0]?.code, wanted, JSON.stringify(outcome.report.attempts[0]));
      assert.equal(outcome.messages[0]?.schema_digest, ERROR_MESSAGE_DIGEST);
    });
  }

test('a message comes in an envelope, the stored handler answers it, and the reply goes out signed', async () => {
  const mark = 'chat-over-the-wire';
  answerWith(mark, 'chat', 'sound.ts');
  const job = marked('chat', mark);
  const { handler } = await rig.outcomeOf(job);
  assert.ok(handler);
  const protocol = openProtocol(JSON.stringify((job.agreement as JsonObject).manifest));
  assert.ok(protocol.ok);
  const [alice, bob] = [identityFromSeed('alice'), identityFromSeed('bob')];
  const session = '9f6c1a52-6f1e-4b53-9d2a-3a2b8d7e1c04';
  const msg_id = 'a3f1b2c4-0d5e-4f6a-8b7c-9d0e1f2a3b4c';
  const content = [{ type: 'text', text: 'Good morning' }];
  const request = requestOf({ timestamp: '2026-05-01T08:00:00Z', msg_id, content }, protocol.protocol);
  assert.ok(request.ok && request.message !== null);
  const body = envelopeText(seal(request.message, { target: bob.address, session }, alice));

  const accepted = acceptEnvelope(body, [bob.address]);
  assert.ok(accepted.ok && accepted.isVerified);
  const message = messageIn(accepted, protocol.protocol);
  assert.ok(message.ok && message.isRequest);
  const producer = createProducer({ url: rig.redis.url });
  const loaded = await loadHandler(await producer.handlerOf(handler.digest, mark), {});
  const { value } = await loaded.run(message.payload).finally(() => loaded.close());
  await producer.close();
  const reply = replyOf(value ?? null, accepted.envelope.schema_digest, protocol.protocol);
  assert.ok(reply.ok && reply.message !== null, JSON.stringify([value, reply]));
  assert.equal(Object(reply.message.payload).acknowledged_msg_id, msg_id);
  const sealed = seal(reply.message, { target: accepted.envelope.sender, session }, bob);
  assert.deepEqual(verifyEnvelope(sealed), { ok: true, sender: 'agent' });
});

test('a handler made for a protocol is found by its digest, whatever the manifest calls it', async () => {
  const mark = 'weather-known';
  answerWith(mark, 'weather', 'sound.ts');
  const first = await rig.outcomeOf(marked('weather', mark));
  const again = await rig.outcomeOf({ ...marked('weather', 'weather-renamed'), tenant: mark });
  assert.deepEqual([first.verdict, again.verdict], ['generated', 'generated']);
  assert.equal(again.report.reused, true);
  assert.equal(again.handler?.digest, first.handler?.digest);
  assert.equal(rig.questions('weather-renamed').length, 0);
});

test('a case whose reply belongs to no request is disputed as an ErrorMessage, before a token is spent', async () => {
  const mark = 'weather-disputed';
  const job = marked('weather', mark);
  const wrong = {
    request: { location: 'Oslo', date: '2026-07-01' },
    response: { location: 'Oslo', date: '2026-07-01' },
  };
  const outcome = await rig.outcomeOf({ ...job, testCases: [...job.testCases, wrong] });
  assert.equal(outcome.verdict, 'disputed');
  assert.deepEqual(
    [...new Set(outcome.findings.map(({ code, testCase }) => `${code} ${testCase}`))],
    ['DOCUMENT_CASE_VIOLATES_SCHEMA 4'],
  );
  const [message] = outcome.messages;
  assert.equal(message?.schema_digest, ERROR_MESSAGE_DIGEST);
  assert.match(String(Object(message?.payload).error), /Cannot validate response of case 4/);
  assert.deepEqual(outcome.proposals, []);
  assert.equal(rig.questions(mark).length, 0);
});

test('an answer to a message that wants none is disputed', async () => {
  const job = marked('chat', 'chat-disputed');
  const [message = {}, , acknowledgement = {}] = job.testCases;
  const answered = { ...acknowledgement, response: message.response ?? null };
  const outcome = await rig.outcomeOf({ ...job, testCases: [message, answered] });
  assert.equal(outcome.verdict, 'disputed');
  assert.deepEqual(
    outcome.findings.filter(({ severity }) => severity === 'error').map(({ code, testCase }) => [code, testCase]),
    [['DOCUMENT_CASE_VIOLATES_SCHEMA', 2]],
  );
});

test('a model that was changed behind its digest is disputed', async () => {
  const job = marked('weather', 'weather-changed');
  const { manifest } = job.agreement as { manifest: { models: { schema: JsonObject }[] } };
  Object.assign(manifest.models[0]?.schema ?? {}, { description: 'changed' });
  const { protocolHash: _, ...rest } = job;
  const outcome = await rig.outcomeOf(rest);
  assert.equal(outcome.verdict, 'disputed');
  assert.ok(outcome.findings.every(({ code }) => code === 'DOCUMENT_DIGEST_MISMATCH'));
  assert.equal(outcome.messages[0]?.schema_digest, ERROR_MESSAGE_DIGEST);
});

test('an ErrorMessage of the peer is a complaint, and is answered by one where nothing bears it out', async () => {
  const mark = 'weather-complaint';
  answerWith(mark, 'weather', 'sound.ts');
  const job = marked('weather', mark);
  const { handler } = await rig.outcomeOf(job);
  const fix = { ...job, handlerDigest: handler?.digest ?? '', complaint: { error: 'Something is wrong' } };
  const outcome = await rig.outcomeOf(fix, { kind: 'fix' });
  assert.deepEqual(
    [outcome.verdict, outcome.messages.map(({ schema_digest }) => schema_digest)],
    ['clean', [ERROR_MESSAGE_DIGEST]],
  );
});
