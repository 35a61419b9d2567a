import assert from 'node:assert/strict';
import { test } from 'node:test';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import fc from 'fast-check';
import {
  acceptEnvelope,
  answerSubmit,
  decodeBech32,
  type Envelope,
  encodeBech32,
  envelopeDigest,
  envelopeText,
  IdentityFault,
  identityFromSeed,
  identityOf,
  readEnvelope,
  signDigest,
  signEnvelope,
  verifyDigest,
  verifyEnvelope,
} from '../../../src/families/uagents/door.ts';
import { decodePayload, encodePayload } from '../../../src/families/uagents/payload-text.ts';
import { vectors } from './vectors.ts';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const fromHex = (text: string) => new Uint8Array(Buffer.from(text, 'hex'));
const [alice, bob] = [identityFromSeed('alice recovery password'), identityFromSeed('bob recovery password')];

function envelope(changes: Partial<Envelope> = {}): Envelope {
  return {
    version: 1n,
    sender: alice.address,
    target: bob.address,
    session: '9f6c1a52-6f1e-4b53-9d2a-3a2b8d7e1c04',
    schema_digest: 'model:29f75d79d429d3b533c9a956e3592ce146cd77443f6788ba81cb4e6f7f957e05',
    protocol_digest: null,
    payload: encodePayload('{"message": "hello"}'),
    expires: 1_893_456_000n,
    nonce: 7n,
    signature: null,
    ...changes,
  };
}

/** What stands in a text for an envelope's expectations: `true` where it is read and verified. */
function isTaken(text: string): boolean {
  const read = readEnvelope(text);
  return read.ok && verifyEnvelope(read.envelope).ok;
}

test('keys and addresses are those that the peers derive', () => {
  for (const { seed, index, privateKey, address } of vectors('identities')) {
    const identity = identityFromSeed(seed, index);
    assert.deepEqual([hex(identity.privateKey), identity.address], [privateKey, address]);
    assert.equal(identityOf(fromHex(privateKey)).address, address);
  }
  assert.throws(() => identityFromSeed('x', 256), RangeError);
});

test('texts of Bech32 are read, or refused in the words of the peers', () => {
  for (const { name, value, result } of vectors('bech32')) {
    if (result.ok) assert.deepEqual(decodeBech32(value), { prefix: result.prefix, bytes: fromHex(result.hex) }, name);
    else assert.throws(() => decodeBech32(value), { message: result.error.replace('ValueError: ', '') }, name);
  }
});

test('signatures of the peers are taken, with a high s as with a low one', () => {
  for (const { address, digestHex, signature } of vectors('upstream-known-signatures'))
    if (signature !== undefined) verifyDigest(address, fromHex(digestHex), signature);
  for (const { name, json, signatures } of vectors('envelopes')) {
    const read = readEnvelope(json);
    assert.ok(read.ok, name);
    for (const signature of Object.values(signatures).filter((value) => typeof value === 'string'))
      assert.deepEqual(verifyEnvelope({ ...read.envelope, signature }), { ok: true, sender: 'agent' }, name);
  }
});

test('an envelope has the digest, the signature, the payload and the text that the peers give it', () => {
  for (const { name, json, privateKey, digestHex, signatures, decodedPayload } of vectors('envelopes')) {
    const read = readEnvelope(json);
    assert.ok(read.ok, name);
    assert.equal(hex(envelopeDigest(read.envelope)), digestHex, name);
    const signed = signEnvelope({ ...read.envelope, signature: null }, identityOf(fromHex(privateKey)));
    assert.equal(signed.signature, signatures.lowS, name);
    assert.deepEqual(decodePayload(read.envelope.payload), { ok: true, text: decodedPayload }, name);
    assert.equal(envelopeText(read.envelope), json, name);
  }
});

test('an envelope in which anything signed was changed is refused', () => {
  for (const { name, json } of vectors('envelopes')) {
    const read = readEnvelope(json);
    assert.ok(read.ok && read.envelope.signature !== null, name);
    const given = read.envelope;
    const [other] = [alice, bob].filter(({ address }) => address !== given.sender);
    const changes: Partial<Envelope>[] = [
      { sender: other?.address ?? '' },
      { target: `${given.target}x` },
      { session: '9f6c1a52-6f1e-4b53-9d2a-3a2b8d7e1c05' },
      { schema_digest: `${given.schema_digest}0` },
      { payload: `${given.payload ?? ''}=` },
      { expires: (given.expires ?? 0n) + 1n },
      { nonce: given.nonce === null ? 0n : given.nonce - 1n },
      { signature: null },
      { signature: given.sender },
      { signature: `${given.signature?.slice(0, -1)}q` },
      { signature: encodeBech32('sig', new Uint8Array(64)) },
      { signature: encodeBech32('sig', new Uint8Array(63)) },
      { sender: encodeBech32('agent', new Uint8Array(33)) },
      { sender: given.signature ?? '' },
      { expires: -1n },
      { nonce: 1n << 64n },
    ];
    for (const change of changes)
      assert.equal(verifyEnvelope({ ...given, ...change }).ok, false, JSON.stringify(Object.keys(change)));
    for (const change of [{ version: 2n }, { protocol_digest: 'proto:x' }])
      assert.ok(verifyEnvelope({ ...given, ...change }).ok, 'no part of the digest');
  }
});

