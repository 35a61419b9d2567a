import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../../src/kernel/json.ts';
import { createValidator, faultsIn } from '../../src/schemas/validator.ts';

test('the faults of a schema are found without compiling it', () => {
  const schemas: Json[] = [
    { type: 'strin' },
    { properties: { a: { pattern: '(' } } },
    { patternProperties: { '[': {} } },
    { $ref: '#/$defs/none' },
    { $ref: 'https://e.org/other' },
    { required: Array.from({ length: 6_000 }, (_, n) => `p${n}`) },
    5,
  ];
  for (const schema of schemas) {
    const validator = createValidator(schema);
    assert.ok(!validator.ok && validator.faults.length > 0, JSON.stringify(schema).slice(0, 80));
    assert.deepEqual(faultsIn(schema), validator.faults);
  }
  assert.deepEqual(faultsIn({ type: 'object', properties: { a: { pattern: '^(?=a)' } } }), []);
});

test('long lists are compared as a whole', () => {
  const names = Array.from({ length: 60 }, (_, n) => `p${n}`);
  const validator = createValidator({ properties: { p0: { enum: names } }, required: names });
  assert.ok(validator.ok);
  const full = Object.fromEntries(names.map((name) => [name, name]));
  assert.deepEqual(validator.validate(full), []);
  const { p59: _, ...rest } = full;
  assert.deepEqual(
    validator.validate({ ...rest, p0: 'p60' }).map(({ keyword, property }) => [keyword, property]),
    [
      ['required', 'p59'],
      ['enum', undefined],
    ],
  );
});

test('members that a combination evaluates count as declared', () => {
  const validator = createValidator({
    anyOf: [{ properties: { a: { type: 'string' } }, required: ['a'] }, { properties: { b: {} } }],
    unevaluatedProperties: false,
  });
  assert.ok(validator.ok);
  assert.ok(validator.allows({ a: 'x', b: 1 }));
  assert.deepEqual(
    validator.validate({ a: 'x', c: 1 }).map(({ keyword, property }) => [keyword, property]),
    [['unevaluatedProperties', 'c']],
  );
});
