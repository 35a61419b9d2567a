import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ed25519 } from '@noble/curves/ed25519.js';
import { p256 } from '@noble/curves/nist.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { base58 } from '@scure/base';
import fc from 'fast-check';
import { multibase, toBase64url, toMultibase } from '../../../src/families/agent-description/multibase.ts';
import { type Suite, signDocument, verifyProof } from '../../../src/families/agent-description/proof.ts';
import { canonicalJson } from '../../../src/kernel/digest.ts';
import type { Json, JsonObject } from '../../../src/kernel/json.ts';

const read = (path: string) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
const vectors = '../../../fixtures/families/agent-description/vectors';
const signed: {
  didDocuments: Record<string, JsonObject>;
  cases: { name: string; document: JsonObject; didDocument?: string; wanted: JsonObject }[];
} = read(`${vectors}/signed-descriptions.json`);

for (const { name, document, didDocument, wanted } of signed.cases)
  test(`${name}: ${wanted.status}`, () => {
    const known = didDocument === undefined ? {} : { didDocument: signed.didDocuments[didDocument] ?? null };
    const report: JsonObject = { ...verifyProof(document, { ...known, signer: String(document.did) }) };
    const { reason: _, did: __, domain, challenge, ...rest } = report;
    assert.deepEqual(rest, wanted, JSON.stringify(report));
    const { proof = {} } = document;
    if (wanted.status === 'verified')
      assert.deepEqual([domain, challenge], [Object(proof).domain, Object(proof).challenge]);
    if (wanted.status === 'wrong') assert.match(String(report.reason), /^found .+/);
  });

for (const [name, suite] of [
  ['e1', 'eddsa-jcs-2022'],
  ['k1', 'didwba-jcs-ecdsa-secp256k1-2025'],
] as const)
  test(`the ${name} DID document of an SDK carries its own proof, and no changed one does`, () => {
    const document: JsonObject = read(`${vectors}/${name}.did.json`);
    const report = verifyProof(document, { didDocument: document, signer: String(document.id) });
    assert.deepEqual(
      [report.status, 'suite' in report && report.suite, 'rule' in report && report.rule],
      ['verified', suite, 'two-hash'],
    );
    const changed = { ...document, keyAgreement: [] };
    assert.equal(verifyProof(changed, { didDocument: changed }).status, 'wrong');
  });

test('a signed object of an SDK is verified with the DID document of its issuer', () => {
  const golden = read(`${vectors}/object-proof.json`);
  const didDocument = golden.did_document;
  const report = verifyProof(golden.did_wba_binding, { didDocument, signer: golden.issuer_did });
  assert.deepEqual([report.status, 'rule' in report && report.rule], ['verified', 'two-hash']);
  assert.equal(verifyProof(golden.did_wba_binding, { didDocument, signer: 'did:wba:b.example' }).status, 'wrong');
});

const shared = fileURLToPath(new URL('../../../../shared/conformance/proofs/', import.meta.url));
test("the vector of W3C's eddsa-jcs-2022", { skip: !existsSync(shared) && 'no shared vectors here' }, () => {
  const of = (name: string) => JSON.parse(readFileSync(`${shared}eddsa-jcs-2022/${name}`, 'utf8'));
  const document = of('signedJCS.json');
  const { proof, ...bare } = document;
  assert.equal(canonicalJson(bare), readFileSync(`${shared}eddsa-jcs-2022/canonDocJCS.txt`, 'utf8').trim());
  assert.equal(verifyProof(document).status, 'verified');
  // A proof takes over the context of its document, whether or not it says so.
  const { '@context': _, ...silent } = proof;
  assert.equal(verifyProof({ ...bare, proof: silent }).status, 'verified');
  const longer = { ...bare, '@context': [...bare['@context'], 'https://example.org/more'] };
  assert.equal(verifyProof({ ...longer, proof }).status, 'verified');
  assert.equal(verifyProof({ ...bare, '@context': ['https://example.org/other'], proof }).status, 'wrong');
  for (const file of ['e1.did.json', 'did_wba_binding_golden.json']) {
    const found = JSON.parse(readFileSync(`${shared}anp/${file}`, 'utf8'));
    const didDocument = found.did_document ?? found;
    assert.equal(verifyProof(didDocument, { didDocument }).status, 'verified', file);
  }
});

