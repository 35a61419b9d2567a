import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { isObject, type Json, type JsonObject } from '../../src/kernel/json.ts';
import { sanitiseSchema } from '../../src/schemas/sanitise-schema.ts';
import { createValidator, faultsIn } from '../../src/schemas/validator.ts';
import { declareTypes } from '../../src/typing/types-from-schemas.ts';

const DRAFTS = {
  draft4: 'http://json-schema.org/draft-04/schema#',
  draft6: 'http://json-schema.org/draft-06/schema#',
  draft7: 'http://json-schema.org/draft-07/schema#',
  'draft2019-09': 'https://json-schema.org/draft/2019-09/schema',
  'draft2020-12': 'https://json-schema.org/draft/2020-12/schema',
};

/** Tests that pass too leniently: the target of a dynamic reference depends on the caller. */
const LENIENT =
  /^(?:dynamicRef: multiple dynamic paths|recursiveRef: (?:multiple dynamic paths|dynamic \$recursiveRef))/;

interface Group {
  description: string;
  schema: Json;
  tests: { description: string; data: Json; valid: boolean }[];
}

for (const [draft, $schema] of Object.entries(DRAFTS)) {
  test(`the JSON Schema test suite passes for ${draft}, except for remote schemas`, () => {
    const file = new URL(`../../fixtures/json-schema-test-suite/${draft}.json`, import.meta.url);
    let told = 0;
    for (const [name, groups] of Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, Group[]>))
      for (const { description, schema, tests } of groups) {
        const validator = createValidator(isObject(schema) ? { $schema, ...schema } : schema);
        if (!validator.ok) {
          assert.deepEqual([...new Set(validator.faults.map(({ kind }) => kind))], ['reference-external'], description);
          continue;
        }
        const isLenient = LENIENT.test(`${name}: ${description}`);
        for (const { description: which, data, valid } of tests) {
          const message = `${name}: ${description}: ${which}`;
          if (valid || !isLenient) assert.equal(validator.allows(data), valid, message);
          told += 1;
        }
      }
    assert.ok(told > 90, `${told} values`);
  });
}

function isAllowed(schema: JsonObject, value: Json): boolean {
  const validator = createValidator(schema);
  assert.ok(validator.ok, JSON.stringify(validator));
  return validator.allows(value);
}

test('OpenAPI 3.0 schemas are recognised, whether named or not', () => {
  const named = { $schema: 'https://spec.openapis.org/oas/3.0/dialect/base' };
  const $defs = { n: { type: 'integer' } };
  for (const mark of [named, { nullable: false }, { properties: { x: { type: 'number', exclusiveMaximum: false } } }]) {
    assert.ok(!isAllowed({ ...mark, minimum: 1, exclusiveMinimum: true }, 1));
    assert.ok(isAllowed({ ...mark, maximum: 1, exclusiveMaximum: false }, 1));
    assert.ok(isAllowed({ ...mark, items: { $ref: '#/$defs/n', minimum: 5 }, $defs }, [1]), 'alone counts a reference');
    assert.ok(isAllowed({ ...mark, items: { type: 'string', nullable: true } }, [null]));
  }
  const later = { $schema: 'https://spec.openapis.org/oas/3.1/dialect/base' };
  assert.ok(!isAllowed({ ...later, items: { $ref: '#/$defs/n', minimum: 5 }, $defs }, [1]));
});

test('a list whose items a caller names is checked with those of its only caller', () => {
  const listOf = (items: JsonObject): JsonObject => ({
    $ref: 'list',
    $defs: { items: { $dynamicAnchor: 'T', ...items } },
  });
  const list = {
    $id: 'list',
    type: 'array',
    items: { $dynamicRef: '#T' },
    $defs: { T: { $dynamicAnchor: 'T', not: {} } },
  };
  const one = {
    $id: 'https://e.org/one',
    $ref: 'numbers',
    $defs: { n: { $id: 'numbers', ...listOf({ type: 'number' }) }, list },
  };
  assert.ok(isAllowed(one, [1]));
  assert.ok(!isAllowed(one, ['x']));
  const other = { $id: 'texts', ...listOf({ type: 'string' }) };
  const two = { ...one, properties: { a: { $ref: 'texts' } }, $ref: undefined, $defs: { ...one.$defs, other } };
  const both = { ...two, allOf: [{ $ref: 'numbers' }] } as unknown as JsonObject;
  assert.deepEqual(
    sanitiseSchema(both).removed.map(({ keyword }) => keyword),
    ['$dynamicRef'],
    'where it has two callers, it is told',
  );
});

