import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { CaseValidation } from '../../src/documents/case-validation.ts';
import { familyNamed } from '../../src/families/families.ts';
import { isObject, type Json, type JsonObject } from '../../src/kernel/json.ts';
import { MAX_METHODS, readServiceDescription } from '../../src/service-descriptions/read-service-description.ts';
import type { ServiceDescription } from '../../src/service-descriptions/service-description.ts';

const fixtures = join(import.meta.dirname, '../../fixtures/service-descriptions');
const names = [
  ...[
    'petstore.json',
    'simple-math.json',
    'params-by-name-petstore.json',
    'articles.openrpc.json',
    'rooms.openapi.json',
  ],
  ...['units.tools.json', 'booking.jsonrpc.json'],
];
const samples = names.map((name) => JSON.parse(readFileSync(join(fixtures, name), 'utf8')) as Json);

/** Reads a text, alone and as the document of an agreement, and returns the first with its promises checked. */
function read(text: string): ServiceDescription {
  const described = readServiceDescription(text);
  assert.equal(
    described.interactions.length === 0,
    described.cases.length === 0 && described.interactions.length === 0,
  );
  for (const { finding, at } of described.faults) {
    assert.match(finding.code, /^DOCUMENT_/);
    assert.match(finding.message, /^Cannot [^\n]{1,2000}$/);
    assert.ok(at >= 0 && at <= text.length);
  }
  if (described.format === null) assert.equal(described.faults.length, 1);
  assert.equal(new Set(described.interactions.map(({ name }) => name)).size, described.interactions.length);
  for (const { request, replies } of described.interactions)
    for (const located of [request, ...replies])
      assert.ok(located === null || (located.start >= 0 && located.start <= located.end && located.end <= text.length));
  const reading = familyNamed('anp')?.read(
    { document: text, cases: null },
    { payload: undefined, baseProtocols: {}, validation: new CaseValidation() },
  );
  assert.ok((reading?.interactions.length ?? 0) > 0);
  return described;
}

/** The facts of a description, without their places. */
function factsOf({ format, title, interactions, cases, faults }: ServiceDescription) {
  return {
    format,
    title,
    interactions: interactions.map(({ name, request, replies }) => [
      name,
      request?.schema,
      replies.map(({ schema }) => schema),
    ]),
    cases,
    faults: faults.map(({ finding }) => finding),
  };
}

/** All places of a value. */
function placesIn(value: Json, path: (string | number)[] = []): (string | number)[][] {
  const inner = Array.isArray(value) ? [...value.entries()] : isObject(value) ? Object.entries(value) : [];
  return [path, ...inner.flatMap(([name, one]) => placesIn(one, [...path, name]))];
}

function replaced(value: Json, [first, ...rest]: readonly (string | number)[], by: Json | undefined): Json {
  if (first === undefined) return by ?? null;
  // An earlier change may have taken the place away.
  if (typeof value !== 'object' || value === null) return value;
  const change = (one: Json): Json | undefined => (rest.length === 0 ? by : replaced(one, rest, by));
  if (Array.isArray(value)) return value.flatMap((one, index) => (index === first ? (change(one) ?? []) : [one]));
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, one]): [string, Json][] => {
      const made = name === first ? change(one) : one;
      return made === undefined ? [] : [[name, made]];
    }),
  );
}

const odd: fc.Arbitrary<Json | undefined> = fc.oneof(
  fc.constant(undefined),
  fc.constantFrom<Json>(null, true, 0, -1, 1e308, '', '__proto__', 'constructor', [], {}, [[]], { $ref: '#' }),
  fc.constantFrom<Json>(
    ...['#/components', '#/components/schemas/Pet', '#/methods/0', '#/%zz', '#/a~2', 'x.json', '#/__proto__'].map(
      ($ref): Json => ({ $ref }),
    ),
  ),
  fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as Json),
);

