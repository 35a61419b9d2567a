import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../../src/kernel/json.ts';
import type { Matches } from '../../src/schemas/compiled-schema.ts';
import { createValidator } from '../../src/schemas/validator.ts';
import type { Violation } from '../../src/schemas/violations.ts';
import { startCost } from '../cost.ts';

function issuesOf(schema: Json, value: Json, matches?: Matches): Violation[] {
  const validator = createValidator(schema, matches);
  assert.ok(validator.ok, JSON.stringify(validator));
  return validator.validate(value);
}

function faultsOf(schema: Json): [kind: string, pointer: string][] {
  const validator = createValidator(schema);
  return validator.ok ? [] : validator.faults.map(({ kind, pointer }) => [kind, pointer]);
}

/** Two mutually recursive schemas whose evaluation doubles at each level. */
const doubling: Json = {
  $defs: Object.fromEntries([
    ...Array.from({ length: 40 }, (_, level): [string, Json] => {
      const next = { $ref: `#/$defs/d${level + 1}` };
      return [`d${level}`, { allOf: [next, next] }];
    }),
    ['d40', { type: 'object' }],
  ]),
  $ref: '#/$defs/d0',
};

test('issues have the place in value and schema, the keyword and both values', () => {
  const schema = { type: 'object', properties: { 'a/b': { type: ['object', 'string'] } }, required: ['c'] };
  assert.deepEqual(issuesOf(schema, { 'a/b': null }), [
    {
      pointer: '',
      schemaPointer: '/required',
      keyword: 'required',
      message: 'must keep "required": "c"',
      expected: 'c',
      actual: { 'a/b': null },
      property: 'c',
    },
    {
      pointer: '/a~1b',
      schemaPointer: '/properties/a~1b/type',
      keyword: 'type',
      message: 'must keep "type"',
      expected: ['object', 'string'],
      actual: null,
    },
  ]);
});

test('a failed combination gives one issue, or those of the intended branch', () => {
  const places = (schema: Json, value: Json) =>
    issuesOf(schema, value).map(({ keyword, pointer }) => `${keyword} ${pointer}`);
  const simple = { anyOf: [{ type: 'string' }, { $ref: '#/$defs/n' }], $defs: { n: { type: 'number' } } };
  assert.deepEqual(places(simple, null), ['anyOf ']);
  const good = {
    type: 'object',
    properties: { code: { const: 200 }, data: { type: 'object' } },
    required: ['code', 'data'],
  };
  const bad = {
    type: 'object',
    properties: { code: { enum: [404] }, error: { type: 'string' } },
    required: ['code', 'error'],
  };
  for (const schema of [
    { oneOf: [good, bad] },
    { anyOf: [{ $ref: '#/$defs/g' }, { $ref: '#/$defs/b' }], $defs: { g: good, b: bad } },
  ]) {
    assert.deepEqual(places(schema, { code: 200, data: null }), ['type /data']);
    assert.deepEqual(places(schema, { code: 404 }), ['required ']);
    assert.deepEqual(
      places({ properties: { in: schema }, $defs: { g: good, b: bad } }, { in: { code: 404, error: 1 } }),
      ['type /in/error'],
    );
    assert.equal(places(schema, { code: 500, data: {} }).length, 1, 'no branch is meant');
    assert.deepEqual(places(schema, []).length, 1);
  }
  assert.deepEqual(places({ oneOf: [{ type: 'number' }, { minimum: 1 }] }, 5), ['oneOf '], 'more than one branch fits');
  const closed = (properties: { [name: string]: Json }): Json => ({
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  });
  const failing = closed({ error: { enum: ['COLD'] } });
  const measured = closed({ value: { type: 'number' }, unit: { enum: ['C', 'F'] } });
  assert.deepEqual(places({ oneOf: [measured, failing] }, { value: 1, unit: 'K' }), ['enum /unit']);
  const kind = (name: string) => closed({ kind: { enum: [name] } });
  assert.deepEqual(places({ oneOf: [kind('a'), kind('b')] }, { kind: 'b', x: 1 }), ['additionalProperties ']);
  const nested = {
    anyOf: [
      { type: 'string' },
      { type: 'object', properties: { a: { anyOf: [{ type: 'string' }, { type: 'null' }] } } },
    ],
  };
  assert.deepEqual(places(nested, { a: 1 }), ['anyOf /a']);
  const coded = { type: 'object', properties: { code: { enum: [1, 2] } }, required: ['code'] };
  const optional = { anyOf: [{ type: 'null' }, coded] };
  assert.deepEqual(places(optional, { code: 3 }), ['enum /code'], 'the only branch of its type is meant');
  assert.deepEqual(places(optional, 3), ['anyOf ']);
  const kinds = [
    { type: 'object', properties: { kind: { const: 'a' } } },
    { type: 'object', properties: { kind: { const: 'b' }, code: { enum: [1, 2] } } },
  ];
  assert.deepEqual(places({ anyOf: kinds }, { kind: 'b', code: 3 }), ['enum /code'], 'of its kind but for a list');
  const [shallow, deep] = [
    { type: 'object', required: ['title'] },
    { type: 'object', properties: { error: { type: 'object', properties: { code: { type: 'integer' } } } } },
  ];
  assert.deepEqual(places({ anyOf: [shallow, deep] }, { error: { code: '1' } }), ['type /error/code']);
});