test('the endpoint answers as that of the peers does', () => {
  const agent = alice.address;
  for (const { name, request, status, headers, body, delivered } of vectors('submit-endpoint-cases')) {
    const answer = answerSubmit(request, [agent]);
    assert.equal(answer.status, status ?? 500, name);
    assert.equal(answer.accepted === undefined ? 0 : 1, delivered, name);
    if (status === null) continue;
    assert.deepEqual(answer.headers, headers, name);
    if (answer.isAwaited !== true) assert.equal(answer.body, body, name);
  }
});

test('a sender whose address begins with user is verified by nobody, and that is told', () => {
  const text = envelopeText(envelope({ sender: 'user1qqqqqqqqqq' }));
  const taken = acceptEnvelope(text, [bob.address]);
  assert.deepEqual([taken.ok, taken.ok && taken.isVerified], [true, false]);
  const refused = acceptEnvelope(text, [bob.address], { unverified: true });
  assert.deepEqual(!refused.ok && refused.error, 'Message must be sent from verified agent address');
});

test('expired envelopes and repeated nonces are taken as the peers take them, and refused where that is asked for', () => {
  const old = envelopeText(signEnvelope(envelope({ expires: 1_000_000_000n }), alice));
  assert.ok(acceptEnvelope(old, [bob.address]).ok);
  const faultOf = (text: string, refusals: Parameters<typeof acceptEnvelope>[2]) => {
    const taken = acceptEnvelope(text, [bob.address], refusals);
    return taken.ok ? null : taken.fault;
  };
  assert.equal(faultOf(old, { expiredAt: 1_700_000_000 }), 'expired');
  assert.equal(faultOf(envelopeText(signEnvelope(envelope(), alice)), { expiredAt: 1_700_000_000 }), null);
  const seen = new Set<string>();
  const repeats = (sender: string, nonce: bigint) => {
    const key = `${sender} ${nonce}`;
    return seen.size === seen.add(key).size;
  };
  const once = envelopeText(signEnvelope(envelope(), alice));
  assert.deepEqual([faultOf(once, { repeats }), faultOf(once, { repeats })], [null, 'repeated']);
  const forged = envelopeText(envelope({ nonce: 8n, signature: null }));
  assert.equal(faultOf(forged, { repeats }), 'unverified');
  assert.equal(faultOf(envelopeText(signEnvelope(envelope({ nonce: 8n }), alice)), { repeats }), null);
});

test('an envelope whose nonce was moved to expires verifies, and evades neither refusal', () => {
  const signed = signEnvelope(envelope({ expires: null, nonce: 4_000_000_000n }), alice);
  const moved = envelopeText({ ...signed, expires: signed.nonce, nonce: null });
  const back = envelopeText(signed);
  assert.ok(acceptEnvelope(moved, [bob.address]).ok);
  const faults = [
    acceptEnvelope(moved, [bob.address], { repeats: () => false }),
    acceptEnvelope(back, [bob.address], { expiredAt: 1_700_000_000 }),
  ];
  assert.deepEqual(
    faults.map((taken) => !taken.ok && taken.fault),
    ['repeated', 'expired'],
  );
});

test('what the peers read as an envelope is read, and what they do not is not', () => {
  const signed = signEnvelope(envelope({ expires: 5n, nonce: 6n }), alice);
  const text = envelopeText(signed);
  const withMember = (name: string, value: string) =>
    text.replace(new RegExp(`"${name}":[^,}]+`), `"${name}":${value}`);
  const same: [string, string][] = [
    ['version', '"1"'],
    ['version', 'true'],
    ['expires', '5.0'],
    ['expires', '" 5 "'],
    ['nonce', '6e0'],
    ['nonce', '"+0_6.0"'],
    ['session', '"9F6C1A526F1E4B539D2A3A2B8D7E1C04"'],
    ['session', '"urn:uuid:9f6c1a52-6f1e-4b53-9d2a-3a2b8d7e1c04"'],
    ['session', '"{9f6c1a52-6f1e-4b53-9d2a-3a2b8d7e1c04}"'],
  ];
  for (const [name, value] of same) assert.ok(isTaken(withMember(name, value)), `${name}: ${value}`);
  assert.ok(isTaken(text.replace('{', '{"__proto__": {"payload": 1}, "more": [1e2],')));
  const others: [string, string][] = [
    ['version', 'null'],
    ['version', '1.5'],
    ['sender', '1'],
    ['session', '"9f6c1a52-6f1e-1b53-9d2a-3a2b8d7e1c04"'],
    ['session', '"9f6c1a526f1e-4b53-9d2a-3a2b8d7e1c04"'],
    ['session', '""'],
    ['session', '"{9f6c1a526f1e4b539d2a3a2b8d7e1c04}"'],
    ['session', '"9f6c1a52-6f1e-4b53-0d2a-3a2b8d7e1c04"'],
    ['expires', '"5."'],
    ['expires', '"+-5"'],
    ['expires', '1e400'],
    ['payload', '{}'],
    ['expires', '"x"'],
    ['nonce', '[]'],
    ['signature', 'false'],
  ];
  for (const [name, value] of others) {
    const read = readEnvelope(withMember(name, value));
    assert.deepEqual(read, { ok: false, error: 'contents do not match envelope schema' }, `${name}: ${value}`);
  }
  for (const body of ['', '{', '\ufeff{}', '['.repeat(100_000), new Uint8Array([0xff]), new Uint8Array()])
    assert.deepEqual(readEnvelope(body), { ok: false, error: 'empty or invalid payload' });
});