test('a subschema with its own dialect is read in that dialect', () => {
  const old = { $id: 'https://e.org/old', $schema: DRAFTS.draft7, allOf: [{ $ref: '#/definitions/n', minimum: 5 }] };
  const definitions = { n: { type: 'integer' } };
  const schema = { items: { $ref: 'https://e.org/old' }, $defs: { old: { ...old, definitions } } };
  assert.ok(isAllowed(schema, [1]));
  assert.ok(!isAllowed(schema, ['x']));
});

test('keywords that a dialect ignores are reported, and types do not contain them', async () => {
  const schema = {
    $schema: DRAFTS.draft7,
    properties: { a: { $ref: '#/definitions/n', type: 'string' }, b: { type: 'integer', dependentRequired: {} } },
    definitions: { n: { type: 'integer', description: 'A number.' } },
  };
  const { schema: clean, removed } = sanitiseSchema(schema);
  assert.deepEqual(removed, [
    { pointer: '/properties/a/type', keyword: 'type', reason: 'ignored' },
    { pointer: '/properties/b/dependentRequired', keyword: 'dependentRequired', reason: 'ignored' },
  ]);
  assert.deepEqual(sanitiseSchema(clean), { schema: clean, removed: [] });
  const { properties } = clean as { properties: JsonObject };
  const types = await declareTypes({
    role: 'provider',
    payload: 'json',
    requestSchema: { ...(clean as JsonObject), properties },
    tools: [],
  });
  assert.match(types, /a?: number/);
});

test('unused definitions are neither counted nor kept', () => {
  const unused = Object.fromEntries(
    Array.from({ length: 500 }, (_, n): [string, Json] => [
      `u${n}`,
      { properties: { a: { $ref: `#/$defs/u${n + 1}` } } },
    ]),
  );
  const schema: JsonObject = {
    $ref: '#/$defs/a',
    $defs: {
      ...unused,
      a: { properties: { b: { $ref: '#/$defs/b/properties/c' } } },
      b: { properties: { c: { type: 'string' } }, $defs: { d: { pattern: '(' } } },
    },
  };
  assert.deepEqual(faultsIn(schema), []);
  const { $defs } = sanitiseSchema(schema).schema as { $defs: JsonObject };
  assert.deepEqual($defs, { a: (schema.$defs as JsonObject).a, b: { properties: { c: { type: 'string' } } } });
  assert.ok(!isAllowed(schema, { b: 1 }));
  assert.deepEqual(
    faultsIn({ $ref: '#/$defs/u0', $defs: unused }).map(({ kind }) => kind),
    ['too-large'],
  );
});

test('a schema under an unknown keyword counts if a reference points to it', () => {
  const shared = { n: { type: 'integer', tsType: 'x', next: { n: { minimum: 5, $async: true } } } };
  const schema: JsonObject = { items: { allOf: [{ $ref: '#/shared/n' }, { $ref: '#/shared/n/next/n' }] }, shared };
  assert.ok(isAllowed(schema, [5]));
  assert.ok(!isAllowed(schema, [4]));
  assert.deepEqual(sanitiseSchema(schema).schema, {
    ...schema,
    shared: { n: { type: 'integer', next: { n: { minimum: 5 } } } },
  });
  const wide = { allOf: Array.from({ length: 500 }, () => ({ type: 'integer' })) };
  assert.deepEqual(
    faultsIn({ $ref: '#/shared/n', shared: { n: wide } }).map(({ kind }) => kind),
    ['too-large'],
  );
});

test('the dynamic anchors of the root decide, however many anchors and schemas there are', () => {
  const each = (count: number, made: (n: number) => [string, Json]) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => made(n)));
  const inner = {
    $id: 'inner',
    $defs: each(12, (n) => [`x${n}`, { $dynamicAnchor: `n${n}`, type: 'string' }]),
    properties: each(12, (n) => [`q${n}`, { $dynamicRef: `#n${n}` }]),
  };
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'https://example.org/root',
    properties: { ...each(300, (n) => [`p${n}`, {}]), inner: { $ref: 'inner' } },
    $defs: { ...each(12, (n) => [`r${n}`, { $dynamicAnchor: `n${n}`, type: 'integer' }]), inner },
  };
  for (let n = 0; n < 12; n += 1)
    assert.deepEqual(
      [isAllowed(schema, { inner: { [`q${n}`]: 1 } }), isAllowed(schema, { inner: { [`q${n}`]: 'a' } })],
      [true, false],
    );
});