test('an enum distinguishes kinds only if another branch lists the value', () => {
  const places = (branches: Json[], value: Json) =>
    issuesOf({ oneOf: branches, $defs: { codes: { enum: [409] } } }, value).map(
      (each) => `${each.keyword} ${each.pointer}`,
    );
  const found = { type: 'object', properties: { value: { type: 'integer' } }, required: ['value'] };
  const failed = (code: Json) => ({
    type: 'object',
    properties: { reason: { type: 'string' }, code },
    required: ['reason', 'code'],
  });
  const [first, second] = [failed({ enum: [404] }), failed({ $ref: '#/$defs/codes' })];
  for (const branches of [
    [found, first],
    [first, found],
  ]) {
    assert.deepEqual(places(branches, { reason: 'no', code: 500 }), ['enum /code']);
    assert.deepEqual(places(branches, { reason: 1, code: 500 }), ['type /reason', 'enum /code']);
    assert.deepEqual(places(branches, { value: '1' }), ['type /value']);
  }
  assert.deepEqual(places([found, first, second], { reason: 1, code: 409 }), ['type /reason']);
  assert.deepEqual(places([found, first, second], { reason: 'no', code: 500 }), ['oneOf '], 'either list may be meant');
  const constants = [found, failed({ const: 404 }), failed({ const: 409 })];
  assert.deepEqual(places(constants, { reason: 'no', code: 500 }), ['oneOf '], 'a constant that no branch has');
  const titled = { type: 'object', additionalProperties: { type: 'string' }, required: ['title'] };
  const named = { reason: 1, code: 404, a: '', b: '', title: '' };
  assert.deepEqual(places([titled, first], named), ['type /reason', 'type /code'], 'members of any name');
});

test('every dialect from draft-04 on is recognised, by name or by its keywords', () => {
  const tuple = { items: [{ type: 'string' }] };
  assert.equal(issuesOf({ ...tuple, $schema: 'http://json-schema.org/draft-07/schema#' }, [1]).length, 1);
  assert.equal(issuesOf(tuple, [1]).length, 1);
  assert.equal(issuesOf({ prefixItems: [{ type: 'string' }] }, [1]).length, 1);
  assert.equal(issuesOf({ $schema: 'https://json-schema.org/draft/2019-09/schema', ...tuple }, [1]).length, 1);
  assert.equal(issuesOf({ $schema: 'http://json-schema.org/draft-04/schema#', id: 'x', type: 'string' }, 1).length, 1);
  assert.equal(
    issuesOf({ $schema: 'http://json-schema.org/draft-04/schema#', minimum: 3, exclusiveMinimum: true }, 3).length,
    1,
  );
  assert.equal(issuesOf({ $schema: 'https://example.org/mine', type: 'string' }, 1).length, 1);
  assert.equal(issuesOf({ type: 'string', nullable: true }, null).length, 0);
  assert.equal(issuesOf({ nullable: true }, null).length, 0);
});

