import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isObject, type Json, type JsonObject } from '../../src/kernel/json.ts';
import { sanitiseSchema } from '../../src/schemas/sanitise-schema.ts';

test('keywords for generators and compilers are removed and reported, property names are not', () => {
  const schema: Json = {
    $id: 'https://example.org/a',
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $async: true,
    type: 'object',
    tsType: 'any; import("node:fs")',
    properties: {
      tsType: { type: 'string', tsType: 'never' },
      $id: { type: 'string' },
      limit: { maximum: { $data: '1/other' } },
      fixed: { const: { $data: '/limit' } },
      self: { $ref: 'https://example.org/a#/$defs/b' },
      far: { $ref: 'https://example.org/c' },
      dynamic: { $dynamicRef: '#x' },
    },
    $defs: { b: { $id: 'b', $dynamicAnchor: 'x', enum: [{ tsType: 'data' }], default: { $async: true } } },
  };
  const { schema: clean, removed } = sanitiseSchema(schema);
  assert.deepEqual(clean, {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      tsType: { type: 'string' },
      $id: { type: 'string' },
      limit: {},
      fixed: {},
      self: { $ref: '#/$defs/b' },
      far: {},
      dynamic: {},
    },
    $defs: { b: { enum: [{ tsType: 'data' }], default: { $async: true } } },
  });
  assert.deepEqual(
    removed.map(({ pointer }) => pointer),
    [
      '/$async',
      '/tsType',
      '/properties/tsType/tsType',
      '/properties/limit/maximum',
      '/properties/fixed/const',
      '/properties/far/$ref',
      '/properties/dynamic/$dynamicRef',
    ],
  );
});

test('"nullable" of OpenAPI allows null, whatever keywords are next to it', () => {
  const clean = (schema: JsonObject): Json => {
    const whole = { properties: { a: { ...schema, nullable: true } }, $defs: { b: { type: 'string' } } };
    const { properties } = sanitiseSchema(whole).schema as { properties: JsonObject };
    return properties.a ?? null;
  };
  const either = { $ref: '#/$defs/b' };
  assert.deepEqual(clean({ type: 'string' }), { type: ['string', 'null'] });
  assert.deepEqual(clean({ type: 'string', enum: ['x'] }), { type: ['string', 'null'], enum: ['x', null] });
  assert.deepEqual(clean({ enum: ['x', null] }), { enum: ['x', null] });
  assert.deepEqual(clean(either), { anyOf: [either, { type: 'null' }] });
  assert.deepEqual(clean({ type: 'object', allOf: [either] }), {
    anyOf: [{ type: 'object', allOf: [either] }, { type: 'null' }],
  });
  assert.deepEqual(sanitiseSchema({ nullable: true, ...either }).schema, either, 'the root stays where it is');
});

test('sanitising is idempotent and keeps schemas with nothing to remove', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      const once = sanitiseSchema(value as Json);
      assert.deepEqual(sanitiseSchema(once.schema), { schema: once.schema, removed: [] });
    }),
    { numRuns: 300 },
  );
  const hostile = JSON.parse('{"properties":{"__proto__":{"type":"string","tsType":"x"}}}') as JsonObject;
  const { schema } = sanitiseSchema(hostile);
  assert.equal(JSON.stringify(schema), '{"properties":{"__proto__":{"type":"string"}}}');
  assert.ok(isObject(schema));
});

test('references by anchor become references by pointer', () => {
  const node = { $anchor: 'node', type: 'object' };
  const { schema, removed } = sanitiseSchema({
    properties: { a: { $ref: '#node' }, b: { $ref: '#none' } },
    $defs: { 'x/%': node },
  });
  assert.deepEqual(schema, {
    properties: { a: { $ref: '#/$defs/x~1%25' }, b: { $ref: '#none' } },
    $defs: { 'x/%': { type: 'object' } },
  });
  assert.deepEqual(removed, []);
});

test('unchanged parts stay the same objects, so that caches apply', () => {
  const kept: Json = { type: 'object', properties: { a: { $ref: '#' }, b: { anyOf: [{ type: 'string' }] } } };
  assert.equal(sanitiseSchema(kept).schema, kept);
  const { schema } = sanitiseSchema({ properties: { kept, changed: { tsType: 'x' } } });
  assert.equal((schema as { properties: JsonObject }).properties.kept, kept);
});