const key = Uint8Array.from({ length: 32 }, (_, index) => index + 1);
const did = 'did:wba:laws.example';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const x = Buffer.from(ed25519.getPublicKey(key)).toString('base64url');
const ed: JsonObject = { type: 'Ed25519VerificationKey2020', publicKeyJwk: { kty: 'OKP', crv: 'Ed25519', x } };
const k1 = { type: 'EcdsaSecp256k1VerificationKey2019', publicKeyHex: hex(secp256k1.getPublicKey(key)) };
const r1 = { type: 'EcdsaSecp256r1VerificationKey2019', publicKeyHex: hex(p256.getPublicKey(key, false)) };
const methods: Record<Suite, JsonObject> = {
  'eddsa-jcs-2022': ed,
  Ed25519Signature2020: ed,
  'didwba-jcs-ecdsa-secp256k1-2025': k1,
  EcdsaSecp256k1Signature2019: k1,
  EcdsaSecp256r1Signature2019: r1,
  'ecdsa-jcs-2019': r1,
};

function documentFor(suite: Suite): JsonObject {
  return { id: did, verificationMethod: [{ id: `${did}#key`, controller: did, ...methods[suite] }] };
}

const members = fc.dictionary(
  fc.string().filter((name) => name !== 'proof'),
  fc.jsonValue({ maxDepth: 2 }),
  {
    maxKeys: 6,
  },
);

/** The same value with the members of all its objects in the opposite order. */
function turned(value: Json): Json {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, member]) => [name, turned(member)]),
  );
}

for (const suite of Object.keys(methods) as Suite[])
  test(`${suite}: what is signed verifies in any order of members, and nothing else does`, () => {
    const verifying = { didDocument: documentFor(suite), signer: did };
    const signing = { privateKey: key, verificationMethod: `${did}#key`, suite, created: '2026-05-01T08:00:00Z' };
    fc.assert(
      fc.property(members, fc.string(), (given, added) => {
        const document = JSON.parse(JSON.stringify(given)) as JsonObject;
        const made = signDocument(document, signing);
        assert.deepEqual(verifyProof(turned(made), verifying), {
          status: 'verified',
          suite,
          rule: 'two-hash',
          verificationMethod: `${did}#key`,
        });
        const name = Object.hasOwn(made, `x${added}`) ? `y${added}${Object.keys(made).length}` : `x${added}`;
        assert.equal(verifyProof({ ...made, [name]: 1 }, verifying).status, 'wrong');
      }),
      { numRuns: 5 },
    );
  });

/** The same public keys in every form that DID documents have. */
const forms: [Suite, string, Uint8Array][] = [
  ['Ed25519Signature2020', 'ed01', ed25519.getPublicKey(key)],
  ['EcdsaSecp256k1Signature2019', 'e701', secp256k1.getPublicKey(key)],
  ['EcdsaSecp256r1Signature2019', '8024', p256.getPublicKey(key)],
];
for (const [suite, codec, bytes] of forms)
  test(`${suite}: the key may be in any form, and a did:key has only its own`, () => {
    const type = methods[suite].type as string;
    const multi = Buffer.concat([Buffer.from(codec, 'hex'), bytes]);
    const signing = { privateKey: key, suite, created: '2026-05-01T08:00:00Z' };
    const made = signDocument({ name: 'a' }, { ...signing, verificationMethod: `${did}#key` });
    for (const form of [
      { publicKeyHex: hex(bytes) },
      { publicKeyHex: hex(bytes).toUpperCase() },
      { publicKeyBase58: base58.encode(bytes) },
      { publicKeyMultibase: `z${base58.encode(multi)}` },
      { publicKeyMultibase: `u${multi.toString('base64url')}` },
      { publicKeyMultibase: `f${hex(multi)}` },
      { publicKeyMultibase: `F${hex(multi).toUpperCase()}` },
    ]) {
      const didDocument = { id: did, verificationMethod: [{ id: '#key', type, ...form }] };
      assert.equal(verifyProof(made, { didDocument }).status, 'verified', JSON.stringify(form));
    }
    const own = `z${base58.encode(multi)}`;
    for (const [url, status] of [
      [`did:key:${own}#${own}`, 'verified'],
      [`did:key:${own}#key-1`, 'wrong'],
      [`did:key:${own}#`, 'wrong'],
    ] as const) {
      const signed = signDocument({ name: 'a' }, { ...signing, verificationMethod: url });
      assert.equal(verifyProof(signed).status, status, url);
    }
  });

