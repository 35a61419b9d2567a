import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { JsonObject } from '../../src/kernel/json.ts';
import { fittingTypes } from '../../src/typing/fitting-types.ts';
import { createTypeChecker } from '../../src/typing/type-checker.ts';
import { declareTypes, type TypeSources } from '../../src/typing/types-from-schemas.ts';

const checker = createTypeChecker();
after(() => checker.close());

const SOURCES: TypeSources = { role: 'provider', payload: 'json', tools: [] };

const times = (count: number, make: (n: number) => JsonObject): JsonObject[] =>
  Array.from({ length: count }, (_, n) => make(n));

const object = (name: string, member: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties: { [name]: member },
  required: [name],
});

/** Two alternatives of the nth choice. */
const choice = (n: number): JsonObject => ({ anyOf: [object(`a${n}`), object(`b${n}`)] });

const named = (name: string, parts: readonly JsonObject[]): JsonObject =>
  Object.fromEntries(parts.map((part, n) => [`${name}${n}`, part]));

/** Schemas of a few KB whose types would have a million alternatives or more. */
const COSTLY: Record<string, JsonObject> = {
  'choices of two': { allOf: times(20, choice) },
  'choices of three': { allOf: times(13, (n) => ({ oneOf: times(3, (m) => object(`a${n}_${m}`)) })) },
  'choices of types': {
    allOf: times(10, (n) => ({ ...object(`p${n}`), type: ['object', 'array', 'string', 'null'] })),
  },
  'choices beside values': {
    allOf: times(10, (n) => ({ anyOf: [{ enum: times(40, (m) => m as never) }, object(`a${n}`)] })),
  },
  'choices by reference': {
    allOf: times(20, (n) => ({ $ref: `#/$defs/d${n}` })),
    $defs: named('d', times(20, choice)),
  },
  'choices of a member': { allOf: times(20, (n) => object('p', choice(n))) },
  'choices of a member of a member': { allOf: times(20, (n) => object('p', object('q', object('r', choice(n))))) },
  'choices of elements': object('list', { allOf: times(20, (n) => ({ type: 'array', items: choice(n) })) }),
  'choices of unnamed members': { allOf: times(20, (n) => ({ type: 'object', additionalProperties: choice(n) })) },
  'choices of choices': times(20, choice).reduce((inner, one, n) => ({
    allOf: [{ anyOf: [inner, object(`u${n}`)] }, one],
  })),
  'types that double one another': {
    $ref: '#/$defs/d0',
    $defs: named('d', [
      ...times(20, (n) => ({
        anyOf: ['x', 'y'].map((name) => ({ allOf: [{ $ref: `#/$defs/d${n + 1}` }, object(`${name}${n}`)] })),
      })),
      object('leaf'),
    ]),
  },
  'members that double one another': {
    $ref: '#/$defs/d0',
    $defs: named('d', [
      ...times(20, (n) => {
        const next = { $ref: `#/$defs/d${n + 1}` };
        return { allOf: [object('m', next), object('m', { anyOf: [object(`x${n}`), next] })] };
      }),
      object('leaf'),
    ]),
  },
};

const USES = `import type { Request, Response } from './types';
export const handle = (request: Request): Response => {
  const literal = { a0: 1, b1: 2, p: { a1: 1, q: { r: { a2: 1 } } }, m: {}, list: [{ a1: 1 }] };
  const both: Response = { ...request, ...({} as Response) };
  return Math.max(0, 1) > 1 ? (literal as Response) : both;
};
`;

for (const [name, schema] of Object.entries(COSTLY)) {
  test(`no module is refused because ${name} is expensive for the compiler`, async () => {
    const types = await fittingTypes({ ...SOURCES, requestSchema: schema, responseSchema: schema }, checker, {});
    for (const { code } of await checker.check(USES, types)) assert.equal(code, 'CANDIDATE_TYPES');
  });
}

test('the type of a large intersection keeps the parts that fit and accepts all values of the schema', async () => {
  const responseSchema = {
    allOf: [object('id', { type: 'string' }), ...times(20, choice), object('count', { type: 'number' })],
  };
  const types = await declareTypes({ ...SOURCES, responseSchema });
  const answer = (text: string) =>
    checker.check(`import type { Response } from './types';\nexport const handle = (): Response => (${text});`, types);
  const every = times(20, (n) => ({ [`a${n}`]: n })).map((one) => JSON.stringify(one).slice(1, -1));
  assert.deepEqual(await answer(`{ id: 'x', count: 1, ${every.join(', ')} }`), []);
  assert.match(
    (await answer(`{ id: 1, count: 1, ${every.join(', ')} }`))[0]?.message ?? '',
    /'number' is not assignable/,
  );
  assert.match((await answer(`{ id: 'x', count: '1', ${every.join(', ')} }`))[0]?.message ?? '', /not assignable/);
  assert.match(
    (await answer(`{ id: 'x', count: 1, ${every.slice(1).join(', ')} }`))[0]?.message ?? '',
    /not assignable/,
  );
});

test('schemas with few alternatives keep their whole type', async () => {
  const kinds = times(100, (n) => object('kind', { const: `k${n}` }));
  const requestSchema = {
    allOf: [object('id', { type: 'string' }), { anyOf: kinds }, object('at', { type: ['string', 'null'] })],
  };
  const types = await declareTypes({ ...SOURCES, requestSchema });
  for (const part of ['id: string', 'kind: "k0"', 'kind: "k99"', 'at: (string | null)'])
    assert.ok(types.includes(part), part);
});

/** A schema whose type compiles, but whose ordinary use takes the compiler a second or more. */
const WIDE: JsonObject = {
  anyOf: times(120, (n) => ({
    type: 'object',
    properties: Object.fromEntries(
      Array.from({ length: 6 }, (_, m) => [
        `p${(n * 7 + m * 3) % 40}`,
        { type: ['string', 'number', 'boolean'][(n + m) % 3] as string },
      ]),
    ),
  })),
};

test('a schema that is too expensive becomes `any`, the others keep their types, and an agreement is checked once', async () => {
  let looks = 0;
  const counting: Parameters<typeof fittingTypes>[1] = {
    admits: (...given) => {
      looks += 1;
      return checker.admits(...given);
    },
  };
  const tools = [
    { name: 'look', inputSchema: object('id', { type: 'string' }), outputSchema: object('price', { type: 'number' }) },
  ];
  const sources = { ...SOURCES, tools, requestSchema: WIDE, responseSchema: object('price', { type: 'number' }) };
  assert.equal(await checker.admits(await declareTypes(sources)), false);
  const types = await fittingTypes(sources, counting, {});
  assert.match(types, /^export type Request = any;$/m);
  assert.match(types, /^export type Response = \{\n {2}price: number\n/m);
  assert.match(types, /^export type LookInput = \{\n {2}id: string\n/m);
  const before = looks;
  assert.equal(await fittingTypes(sources, counting, {}), types);
  assert.equal(looks, before);
});

test('declarations that do not compile are not admitted', async () => {
  const handle = 'export type Handle = (request: Request) => Response;\n';
  assert.ok(await checker.admits(`export type Request = { a: 1 };\nexport type Response = string | null;\n${handle}`));
  for (const wrong of [
    'export type Request = Missing;',
    'export type Request = {;',
    'export type Request = Request & { a: 1 };',
  ])
    assert.equal(await checker.admits(`${wrong}\nexport type Response = any;\n${handle}`), false, wrong);
});
