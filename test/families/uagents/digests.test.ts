import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { protocolDigest, schemaDigest } from '../../../src/families/uagents/digests.ts';
import { ERROR_MESSAGE_DIGEST, errorMessageSchema } from '../../../src/families/uagents/error-message.ts';
import type { JsonObject } from '../../../src/kernel/json.ts';
import { vectors } from './vectors.ts';

test('digests of models are those that the peers compute', () => {
  for (const { name, canonical, digest } of vectors('schema-digests'))
    assert.equal(schemaDigest(canonical), digest, name);
});

test('digests of protocols are those that the peers compute, whatever the order and the metadata', () => {
  for (const { name, manifest, canonical, digest } of vectors('protocol-digests')) {
    assert.equal(protocolDigest(canonical), digest, name);
    const { models, interactions, ...rest } = manifest;
    const turned = { interactions: interactions.toReversed(), models: models.toReversed(), ...rest, more: 1 };
    assert.equal(protocolDigest(JSON.stringify(turned, null, 3)), digest, name);
  }
});

test('the model of errors has the digest that every agent knows', () => {
  assert.equal(schemaDigest(errorMessageSchema), ERROR_MESSAGE_DIGEST);
});

test('a number is written as Python writes it: a float keeps its point, whole numbers all of their digits', () => {
  const same = (one: string, other: string) =>
    assert.equal(schemaDigest(`{"default":${one}}`), schemaDigest(`{"default":${other}}`), one);
  const differ = (one: string, other: string) =>
    assert.notEqual(schemaDigest(`{"default":${one}}`), schemaDigest(`{"default":${other}}`), one);
  same('10e-1', '1.0');
  same('1E16', '1e+16');
  same('-0', '0');
  same('0.00001', '1e-05');
  differ('1', '1.0');
  differ('-0.0', '0.0');
  differ('9007199254740993', '9007199254740992');
});

test('a digest does not depend on the order of members, and of two of one name the last counts', () => {
  assert.equal(schemaDigest('{"a":1,"b":2,"a":3}'), schemaDigest('{"b":2,"a":3}'));
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 3 })), (schema) => {
      const turned = Object.fromEntries(Object.entries(schema).reverse());
      assert.equal(schemaDigest(JSON.stringify(turned)), schemaDigest(JSON.stringify(schema)));
    }),
  );
});

test('members are in the order of their code points, not of UTF-16 units', () => {
  const digest = 'model:0a989ced209622295ba6d16f6d2891665320e9a7f63cc91508c36602a7eab754';
  assert.equal(schemaDigest('{"\u{1f600}":2,"\uffff":1,"z":3}'), digest);
});

test('what is not JSON or no manifest has no digest, and nothing throws', () => {
  for (const text of ['', '{', '[', '[1,', '{}x', '['.repeat(100_000), '{"a":'.repeat(50_000), '\ud800', '1e999'])
    assert.equal(schemaDigest(text) ?? protocolDigest(text), undefined);
  const broken: JsonObject[] = [
    {},
    { version: '1.0', models: [], interactions: {} },
    { version: '1.0', models: [{}], interactions: [] },
    { version: '1.0', models: [], interactions: [{ request: 1 }] },
    { models: [], interactions: [] },
  ];
  for (const manifest of broken) assert.equal(protocolDigest(manifest), undefined);
  fc.assert(
    fc.property(fc.json({ maxDepth: 4 }), (text) => {
      schemaDigest(text);
      assert.ok(protocolDigest(text) === undefined);
    }),
  );
});