test('recursive schemas are validated, also by their own id', () => {
  for (const $ref of ['#', 'https://example.org/tree', 'tree', '#/$defs/node', '#node']) {
    const schema: Json = {
      $id: 'https://example.org/tree',
      type: 'object',
      properties: { value: { type: 'number' }, next: { $ref } },
      $defs: {
        node: {
          $anchor: 'node',
          type: 'object',
          properties: { value: { type: 'number' }, next: { $ref: '#/$defs/node' } },
        },
      },
    };
    assert.deepEqual(issuesOf(schema, { next: { value: 1 } }), [], $ref);
    assert.deepEqual(
      issuesOf(schema, { next: { next: { value: 'x' } } }).map(({ pointer }) => pointer),
      ['/next/next/value'],
      $ref,
    );
  }
});

test('issues behind an anchor have a pointer into the schema', () => {
  const schema = { properties: { a: { $ref: '#t' } }, $defs: { 'x/%': { $anchor: 't', type: 'string' } } };
  assert.deepEqual(
    issuesOf(schema, { a: 1 }).map(({ schemaPointer, expected }) => [schemaPointer, expected]),
    [['/$defs/x~1%/type', 'string']],
  );
});

test('all faults of a schema are reported with their places', () => {
  assert.deepEqual(faultsOf({ properties: { a: { type: 'text' }, b: { required: true } } }), [
    ['invalid', '/properties/a/type'],
    ['invalid', '/properties/b/required'],
  ]);
  assert.deepEqual(faultsOf({ $ref: '#/$defs/none' }), [['reference-missing', '/$ref']]);
  assert.deepEqual(faultsOf({ properties: { a: { $ref: 'https://example.org/b.json' } } }), [
    ['reference-external', '/properties/a/$ref'],
  ]);
  assert.deepEqual(faultsOf({ properties: { a: { pattern: '(' } } }), [['pattern-invalid', '/properties/a/pattern']]);
  assert.deepEqual(faultsOf('object'), [['invalid', '']]);
  assert.deepEqual(faultsOf(null), [['invalid', '']]);
  assert.deepEqual(faultsOf({ $ref: 'file:///etc/passwd' }), [['reference-external', '/$ref']]);
});

test('a pattern that could backtrack exponentially is matched at once', () => {
  const cost = startCost();
  assert.equal(issuesOf({ pattern: '^(a+)+$' }, `${'a'.repeat(50_000)}b`).length, 1);
  assert.ok(cost() < 300);
});

test('a pattern that needs more than linear time is not a fault: it is reported, and the caller may match it', () => {
  const schema: Json = {
    properties: { a: { pattern: '^(?=.*\\d).+$' } },
    patternProperties: { '^(?!a)': { type: 'string' } },
  };
  const validator = createValidator(schema);
  assert.ok(validator.ok);
  assert.deepEqual(validator.uncheckedPatterns, [
    { pointer: '/patternProperties', pattern: '^(?!a)' },
    { pointer: '/properties/a/pattern', pattern: '^(?=.*\\d).+$' },
  ]);
  assert.deepEqual(validator.validate({ a: 'none' }), []);
  const native: Matches = (pattern, text) => new RegExp(pattern, 'u').test(text);
  assert.deepEqual(
    issuesOf(schema, { a: 'none' }, native).map(({ pointer }) => pointer),
    ['/a'],
  );
  assert.deepEqual(issuesOf(schema, { a: '1' }, native), []);
});

test('each pattern of a schema has its own matcher', () => {
  const schema = {
    properties: { day: { pattern: '^[0-9]{4}$' }, zone: { pattern: '^[+-][0-9]{2}$' }, word: { pattern: '^(?=a).*$' } },
    patternProperties: { '^x-': { pattern: '^y' } },
  };
  assert.deepEqual(issuesOf(schema, { day: '2024', zone: '+01', word: 'b', 'x-1': 'yes' }), []);
  const wrong = issuesOf(schema, { day: '+01', zone: '2024', 'x-1': '2024' });
  assert.deepEqual(wrong.map((issue) => issue.pointer).sort(), ['/day', '/x-1', '/zone']);
});