test('whatever is put into a description or taken from it, reading ends with facts or faults', () => {
  const changed = fc
    .constantFrom(...samples)
    .chain((sample) =>
      fc
        .array(fc.tuple(fc.constantFrom(...placesIn(sample)), odd), { minLength: 1, maxLength: 3 })
        .map((changes) => changes.reduce((value, [path, by]) => replaced(value, path, by), sample)),
    );
  fc.assert(
    fc.property(changed, (value) => void read(JSON.stringify(value, null, 1))),
    { numRuns: 150 },
  );
});

test('any text is read, and any cut of a description', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.constantFrom(...names).chain((name) => {
      const text = readFileSync(join(fixtures, name), 'utf8');
      return fc.integer({ min: 0, max: text.length }).map((end) => text.slice(0, end));
    }),
  );
  fc.assert(
    fc.property(texts, (text) => void read(text)),
    { numRuns: 100 },
  );
});

test('JSON and YAML of one description say the same', () => {
  for (const sample of samples)
    assert.deepEqual(factsOf(read(stringify(sample))), factsOf(read(JSON.stringify(sample))));
});

test('the order of members and unknown members change no fact', () => {
  const shuffled = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(shuffled);
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value)
        .map(([name, one]): [string, Json] => [name, shuffled(one)])
        .reverse(),
    );
  };
  const namesOf = (value: Json) =>
    read(JSON.stringify(value))
      .interactions.map(({ name }) => name)
      .sort();
  for (const sample of samples) {
    assert.deepEqual(namesOf(shuffled(sample)), namesOf(sample));
    const more = isObject(sample) ? { 'x-more': { methods: [1] }, ...sample } : sample;
    assert.deepEqual(
      factsOf(read(JSON.stringify(more))).interactions,
      factsOf(read(JSON.stringify(sample))).interactions,
    );
  }
});

test('members of an object’s own prototype are names like any other', () => {
  const schema = { type: 'integer' };
  const text = `{"openrpc":"1.3.0","methods":[
    {"name":"__proto__","params":[{"name":"__proto__","required":true,"schema":{"$ref":"#/components/schemas/__proto__"}}],"result":{"name":"r","schema":{"$ref":"#/components/schemas/constructor"}}},
    {"name":"constructor","params":[{"name":"toString","schema":{"type":"string"}}],"result":{"$ref":"#/components/contentDescriptors/hasOwnProperty"}}],
    "components":{"schemas":{"__proto__":${JSON.stringify(schema)},"constructor":{"type":"null"}}}}`;
  const described = read(text);
  assert.deepEqual(
    described.interactions.map(({ name }) => name),
    ['__proto__', 'constructor'],
  );
  const request = described.interactions[0]?.request?.schema as { properties: JsonObject; required: string[] };
  assert.deepEqual(Object.keys(request.properties), ['__proto__', '$method']);
  assert.deepEqual(request.required, ['__proto__', '$method']);
  assert.deepEqual(
    described.faults.map(({ finding }) => finding.pointer),
    ['/methods/1/result'],
  );
  assert.equal(Object.getPrototypeOf({}), Object.prototype);
});

const rpc = (more: JsonObject): string =>
  JSON.stringify({
    openrpc: '1.3.0',
    methods: [{ name: 'm', params: [], result: { name: 'r', schema: {} } }],
    ...more,
  });

const definitions = (count: number, make: (index: number) => Json): JsonObject => ({
  components: {
    schemas: Object.fromEntries(
      Array.from({ length: count }, (_, index): [string, Json] => [`s${index}`, make(index)]),
    ),
  },
});

const method = (index: number, params: Json, schema: Json = {}): Json => ({
  name: `m${index}`,
  params,
  result: { name: 'r', schema },
});

