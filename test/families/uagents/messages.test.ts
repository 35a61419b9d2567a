import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { member } from '../../../src/contract/job-fault.ts';
import {
  acceptEnvelope,
  type Envelope,
  ERROR_MESSAGE_DIGEST,
  envelopeText,
  errorMessage,
  identityFromSeed,
  messageIn,
  type OpenProtocol,
  openProtocol,
  replyOf,
  requestOf,
  seal,
  signEnvelope,
} from '../../../src/families/uagents/door.ts';
import { encodePayload } from '../../../src/families/uagents/payload-text.ts';
import type { Json, JsonObject } from '../../../src/kernel/json.ts';
import { manifestOf, vectors } from './vectors.ts';

const [alice, bob] = [identityFromSeed('alice recovery password'), identityFromSeed('bob recovery password')];
const session = '9f6c1a52-6f1e-4b53-9d2a-3a2b8d7e1c04';

function opened(name: string): OpenProtocol {
  const protocol = openProtocol(manifestOf(name));
  assert.ok(protocol.ok, name);
  return protocol.protocol;
}

const weather = opened('weather');
const payment = opened('payment_protocol_spec');

function digestOf(title: string): string {
  return vectors('schema-digests').find(({ name }) => name === title)?.digest;
}

/** What an agent takes out of an envelope for it. */
function received(envelope: Envelope, protocol: OpenProtocol) {
  const taken = acceptEnvelope(envelopeText(envelope), [envelope.target]);
  assert.ok(taken.ok);
  return messageIn(taken, protocol);
}

function sent(payload: Json, protocol: OpenProtocol, model?: string): Envelope {
  const request = requestOf(payload, protocol, model);
  assert.ok(request.ok && request.message !== null, JSON.stringify(request));
  return seal(request.message, { target: bob.address, session, expires: 5n, nonce: 1n }, alice);
}

test('a request goes out signed and comes in as the payload it was; so does its reply', () => {
  const asked = { location: 'Cambridge', date: '2026-07-01' };
  const envelope = sent(asked, weather);
  assert.deepEqual([envelope.schema_digest, envelope.protocol_digest], [digestOf('WeatherRequest'), weather.digest]);
  assert.deepEqual(received(envelope, weather), { ok: true, model: 'WeatherRequest', payload: asked, isRequest: true });
  const answers: [JsonObject, string][] = [
    [{ temperature: 21.5, precipitation: 0, weatherCondition: 'sunny' }, 'WeatherResponse'],
    [{ error: 'No forecast' }, 'ErrorMessage'],
  ];
  for (const [answer, model] of answers) {
    const reply = replyOf(answer, envelope.schema_digest, weather);
    assert.ok(reply.ok && reply.message !== null);
    const back = seal(reply.message, { target: envelope.sender, session: envelope.session }, bob);
    assert.deepEqual(received(back, weather), { ok: true, model, payload: answer, isRequest: false });
  }
});

test('what is no reply to a request is not wrapped, and nothing answers a request that wants no reply', () => {
  const wrong: Json[] = [null, {}, { location: 'x', date: 'y' }, { error: 1 }, 'x', []];
  for (const answer of wrong) assert.equal(replyOf(answer, digestOf('WeatherRequest'), weather).ok, false);
  assert.equal(replyOf({ error: 'x' }, digestOf('WeatherResponse'), weather).ok, false);
  const chat = opened('AgentChatProtocol 0.3.0');
  assert.deepEqual(replyOf(null, digestOf('ChatAcknowledgement'), chat), { ok: true, message: null });
  assert.ok(replyOf({ error: 'x' }, digestOf('ChatAcknowledgement'), chat).ok);
  assert.equal(replyOf(null, digestOf('ChatMessage'), chat).ok, false);
});

test('models that their members do not tell apart are told by their mark, which does not go over the wire', () => {
  const envelope = sent({ $model: 'CancelPayment', transaction_id: 'tx' }, payment);
  assert.equal(envelope.schema_digest, digestOf('CancelPayment'));
  assert.equal(Buffer.from(envelope.payload ?? '', 'base64').toString(), '{"transaction_id":"tx"}');
  const message = received(envelope, payment);
  assert.deepEqual(message.ok && message.payload, { $model: 'CancelPayment', transaction_id: 'tx' });
  assert.equal(requestOf({ transaction_id: 'tx' }, payment).ok, false);
  const funds = { amount: '1', currency: 'FET', payment_method: 'fet_direct' };
  const commit = { funds, recipient: 'agent1', transaction_id: 'tx' };
  assert.equal(sent(commit, payment).schema_digest, digestOf('CommitPayment'));
});