test('patterns of usual documents are checked', () => {
  const samples: [pattern: string, good: string, bad: string][] = [
    ['^\\d{4}-\\d{2}-\\d{2}$', '2024-05-01', '24-5-1'],
    ['^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$', '00000000-0000-0000-0000-000000000000', 'x'],
    ['^[\\w.+\\-]+@[\\w\\-]+\\.\\w+$', 'a@b.cn', 'a'],
    ['^P\\d+\\_x$', 'P1_x', 'P_x'],
    ['^[\\u4e00-\\u9fa5]+$', '商品', 'abc'],
    ['^\\p{L}+$', 'é商', '1'],
    ['^[A-Fa-f0-9]{64}$', 'a'.repeat(64), 'a'],
  ];
  for (const [pattern, good, bad] of samples) {
    const validator = createValidator({ pattern });
    assert.ok(validator.ok, pattern);
    assert.deepEqual(validator.uncheckedPatterns, [], pattern);
    assert.deepEqual(validator.validate(good), [], pattern);
    assert.equal(validator.validate(bad).length, 1, pattern);
  }
});

test('multiples are checked on decimal numbers as written', () => {
  for (const amount of [19.99, 0.07, 1_234_567.89]) assert.deepEqual(issuesOf({ multipleOf: 0.01 }, amount), []);
  assert.equal(issuesOf({ multipleOf: 0.01 }, 19.995).length, 1);
  assert.equal(issuesOf({ multipleOf: 3 }, 10).length, 1);
});

test('known formats are checked, unknown ones are not', () => {
  assert.equal(issuesOf({ format: 'uuid' }, 'msg001').length, 1);
  assert.equal(issuesOf({ format: 'date-time' }, '2024-01-01T00:00:00Z').length, 0);
  assert.equal(issuesOf({ format: 'price' }, 'x').length, 0);
  assert.equal(issuesOf({ type: 'integer', format: 'int32' }, 2 ** 40).length, 1);
});

test('schemas with unbounded evaluation give an issue and do not hang', () => {
  const cost = startCost();
  assert.deepEqual(
    issuesOf(doubling, {}).map(({ keyword }) => keyword),
    ['cost'],
  );
  assert.deepEqual(
    issuesOf({ type: 'object', $ref: '#' }, {}).map(({ keyword }) => keyword),
    ['cost'],
  );
  const nested: Json = { anyOf: [1, 2].map(() => ({ properties: { a: { $ref: '#' } }, required: ['a'] })) };
  let value: Json = 1;
  for (let depth = 0; depth < 60; depth += 1) value = { a: value };
  assert.deepEqual(
    issuesOf(nested, value).map(({ keyword }) => keyword),
    ['cost'],
  );
  const list = Array.from({ length: 20_000 }, (_, index) => ({ index }));
  assert.deepEqual(
    issuesOf({ uniqueItems: true }, list).map(({ keyword }) => keyword),
    ['cost'],
  );
  assert.ok(cost() < 300);
});

test('large schemas and values are limited', () => {
  const properties = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`p${index}`, {}]));
  assert.deepEqual(faultsOf({ properties }), [['too-large', '']]);
  let deep: Json = {};
  for (let depth = 0; depth < 100; depth += 1) deep = { items: deep };
  assert.equal(faultsOf(deep)[0]?.[0], 'too-large');
  assert.deepEqual(faultsOf({ enum: Array.from({ length: 10_000 }, (_, index) => index) }), [['too-large', '']]);
  const bounded = (count: number): Json => ({
    properties: Object.fromEntries(
      Array.from({ length: count }, (_, n) => [
        `p${n}`,
        { type: 'string', title: 'a', minLength: 1, maxLength: 9, pattern: 'x', description: 'what it is' },
      ]),
    ),
  });
  assert.deepEqual(faultsOf(bounded(390)), []);
  const wider = { minItems: 1, ...(bounded(390) as object), items: { minimum: 1 }, not: { type: ['array'] } } as Json;
  assert.deepEqual(faultsOf(wider), []);
  const bounds = { minLength: 1, maxLength: 9, minItems: 1, maxItems: 9, minimum: 1, maximum: 9 };
  const everywhere = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`p${n}`, bounds]));
  assert.deepEqual(faultsOf({ properties: everywhere }), [['too-large', '']]);
  const many = issuesOf(
    { items: { type: 'string' } },
    Array.from({ length: 40_000 }, () => 1),
  );
  assert.equal(many.length, 1);
});