/** Descriptions that make a careless reader slow, or end it. */
const hostile: Record<string, string> = {
  'nested too deep': `{"openrpc":"1.3.0","methods":${'['.repeat(100_000)}`,
  'schemas nested deep': rpc({ methods: [method(0, [], JSON.parse(`${'{"items":'.repeat(55)}{}${'}'.repeat(55)}`))] }),
  'a circle of references': rpc({
    methods: [{ $ref: '#/components/a' }, { $ref: '#/methods/1' }],
    components: { a: { $ref: '#/components/b' }, b: { $ref: '#/components/a' } },
  }),
  'a long chain of definitions': rpc({
    methods: [method(0, [], { $ref: '#/components/schemas/s0' })],
    ...definitions(5_000, (index) => ({ properties: { next: { $ref: `#/components/schemas/s${index + 1}` } } })),
  }),
  'each definition needs all': rpc({
    methods: Array.from({ length: 64 }, (_, index) => method(index, [], { $ref: '#/components/schemas/s0' })),
    ...definitions(60, () => ({
      anyOf: Array.from({ length: 60 }, (_, index) => ({ $ref: `#/components/schemas/s${index}` })),
    })),
  }),
  'each definition is twice the one before': rpc({
    methods: [method(0, [{ name: 'x', schema: { $ref: '#/components/schemas/s0' } }]), method(1, [])],
    ...definitions(40, (index) => ({ allOf: [0, 1].map(() => ({ $ref: `#/components/schemas/s${index + 1}` })) })),
  }),
  'very many methods': rpc({ methods: Array.from({ length: 3_000 }, (_, index) => method(index, [])) }),
  'very many parameters, errors and examples': rpc({
    methods: Array.from({ length: 64 }, (_, index) => ({
      name: `m${index}`,
      params: Array.from({ length: 300 }, (_, at) => ({ name: `p${at}`, schema: {} })),
      errors: Array.from({ length: 300 }, () => ({ code: 1, message: '' })),
      examples: Array.from({ length: 100 }, () => ({ params: [], result: { value: 1 } })),
    })),
  }),
  'one huge schema used everywhere': rpc({
    methods: Array.from({ length: 64 }, (_, index) =>
      method(index, [{ name: 'x', schema: { $ref: '#/components/schemas/s0' } }], { $ref: '#/components/schemas/s0' }),
    ),
    ...definitions(1, () => ({
      type: 'object',
      properties: Object.fromEntries(Array.from({ length: 5_000 }, (_, at): [string, Json] => [`p${at}`, {}])),
    })),
  }),
  'very many paths and responses': JSON.stringify({
    openapi: '3.0.0',
    paths: Object.fromEntries(
      Array.from({ length: 400 }, (_, at): [string, Json] => [
        `/p${at}`,
        { get: { responses: Object.fromEntries(Array.from({ length: 60 }, (_, code) => [400 + code, {}])) } },
      ]),
    ),
  }),
  'a pattern that never ends': rpc({
    methods: [method(0, [{ name: 'x', schema: { type: 'string', pattern: '^(a+)+$' } }])],
  }),
  'YAML whose aliases explode': `openapi: 3.0.0\nx0: &x0 [a, a]\n${Array.from({ length: 40 }, (_, at) => `x${at + 1}: &x${at + 1} [*x${at}, *x${at}]`).join('\n')}\npaths: *x40\n`,
  'YAML that refers to itself': 'openapi: 3.0.0\npaths: &p\n  /a: *p\n',
  'YAML that nests deep': `openapi: 3.0.0\npaths:\n  a: ${'['.repeat(5_000)}`,
  'YAML with very many lines': `openapi: 3.0.0\n${Array.from({ length: 30_000 }, (_, at) => `x-${at}: a`).join('\n')}`,
  'YAML with names of the prototype':
    'openapi: 3.0.0\npaths:\n  __proto__:\n    get:\n      responses: {}\n<<: {a: 1}\n',
};

for (const [what, text] of Object.entries(hostile))
  test(`${what}: faults, no exception and no hang`, () => {
    const { interactions } = read(text);
    assert.ok(interactions.length <= MAX_METHODS);
  });