test('bytes come back out of every Multibase, and no text makes a reader throw', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 72 }), (bytes) => {
      for (const text of [
        toMultibase(bytes),
        `u${toBase64url(bytes)}`,
        `f${hex(bytes)}`,
        `F${hex(bytes).toUpperCase()}`,
      ])
        assert.deepEqual(multibase(text), bytes, text);
    }),
  );
  const letter = fc.constantFrom('z', 'u', 'f', 'F', 'm', '');
  fc.assert(
    fc.property(letter, fc.string({ unit: 'binary', maxLength: 500 }), (first, rest) => {
      const bytes = multibase(first + rest);
      assert.ok(bytes === undefined || bytes instanceof Uint8Array);
    }),
  );
});

test('all of several proofs must be right', () => {
  const one = signDocument(
    { name: 'a' },
    { privateKey: key, verificationMethod: `${did}#key`, suite: 'Ed25519Signature2020', created: 'x' },
  );
  const didDocument = documentFor('Ed25519Signature2020');
  const proof = one.proof as JsonObject;
  assert.equal(verifyProof({ name: 'a', proof: [proof, proof] }, { didDocument }).status, 'verified');
  assert.equal(verifyProof({ name: 'a', proof: [proof, { ...proof, created: 'y' }] }, { didDocument }).status, 'wrong');
  assert.equal(verifyProof({ name: 'a', proof: Array(9).fill(proof) }, { didDocument }).status, 'wrong');
  assert.equal(verifyProof({ name: 'a', proof: [] }, { didDocument }).status, 'absent');
});

test('hostile proofs and DID documents are reports, never exceptions', () => {
  const odd = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.constantFrom('z'.repeat(100_000), 'u_-'.repeat(1000), '-', '', 'did:key:z', `${did}#key`, 'Multikey', '\ud800'),
  );
  const object = (...names: string[]) => fc.record(Object.fromEntries(names.map((name) => [name, odd])));
  const method = object('id', 'type', 'publicKeyMultibase', 'publicKeyJwk', 'publicKeyHex', 'publicKeyBase58');
  const proof = fc.record({
    type: fc.oneof(odd, fc.constantFrom(...Object.keys(methods), 'DataIntegrityProof')),
    cryptosuite: fc.oneof(odd, fc.constantFrom(...Object.keys(methods))),
    proofPurpose: fc.oneof(fc.constant('assertionMethod'), odd),
    verificationMethod: fc.oneof(fc.constant(`${did}#key`), odd),
    proofValue: odd,
    '@context': odd,
  });
  fc.assert(
    fc.property(fc.oneof(proof, odd), fc.array(method, { maxLength: 3 }), odd, odd, (given, list, listed, context) => {
      const id = { id: `${did}#key` };
      const verificationMethod = list.map((one) => ({ ...one, ...id })) as Json;
      const didDocument = { id: did, verificationMethod, assertionMethod: listed } as JsonObject;
      const document = { '@context': context, proof: given } as JsonObject;
      for (const known of [didDocument, listed as Json])
        assert.match(verifyProof(document, { didDocument: known }).status, /^(?:absent|wrong)$/);
    }),
    { numRuns: 400 },
  );
  for (const value of [Number.NaN, '\ud800', 1n] as never[]) {
    const document = { x: value, proof: signed.cases[0]?.document.proof ?? null };
    assert.equal(verifyProof(document, { didDocument: signed.didDocuments['1'] ?? null }).status, 'wrong');
  }
});