test('an unknown model and a payload that breaks its model are told to the sender', () => {
  const tell = (changes: Partial<Envelope>) => {
    const message = received(
      signEnvelope({ ...sent({ location: 'x', date: 'y' }, weather), ...changes }, alice),
      weather,
    );
    return message.ok ? null : [message.fault, message.error];
  };
  assert.deepEqual(tell({ schema_digest: 'model:0' }), [
    'model-unknown',
    'Received message with unrecognized schema digest: model:0',
  ]);
  for (const payload of [null, '', encodePayload('{"location": "x"}'), encodePayload('nothing'), encodePayload('[]')])
    assert.equal(tell({ payload })?.[0], 'payload-invalid', String(payload));
  const told = seal(errorMessage('Received …'), { target: alice.address, session }, bob);
  assert.deepEqual(received(told, weather), {
    ok: true,
    model: 'ErrorMessage',
    payload: { error: 'Received …' },
    isRequest: false,
  });
  assert.equal(told.schema_digest, ERROR_MESSAGE_DIGEST);
});

test('members that a model does not know are passed over, as the peers do', () => {
  const payload = encodePayload('{"location": "x", "date": "y", "more": 1, "__proto__": {"x": 1}, "$model": "z"}');
  const message = received(signEnvelope({ ...sent({ location: 'x', date: 'y' }, weather), payload }, alice), weather);
  assert.deepEqual(message.ok && message.payload, { location: 'x', date: 'y' });
});

test('null in place of what may be left out, and times without a zone, are taken and refused as by pydantic', () => {
  for (const { manifest, payloads } of vectors('optional-members')) {
    const orders = openProtocol(manifest);
    assert.ok(orders.ok);
    const [asked] = orders.protocol.protocol.interactions;
    assert.ok(asked);
    const schema_digest = asked.request.digest;
    for (const { name, payload, accepted } of payloads) {
      const envelope = { ...sent({ location: 'x', date: 'y' }, weather), schema_digest };
      const message = messageIn({ envelope, text: JSON.stringify(payload) }, orders.protocol);
      assert.equal(message.ok, accepted, name);
      assert.equal(requestOf(payload, orders.protocol).ok, accepted, name);
    }
    for (const until of [null, '2026-03-04T05:06:07', '2026-03-04T05:06:07Z'])
      assert.equal(replyOf({ until }, schema_digest, orders.protocol).ok, true, String(until));
  }
});

test('only the key of a sender signs for it', () => {
  assert.throws(() => signEnvelope(sent({ location: 'x', date: 'y' }, weather), bob), /the key of another agent/);
});

test('a manifest that is at fault is not opened, and told by its findings', () => {
  const broken = openProtocol(manifestOf('weather').replace('City name', 'Town name'));
  assert.ok(!broken.ok);
  assert.deepEqual([...new Set(broken.findings.map(({ code }) => code))], ['DOCUMENT_DIGEST_MISMATCH']);
});

test('every payload of a protocol comes back as it went out', () => {
  const weatherRequest = fc.record({ location: fc.string(), date: fc.string() });
  const cancel = fc.record({ $model: fc.constant('CancelPayment'), reason: fc.string({ unit: 'grapheme' }) });
  for (const [protocol, payloads] of [
    [weather, weatherRequest],
    [payment, cancel],
  ] as const)
    fc.assert(
      fc.property(payloads as fc.Arbitrary<JsonObject>, (payload) => {
        const message = received(sent({ ...payload }, protocol), protocol);
        assert.deepEqual(message.ok && message.payload, { ...payload });
      }),
      { numRuns: 30 },
    );
});

test('a peer cannot write the mark of a model, nor break a text by the digest it sends', () => {
  const open = structuredClone(payment);
  for (const { request, replies } of open.protocol.interactions)
    for (const model of [request, ...replies])
      Object.assign(model.schema as JsonObject, { additionalProperties: true });
  const envelope = sent({ $model: 'CancelPayment', transaction_id: 'tx' }, payment);
  const message = messageIn({ envelope, text: '{"$model":"RejectPayment","transaction_id":"tx"}' }, open);
  assert.deepEqual(message.ok && member(message.payload, '$model'), 'CancelPayment');

  const cut = { ...envelope, schema_digest: `${'x'.repeat(119)}\u{1f600}` };
  const unknown = messageIn({ envelope: cut, text: '{}' }, payment);
  assert.ok(!unknown.ok && unknown.error.isWellFormed());
});
