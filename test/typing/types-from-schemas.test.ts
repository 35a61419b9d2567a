import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import type { Json } from '../../src/kernel/json.ts';
import { createTypeChecker } from '../../src/typing/type-checker.ts';
import { declareTypes, type TypeSources } from '../../src/typing/types-from-schemas.ts';

const checker = createTypeChecker();
after(() => checker.close());

const SOURCES: TypeSources = { role: 'provider', payload: 'json', tools: [] };

/** Type errors of a module against the types; errors of the types themselves come first. */
async function faults(types: string, source: string): Promise<string[]> {
  // The types as a module, because syntax errors of a declaration file do not show in the module that imports it.
  const own = await checker.check(types, 'export {};');
  const found = own.length > 0 ? own : await checker.check(source, types);
  return found.map(({ line, message }) => `${line}: ${message}`);
}

const HANDLE =
  "import type { Context, Request, Response } from './types';\nexport async function handle(request: Request, context: Context): Promise<Response> ";

/** Type errors of an expression returned as a response. */
async function responseFaults(responseSchema: Json, expression: string): Promise<string[]> {
  const types = await declareTypes({ ...SOURCES, responseSchema });
  return faults(types, `${HANDLE}{ void request; void context; return ${expression}; }`);
}

test('members, lists, alternatives and constants are typed', async () => {
  const schema = {
    type: 'object',
    properties: {
      id: { type: 'string' },
      count: { type: 'integer' },
      tags: { type: 'array', items: { type: 'string' } },
      info: { type: ['object', 'null'], properties: { price: { type: 'number' } }, required: ['price'] },
      status: { enum: ['ok', 'failed'] },
      kind: { const: 'RESPONSE' },
      either: { oneOf: [{ type: 'string' }, { type: 'number' }] },
    },
    required: ['id', 'status'],
    additionalProperties: false,
  };
  const good = "{ id: 'a', count: 1, tags: ['x'], info: { price: 1 }, status: 'ok', kind: 'RESPONSE', either: 2 }";
  assert.deepEqual(await responseFaults(schema, good), []);
  assert.deepEqual(await responseFaults(schema, "{ id: 'a', status: 'failed', info: null }"), []);
  for (const bad of [
    '{}',
    "{ id: 1, status: 'ok' }",
    "{ id: 'a', status: 'fine' }",
    "{ id: 'a', status: 'ok', info: {} }",
    "{ id: 'a', status: 'ok', extra: 1 }",
    "{ id: 'a', status: 'ok', tags: [1] }",
    "{ id: 'a', status: 'ok', kind: 'REQUEST' }",
    "{ id: 'a', status: 'ok', either: true }",
  ]) {
    assert.notDeepEqual(await responseFaults(schema, bad), [], bad);
  }
});

test('types are as open as their schemas', async () => {
  assert.deepEqual(
    await responseFaults(
      { type: 'object', properties: { a: { type: 'string' } } },
      "{ a: 'x', more: [1, { deep: true }] }",
    ),
    [],
  );
  assert.deepEqual(
    await responseFaults(
      { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: { type: 'number' } },
      "{ a: 'x', b: 1 }",
    ),
    [],
  );
  assert.deepEqual(
    await responseFaults(
      { type: 'object', patternProperties: { '^x': { type: 'number' } }, additionalProperties: false },
      '{ x1: 1 }',
    ),
    [],
  );
  assert.deepEqual(await responseFaults({ type: 'object', additionalProperties: { type: 'number' } }, '{ b: 1 }'), []);
  assert.notDeepEqual(
    await responseFaults({ type: 'object', additionalProperties: { type: 'number' } }, "{ b: 'x' }"),
    [],
  );
  assert.deepEqual(
    await responseFaults({ type: 'array', prefixItems: [{ type: 'number' }, { type: 'string' }] }, "[1, 'a']"),
    [],
  );
  assert.deepEqual(await responseFaults({ type: 'array', items: [{ type: 'number' }] }, "[1, 'a']"), []);
  assert.deepEqual(await responseFaults({ not: { type: 'string' } }, '{ any: 1 }'), []);
  for (const schema of [undefined, null, true, {}] as (Json | undefined)[]) {
    const types = await declareTypes({
      ...SOURCES,
      ...(schema === undefined ? {} : { requestSchema: schema, responseSchema: schema }),
    });
    assert.deepEqual(await faults(types, `${HANDLE}{ void context; return request.anything.at.all; }`), []);
  }
});

test('branches with only "required" do not widen the type to any', async () => {
  const schema = {
    type: 'object',
    properties: { a: { type: 'string' } },
    anyOf: [{ required: ['a'] }, { required: ['b'] }],
  };
  assert.notDeepEqual(await responseFaults(schema, '{ a: 1 }'), []);
  assert.deepEqual(await responseFaults(schema, "{ a: 'x' }"), []);
});