test('bytes come back out of Bech32, and a text with one other character holds none', () => {
  const alphabet = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
  fc.assert(
    fc.property(
      fc.constantFrom('agent', 'sig', 'user'),
      fc.uint8Array({ minLength: 1, maxLength: 80 }),
      fc.nat(),
      fc.integer({ min: 1, max: 31 }),
      (prefix, bytes, place, step) => {
        const text = encodeBech32(prefix, bytes);
        assert.deepEqual(decodeBech32(text), { prefix, bytes });
        assert.deepEqual(decodeBech32(text.toUpperCase()), { prefix, bytes });
        const at = prefix.length + 1 + (place % (text.length - prefix.length - 1));
        const other = alphabet[(alphabet.indexOf(text[at] ?? '') + step) % 32];
        assert.throws(() => decodeBech32(`${text.slice(0, at)}${other}${text.slice(at + 1)}`), IdentityFault);
      },
    ),
  );
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      try {
        decodeBech32(text);
      } catch (error) {
        assert.ok(error instanceof IdentityFault);
      }
    }),
  );
});

test('what is written is read again and verifies; members that nobody knows change nothing', () => {
  const uint64 = fc.option(fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }));
  fc.assert(
    fc.property(
      fc.record({
        expires: uint64,
        nonce: uint64,
        payload: fc.option(fc.string({ unit: 'grapheme' }).map(encodePayload)),
      }),
      fc.uuid({ version: 4 }),
      fc.jsonValue({ maxDepth: 2 }),
      (changes, session, more) => {
        const signed = signEnvelope(envelope({ ...changes, session }), alice);
        const text = envelopeText(signed);
        assert.deepEqual(readEnvelope(text), { ok: true, envelope: signed });
        const extended = `{"x-more":${JSON.stringify(more)},${text.slice(1)}`;
        assert.deepEqual(readEnvelope(extended), { ok: true, envelope: signed });
        assert.ok(isTaken(extended));
      },
    ),
    { numRuns: 30 },
  );
});

test('whatever comes as a body, nothing throws', () => {
  fc.assert(
    fc.property(fc.oneof(fc.json(), fc.uint8Array(), fc.string({ unit: 'binary' })), (body) => {
      assert.equal(acceptEnvelope(body, []).ok, false);
    }),
  );
  const fields = Object.keys(envelope());
  const anything = fc.jsonValue({ maxDepth: 2 });
  fc.assert(
    fc.property(fc.constantFrom(...fields), anything, (name, value) => {
      const mutated = { ...JSON.parse(envelopeText(signEnvelope(envelope(), alice))), [name]: value };
      acceptEnvelope(JSON.stringify(mutated), [bob.address]);
    }),
  );
});

test('an address may hold the public key in any of its forms', () => {
  const { bytes } = decodeBech32(alice.address);
  const whole = secp256k1.Point.fromBytes(bytes).toBytes(false);
  const parity = (whole[64] ?? 0) & 1;
  const digest = new Uint8Array(32).fill(7);
  const signature = signDigest(digest, alice);
  for (const key of [bytes, whole, whole.subarray(1), Uint8Array.of(6 + parity, ...whole.subarray(1))])
    verifyDigest(encodeBech32('agent', key), digest, signature);
  for (const key of [
    Uint8Array.of(7 - parity, ...whole.subarray(1)),
    whole.subarray(2),
    Uint8Array.of(5, ...bytes.subarray(1)),
  ])
    assert.throws(() => verifyDigest(encodeBech32('agent', key), digest, signature), /Malformed public key/);
});

test('payloads are read as Python reads base64', () => {
  const texts: [string, string | undefined][] = [
    ['', ''],
    ['e30=', '{}'],
    ['e30=e30=', '{}'],
    ['e3\n0', undefined],
    ['e\u00a030=', undefined],
    // What comes after the padding is not decoded, and still may not be outside ASCII.
    ['e30=\u00e9', undefined],
    ['%%%', ''],
    ['=e30=', '{}'],
    ['e-30_=', '{}'],
    ['e', undefined],
    ['//4=', undefined],
  ];
  for (const [payload, text] of texts) {
    const read = decodePayload(payload);
    assert.equal(read.ok ? read.text : undefined, text, payload);
  }
});
