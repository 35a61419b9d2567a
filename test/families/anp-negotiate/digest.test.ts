import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { artifactDigest, digestBasis } from '../../../src/families/anp-negotiate/door.ts';
import type { Json, JsonObject } from '../../../src/kernel/json.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest();
const digestOf = (text: string) => `sha-256:${sha256(text).toString('base64url')}`;

test('the digest is taken of canonical JSON: the examples of RFC 8785, sections 3.2.2 and 3.2.3', () => {
  const [given, canonical] = [
    String.raw`{"numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/", "digest": "sha-256:x", "literals": [null, true, false]}`,
    String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
  ];
  assert.equal(artifactDigest(JSON.parse(given)), digestOf(canonical));
  const names = ['\u20ac', '\r', '\ufb33', '1', '\u{1f600}', '\u0080', '\u00f6'];
  const sorted = ['\r', '1', '\u0080', '\u00f6', '\u20ac', '\u{1f600}', '\ufb33'];
  const canonicalNames = `{${sorted.map((name) => `${JSON.stringify(name)}:""`).join(',')}}`;
  assert.equal(artifactDigest(Object.fromEntries(names.map((name) => [name, '']))), digestOf(canonicalNames));
});

const artifact = { protocol_id: 'x', methods: [{ name: 'a', price: 1.5 }], version: '1.0' };

test('a digest is told by what it was taken of, in any of its spellings', () => {
  const digest = artifactDigest(artifact);
  assert.match(digest, /^sha-256:[\w-]{43}$/);
  const bytes = Buffer.from(digest.slice(8), 'base64url');
  const spellings = [digest, ...(['hex', 'base64'] as const).map((encoding) => `sha-256:${bytes.toString(encoding)}`)];
  for (const given of [...spellings, `sha256:${bytes.toString('hex').toUpperCase()}`, `${digest}=`])
    assert.equal(digestBasis(given, JSON.stringify({ digest: given, ...artifact })), 'canonical JSON', given);
  const compact = JSON.stringify(artifact);
  const pretty = JSON.stringify(artifact, null, 2);
  const cases: [given: string, text: string][] = [
    // The artifact as it was before its publisher added the digest, at its end, at its start and in between.
    [digestOf(compact), JSON.stringify({ ...artifact, digest: digestOf(compact) })],
    [digestOf(compact), JSON.stringify({ digest: digestOf(compact), ...artifact })],
    [digestOf(pretty), JSON.stringify({ ...artifact, digest: digestOf(pretty) }, null, 2)],
    [digestOf(pretty), JSON.stringify({ digest: digestOf(pretty), ...artifact }, null, 2)],
    [digestOf(pretty), pretty.replace(/(?="methods")/, `"digest": "${digestOf(pretty)}",\n  `)],
    // The whole file, by which the result of a negotiation names it.
    [digestOf(`${pretty}\n`), `${pretty}\n`],
  ];
  for (const [given, text] of cases) assert.equal(digestBasis(given, text), 'bytes', text);
});

test('any other digest is that of nothing', () => {
  const text = JSON.stringify(artifact);
  for (const given of [
    'sha-256:BASE64URL_DIGEST',
    '',
    'sha-256:',
    artifactDigest({ ...artifact, version: '1.1' }),
    artifactDigest(artifact).replace('sha-256', 'sha-512'),
    artifactDigest(artifact).slice(8),
    artifactDigest(artifact).slice(0, -1),
    `${artifactDigest(artifact)}A`,
  ])
    assert.equal(digestBasis(given, text), undefined, given);
  for (const other of ['', '[]', 'null', '{', `${text}x`, '[['.repeat(100_000)])
    assert.equal(digestBasis(digestOf(other), other), undefined);
});

const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as Json);

function shuffled(value: Json, order: number): Json {
  if (Array.isArray(value)) return value.map((item) => shuffled(item, order));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]): [string, Json] => [name, shuffled(member, order)]);
  const turn = members.length === 0 ? 0 : order % members.length;
  return Object.fromEntries([...members.slice(turn), ...members.slice(0, turn)].reverse());
}

test('a digest is stable under the order of members and the layout, and changes with every value', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), json), fc.nat(), fc.nat(4), fc.string(), (given, order, indent, other) => {
      const value = JSON.parse(JSON.stringify(given)) as JsonObject;
      const same = shuffled(value, order) as JsonObject;
      const digest = artifactDigest(value);
      assert.equal(artifactDigest(same), digest);
      assert.equal(artifactDigest({ ...same, digest: other }), digest);
      assert.equal(digestBasis(digest, JSON.stringify({ digest, ...same }, null, indent)), 'canonical JSON');
      assert.notEqual(artifactDigest({ ...value, 'one more': other }), digest);
    }),
  );
});