test('names from Object.prototype are ordinary members', () => {
  const schema = JSON.parse(
    '{"type":"object","properties":{"constructor":{"type":"string"}},"required":["toString","__proto__"]}',
  ) as Json;
  assert.deepEqual(
    issuesOf(schema, {}).map(({ property }) => property),
    ['toString', '__proto__'],
  );
  assert.deepEqual(issuesOf(schema, JSON.parse('{"toString":1,"__proto__":2,"constructor":"x"}') as Json), []);
  assert.deepEqual(issuesOf({ additionalProperties: false }, JSON.parse('{"__proto__":1}') as Json).length, 1);
});

test('no text of a schema becomes code', () => {
  const hostile = ['"];globalThis.pwned=1;//\'`$', '{globalThis.pwned=1}\u2028'].join('');
  const schema: Json = {
    title: hostile,
    properties: { [hostile]: { type: 'string', pattern: '^[`\'"{}]+$', enum: [hostile], format: hostile } },
    required: [hostile],
    patternProperties: { '[`\'"]': { const: hostile } },
    [hostile]: hostile,
    $comment: hostile,
    dependentRequired: { [hostile]: [hostile] },
  };
  issuesOf(schema, { [hostile]: hostile });
  issuesOf(schema, {});
  assert.equal(Object.hasOwn(globalThis, 'pwned'), false);
});

test('an unmatched pattern never breaks a schema, whatever keywords are around it', () => {
  const [one, two] = [{ pattern: '^(?=P)x' }, { pattern: '^(?!P)y' }];
  const only = { type: 'string', pattern: '^a' };
  for (const schema of [
    one,
    { not: one },
    { oneOf: [one, { type: 'string' }] },
    { oneOf: [one, two] },
    { not: { anyOf: [one, two] } },
    JSON.parse('{ "if": { "pattern": "^(?=P)x" }, "then": { "type": "integer" } }'),
    JSON.parse('{ "if": { "pattern": "^(?=P)x" }, "else": { "type": "integer" } }'),
    { allOf: [{ not: one }, two] },
  ])
    assert.deepEqual(issuesOf(schema, 'a'), [], JSON.stringify(schema));
  for (const [schema, keyword] of [
    [{ allOf: [{ not: one }, only] }, 'pattern'],
    [{ oneOf: [{ ...one, type: 'integer' }, { type: 'null' }] }, 'oneOf'],
    [{ not: { anyOf: [one, { type: 'string' }] } }, 'not'],
  ] as [Json, string][])
    assert.ok(
      issuesOf(schema, 'b').some((issue) => issue.keyword === keyword),
      JSON.stringify(schema),
    );
});

test('issues behind references to references have their place in the whole schema', () => {
  const schema = {
    type: 'object',
    properties: { tree: { $ref: '#/$defs/node' }, type: { const: 'x' }, value: { type: 'null' } },
    $defs: {
      node: {
        type: 'object',
        properties: { value: { type: 'string' }, next: { $ref: '#/$defs/node' } },
        required: ['value'],
      },
    },
  };
  const places = issuesOf(schema, { tree: { value: 1, next: { value: 2, next: {} } }, value: 3 });
  assert.deepEqual(
    places
      .map(({ pointer, schemaPointer, expected }) => [pointer, schemaPointer, expected])
      .sort(([one = ''], [other = '']) => (String(one) < String(other) ? -1 : 1)),
    [
      ['/tree/next/next', '/$defs/node/required', 'value'],
      ['/tree/next/value', '/$defs/node/properties/value/type', 'string'],
      ['/tree/value', '/$defs/node/properties/value/type', 'string'],
      ['/value', '/properties/value/type', 'null'],
    ],
  );
});

test('a large definition is compiled once, however many references point to it', () => {
  const costOf = (references: number): number => {
    const names = Array.from({ length: 300 }, (_, n) => `p${n}`);
    const schema = {
      properties: Object.fromEntries(
        names.map((name, n) => [name, n < references ? { $ref: '#/$defs/d' } : { type: 'string' }]),
      ),
      $defs: {
        d: { properties: Object.fromEntries(names.slice(0, 60).map((name) => [name, { type: 'string' }])) },
      },
    };
    const cost = startCost();
    const validator = createValidator(schema);
    assert.ok(validator.ok && !validator.allows({ p0: { p59: 5 } }));
    return cost();
  };
  costOf(1);
  assert.ok(costOf(300) < 10 * costOf(1));
});
