import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isObject, type Json } from '../../src/kernel/json.ts';
import { createValidator } from '../../src/schemas/validator.ts';
import { generateInputs } from '../../src/verification/worlds/generated-inputs.ts';
import { samplePattern } from '../../src/verification/worlds/pattern-sample.ts';
import { sampleSchema } from '../../src/verification/worlds/schema-sample.ts';
import { SeededRandom } from '../../src/verification/worlds/seeded-random.ts';

function validatorOf(schema: Json): (value: Json) => boolean {
  const validator = createValidator(schema);
  assert.ok(validator.ok);
  return (value) => validator.validate(value).length === 0;
}

const order: Json = {
  type: 'object',
  required: ['id', 'quantity', 'lines'],
  properties: {
    id: { type: 'string', pattern: '^[A-Z]{2}-\\d{4,6}$' },
    quantity: { type: 'integer', minimum: 1, maximum: 99 },
    note: { type: ['string', 'null'], maxLength: 20 },
    due: { type: 'string', format: 'date' },
    lines: { type: 'array', minItems: 1, items: { $ref: '#/$defs/line' } },
    kind: { enum: ['a', 'b'] },
  },
  $defs: {
    line: {
      type: 'object',
      required: ['sku'],
      properties: { sku: { type: 'string' }, price: { type: 'number', multipleOf: 0.05 } },
    },
  },
};
const known: Json[] = [{ id: 'AB-1234', quantity: 3, note: null, lines: [{ sku: 'S-1', price: 2.5 }] }];
const counts = { plausible: 12, sampled: 12, invalid: 16 };

test('at least 30 inputs, valid and broken, each as it claims to be, none a known one', () => {
  const isValid = validatorOf(order);
  const inputs = generateInputs(order, known, isValid, 'seed', counts);
  assert.ok(inputs.length >= 30, `${inputs.length}`);
  for (const { kind, input } of inputs) assert.equal(isValid(input), kind !== 'invalid', JSON.stringify(input));
  for (const kind of ['plausible', 'sampled', 'invalid'])
    assert.ok(inputs.filter((one) => one.kind === kind).length >= 8, kind);
  const texts = inputs.map(({ input }) => JSON.stringify(input));
  assert.equal(new Set(texts).size, texts.length);
  assert.ok(!texts.includes(JSON.stringify(known[0])));
});

test('the same seed gives the same inputs, another one others', () => {
  const isValid = validatorOf(order);
  const make = (seed: string) => JSON.stringify(generateInputs(order, known, isValid, seed, counts));
  assert.equal(make('one'), make('one'));
  assert.notEqual(make('one'), make('two'));
});

test('lists grow, shrink and empty where the schema lets them, and each required member is left out once', () => {
  const inputs = generateInputs(order, known, validatorOf(order), 'seed', counts);
  const changes = inputs.map(({ change }) => change);
  for (const name of ['id', 'quantity', 'lines']) assert.ok(changes.includes(`without ${name}`), name);
  assert.ok(
    inputs.some(
      ({ kind, input }) =>
        kind === 'plausible' && isObject(input) && Array.isArray(input.lines) && input.lines.length === 2,
    ),
  );
});

test('a known input gets each member that it lacks, an empty list and null among what is added', () => {
  const schema: Json = {
    type: 'object',
    required: ['id'],
    properties: {
      id: { type: 'string' },
      want: { type: 'array', items: { $ref: '#/$defs/name' } },
      note: { type: ['string', 'null'] },
      kinds: { type: 'array', items: { enum: ['a', 'b', 'c'] } },
      to: { type: 'object', required: ['city'], properties: { city: { type: 'string' }, floor: { type: 'integer' } } },
    },
    $defs: { name: { type: 'string', minLength: 1 } },
  };
  const to: Json = { city: 'Ulm', floor: 2 };
  const made = generateInputs(
    schema,
    [
      { id: 'x-1', to },
      { id: 'x-2', want: ['n'] },
    ],
    validatorOf(schema),
    's',
    { ...counts, sampled: 24 },
  );
  const texts = made.map(({ input }) => JSON.stringify(input));
  for (const wanted of [
    { id: 'x-1', to, want: [] },
    { id: 'x-1', to, want: ['n'] },
    { id: 'x-1', to, note: null },
    { id: 'x-1', to, kinds: ['a', 'b', 'c'] },
    { id: 'x-1', to: { city: 'Ulm' } },
    { id: 'x-2', want: ['n', 'n'] },
  ])
    assert.ok(texts.includes(JSON.stringify(wanted)), JSON.stringify(wanted));
});