test('local references are followed, including circular and broken ones', async () => {
  const node = {
    type: 'object',
    properties: { value: { type: 'number' }, next: { $ref: '#/$defs/node' } },
    required: ['value'],
    additionalProperties: false,
  };
  const schema = {
    $defs: { node },
    type: 'object',
    properties: { head: { $ref: '#/$defs/node' }, self: { $ref: '#' } },
    additionalProperties: false,
  };
  assert.deepEqual(await responseFaults(schema, '{ head: { value: 1, next: { value: 2 } }, self: { self: {} } }'), []);
  assert.notDeepEqual(await responseFaults(schema, "{ head: { value: 1, next: { value: 'x' } } }"), []);
  for (const odd of [
    { $ref: '#' },
    { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } },
    { anyOf: [{ $ref: '#' }, { type: 'string' }] },
    { $ref: '#/nowhere' },
    { $ref: 'https://example.org/schema.json' },
    { $ref: 'file:///etc/hostname' },
    { $ref: '#/%' },
    { $ref: '#/__proto__' },
  ]) {
    assert.deepEqual(await responseFaults(odd as Json, '{ any: 1 }'), [], JSON.stringify(odd));
  }
});

test('no text of a schema is pasted, fetched or read', async () => {
  const schema = {
    type: 'object',
    tsType: 'import("node:fs")',
    title: '*/ evil(); /*',
    $id: 'file:///etc/hostname',
    properties: {
      a: {
        type: 'string',
        description: 'ends */ export const evil = 1; /* starts \u202E\u200B ```',
        tsType: 'evil',
        tsEnumNames: ['x'],
      },
      b: { $ref: 'file:///etc/hostname' },
      c: { $ref: 'http://127.0.0.1:9/never.json' },
    },
  };
  const types = await declareTypes({
    ...SOURCES,
    responseSchema: schema,
    tools: [{ name: 'look', description: '*/ evil(); /*' }],
  });
  assert.deepEqual(await checker.check(types, 'export {};'), []);
  assert.doesNotMatch(types, /^\s*(?:export const evil|evil\(\))|node:fs|hostname|[\p{Cf}]/mu);
});

test('hostile member names stay names', async () => {
  const names = [
    '__proto__',
    'constructor',
    'hasOwnProperty',
    'toString',
    '$ref',
    'type',
    'properties',
    'a"b',
    "it's",
    'line\nbreak',
    '*/',
    '',
    '1',
    'a-b',
    'member0_',
    '\u200B',
    '$' + '{x}',
    '`',
    '日本',
  ];
  const schema = JSON.parse(
    `{"type": "object", "additionalProperties": false, "properties": {${names.map((name) => `${JSON.stringify(name)}: {"type": "number"}`).join(', ')}}}`,
  ) as Json;
  const types = await declareTypes({ ...SOURCES, responseSchema: schema });
  assert.deepEqual(await checker.check(types, 'export {};'), []);
  for (const name of names) {
    const text = `import type { Response } from './types';\nexport const value: Response[${JSON.stringify(name)}] = 1;\nexport const handle = (): any => 1;`;
    assert.deepEqual(await checker.check(text, types), [], JSON.stringify(name));
  }
});

test('tools are typed functions without name clashes', async () => {
  const types = await declareTypes({
    ...SOURCES,
    tools: [
      {
        name: 'look',
        inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
        outputSchema: { type: ['number', 'null'] },
      },
      { name: 'Look', outputSchema: { $ref: '#/$defs/look', $defs: { look: { type: 'string' } } } },
      { name: 'context' },
      { name: 'delete' },
      { name: 'request' },
    ],
  });
  assert.deepEqual(
    await faults(
      types,
      `${HANDLE}{ const n: number | null = await context.call.look({ id: 'a' }); const s: string = await context.call.Look(1); await context.call.delete(s); return n; }`,
    ),
    [],
  );
  assert.notDeepEqual(await faults(types, `${HANDLE}{ return context.call.look({ id: 1 }); }`), []);
  assert.notDeepEqual(await faults(types, `${HANDLE}{ return context.call.unknown(1); }`), []);
});

test("values of a module's own interfaces are answers where other members are allowed", async () => {
  const row = {
    type: 'object',
    properties: { name: { type: 'string' }, count: { type: 'integer' } },
    required: ['name'],
  };
  const types = await declareTypes({ ...SOURCES, responseSchema: { type: 'array', items: row } });
  const own = (members: string) =>
    `${HANDLE}{ void request; void context; const rows: Row[] = []; return rows; }\ninterface Row { ${members} }`;
  assert.deepEqual(await faults(types, own('name: string; count?: number; note: string')), []);
  assert.notDeepEqual(await faults(types, own('name: number')), []);
  assert.notDeepEqual(await faults(types, own('count: number')), []);
});