test('members are left out of every known input, each change once before any twice', () => {
  const schema: Json = {
    type: 'object',
    required: ['id'],
    properties: { id: { type: 'string' }, a: { type: 'integer' }, b: { type: 'integer' }, c: { type: 'integer' } },
  };
  const all = Array.from(
    { length: 8 },
    (_, nth): Json => ({ id: `x-${nth}`, a: nth, b: nth, ...(nth > 5 ? { c: nth } : {}) }),
  );
  const changes = generateInputs(schema, all, validatorOf(schema), 'seed', counts).map(({ change }) => change);
  assert.deepEqual(changes.slice(0, 4), ['without a', 'without b', 'without c', 'without a']);
});

test('requests are broken inside their lists and objects too, however many members they have', () => {
  const names = Array.from({ length: 8 }, (_, nth) => `name${nth}`);
  const schema: Json = {
    type: 'object',
    required: [...names, 'lines', 'to'],
    properties: {
      ...Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
      lines: { type: 'array', items: { type: 'object', required: ['sku'], properties: { sku: { type: 'string' } } } },
      to: { type: 'object' },
    },
  };
  const one: Json = { ...Object.fromEntries(names.map((name) => [name, 'x'])), lines: [{ sku: 'S' }], to: {} };
  const made = generateInputs(schema, [one], validatorOf(schema), 'seed', { ...counts, invalid: 18 });
  const changes = made.map(({ change }) => change);
  for (const wanted of ['an item of lines null', 'to null', 'an item of lines without sku', 'an empty object'])
    assert.ok(changes.includes(wanted), `${wanted} of ${changes.join(', ')}`);
});

test('text payloads are varied too', () => {
  const inputs = generateInputs(null, ['item,12\nother,7\n'], () => true, 'seed', counts);
  assert.ok(inputs.length >= 5);
  assert.ok(inputs.every(({ input }) => typeof input === 'string'));
});

for (const pattern of [
  '^[A-Z]{2}-\\d{4,6}$',
  '^(foo|ba[rz])+$',
  '^\\w+@\\w+\\.(com|org)$',
  '^[^a-z]{3}$',
  '^(?:\\+\\d{1,3} )?\\d{3}$',
  '^\\p{Lu}x$',
  '^$',
]) {
  test(`a sample of ${pattern} matches it`, () => {
    const matches = Array.from({ length: 20 }, (_, nth) => samplePattern(pattern, new SeededRandom(`${nth}`))).filter(
      (text) => new RegExp(pattern, 'u').test(text),
    );
    assert.ok(matches.length >= 15, `${matches.length} of 20`);
  });
}

test('hostile patterns and schemas end soon and never throw', () => {
  for (const pattern of [
    '(((((a{9999}){9999}){9999}){9999})*)*',
    '[',
    '(',
    '\\',
    '(?<n>a)\\k<n>',
    '[z-a]',
    '{5}',
    'a'.repeat(5_000),
  ]) {
    assert.equal(typeof samplePattern(pattern, new SeededRandom('x')), 'string');
  }
  const recursive: Json = {
    $ref: '#/$defs/node',
    $defs: {
      node: {
        type: 'object',
        required: ['child', 'other'],
        properties: { child: { $ref: '#/$defs/node' }, other: { $ref: '#/$defs/node' } },
      },
    },
  };
  sampleSchema({ $ref: '#' }, new SeededRandom('x'));
  const nested = sampleSchema({ type: 'array', minItems: 1e9, items: true }, new SeededRandom('x'));
  assert.ok(Array.isArray(nested) && nested.length <= 60);
  sampleSchema(recursive, new SeededRandom('x'));
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), fc.string(), (schema, seed) => {
      JSON.stringify(sampleSchema(schema as Json, new SeededRandom(seed)));
    }),
    { numRuns: 300, seed: 7 },
  );
});