test('the context has what handlers use, and send only for a requester', async () => {
  const provider = await declareTypes(SOURCES);
  assert.deepEqual(
    await faults(
      provider,
      `${HANDLE}{ context.log('a', 1); const t: number = context.now(); const id: string = context.newId(); return { t, id }; }`,
    ),
    [],
  );
  assert.notDeepEqual(await faults(provider, `${HANDLE}{ return context.send(request); }`), []);
  const requester = await declareTypes({
    ...SOURCES,
    role: 'requester',
    requestSchema: { type: 'object', properties: { q: { type: 'string' } } },
    taskOutputSchema: { type: 'number' },
  });
  const perform =
    "import type { Context, HandlerError, Result, Task } from './types';\nexport async function perform(task: Task, context: Context): Promise<Result> ";
  assert.deepEqual(
    await faults(
      requester,
      `${perform}{ try { return await context.send({ q: task.q }); } catch (error) { return (error as HandlerError).code === 'TIMEOUT' ? 1 : 2; } }`,
    ),
    [],
  );
  assert.notDeepEqual(await faults(requester, `${perform}{ return context.send({ q: 1 }); }`), []);
});

test('a text payload is a string', async () => {
  const types = await declareTypes({ ...SOURCES, payload: 'text', requestSchema: { type: 'object' } });
  assert.deepEqual(await faults(types, `${HANDLE}{ void context; return request.toUpperCase(); }`), []);
  assert.notDeepEqual(await faults(types, `${HANDLE}{ void context; return { request }; }`), []);
});

test('declarations are deterministic', async () => {
  const sources: TypeSources = { ...SOURCES, requestSchema: { $ref: '#/$defs/a', $defs: { a: { type: 'object' } } } };
  assert.equal(await declareTypes(sources), await declareTypes(structuredClone(sources)));
});

test('a huge or deep schema is cheap, because it is cut', async () => {
  let deep: Json = { type: 'string' };
  for (let n = 0; n < 500; n += 1) deep = { type: 'object', properties: { a: deep } };
  const wide = {
    type: 'object',
    properties: Object.fromEntries(
      Array.from({ length: 5_000 }, (_, n) => [`m${n}`, { enum: Array.from({ length: 80 }, (_, v) => `v${v}`) }]),
    ),
  };
  for (const schema of [deep, wide]) {
    const types = await declareTypes({ ...SOURCES, requestSchema: schema });
    assert.ok(types.length < 400_000);
    assert.deepEqual(await checker.check(types, 'export {};'), []);
  }
});

const scalar = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.integer(),
  fc.double({ noNaN: true }),
  fc.string({ unit: 'binary', maxLength: 12 }),
);
const memberName = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.constantFrom('a', 'b', 'type', '$ref', '__proto__', 'constructor', 'hasOwnProperty', '*/', 'items'),
);
const { schema: randomSchema } = fc.letrec<{ schema: Json }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.oneof(fc.boolean(), scalar),
    fc.record(
      {
        type: fc.oneof(
          fc.constantFrom('string', 'number', 'integer', 'boolean', 'null', 'array', 'object', 'odd'),
          fc.uniqueArray(fc.constantFrom('string', 'null', 'object', 'array'), { maxLength: 3 }),
        ),
        properties: fc.dictionary(memberName, tie('schema'), { maxKeys: 4 }),
        required: fc.array(memberName, { maxLength: 3 }),
        additionalProperties: tie('schema'),
        items: fc.oneof(tie('schema'), fc.array(tie('schema'), { maxLength: 2 })),
        prefixItems: fc.array(tie('schema'), { maxLength: 2 }),
        enum: fc.array(fc.oneof(scalar, fc.jsonValue() as fc.Arbitrary<Json>), { maxLength: 4 }),
        const: fc.jsonValue() as fc.Arbitrary<Json>,
        anyOf: fc.array(tie('schema'), { maxLength: 3 }),
        oneOf: fc.array(tie('schema'), { maxLength: 3 }),
        allOf: fc.array(tie('schema'), { maxLength: 3 }),
        $defs: fc.dictionary(memberName, tie('schema'), { maxKeys: 2 }),
        $ref: fc.constantFrom(
          '#',
          '#/$defs/a',
          '#/$defs/b',
          '#/properties/a',
          '#/items',
          '#/nowhere',
          'http://example.org',
        ),
        title: fc.string({ unit: 'binary' }),
        description: fc.oneof(fc.string({ unit: 'binary' }), fc.constant('*/ {')),
        tsType: fc.constant('Broken<'),
        minItems: fc.integer({ min: 0, max: 3 }),
        default: fc.jsonValue() as fc.Arbitrary<Json>,
      },
      { requiredKeys: [] },
    ) as fc.Arbitrary<Json>,
  ),
}));

test('types compile for any schema', async () => {
  await fc.assert(
    fc.asyncProperty(randomSchema, randomSchema, async (requestSchema, outputSchema) => {
      const types = await declareTypes({
        ...SOURCES,
        requestSchema,
        responseSchema: outputSchema,
        tools: [{ name: 'look', inputSchema: requestSchema, outputSchema }],
      });
      assert.deepEqual(await checker.check(types, 'export {};'), [], types);
    }),
    { numRuns: 250 },
  );
});
