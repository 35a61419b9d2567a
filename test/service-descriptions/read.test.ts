import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Interaction } from '../../src/contract/agreement.ts';
import { nodeAt, readJson } from '../../src/documents/located-json.ts';
import type { Json } from '../../src/kernel/json.ts';
import { sanitiseSchema } from '../../src/schemas/sanitise-schema.ts';
import { validatorOf } from '../../src/schemas/validator-of.ts';
import { readDescriptionAt, readServiceDescription } from '../../src/service-descriptions/read-service-description.ts';
import type { DescriptionChoice, ServiceDescription } from '../../src/service-descriptions/service-description.ts';

const root = join(import.meta.dirname, '../..');
const fixtures = join(root, 'fixtures/service-descriptions');
const shared = join(root, '../shared/conformance');

const textOf = (name: string) => readFileSync(join(fixtures, name), 'utf8');

const read = (name: string, choice?: DescriptionChoice) => readServiceDescription(textOf(name), choice);

function allows(schema: Json | undefined, value: Json): boolean {
  assert.ok(schema !== undefined);
  const validator = validatorOf(sanitiseSchema(schema).schema);
  assert.ok(validator.ok, JSON.stringify(validator));
  return validator.validate(value).length === 0;
}

/** Whether an interaction allows a request with a reply. */
function isKept({ request, replies }: Interaction, asked: Json, answered: Json): boolean {
  return allows(request?.schema, asked) && replies.some(({ schema }) => allows(schema, answered));
}

function interaction({ interactions }: ServiceDescription, name: string): Interaction {
  const found = interactions.find((one) => one.name === name);
  assert.ok(found, interactions.map((one) => one.name).join());
  return found;
}

const codesOf = ({ faults }: ServiceDescription) => faults.map(({ finding }) => `${finding.severity} ${finding.code}`);

const names = ({ interactions }: ServiceDescription) => interactions.map(({ name }) => name);

test('each method of OpenRPC is an interaction; its request names it, and its errors may answer', () => {
  const petstore = read('petstore.json');
  assert.deepEqual([petstore.format, petstore.title, codesOf(petstore)], ['openrpc', 'Petstore', []]);
  assert.deepEqual(names(petstore), ['list_pets', 'create_pet', 'get_pet']);
  const list = interaction(petstore, 'list_pets');
  assert.ok(isKept(list, { $method: 'list_pets', limit: 1 }, [{ id: 7, name: 'Rex' }]));
  assert.ok(isKept(list, { $method: 'list_pets' }, { error: { code: 100, message: 'busy', data: [1] } }));
  for (const asked of [{ limit: 1 }, { $method: 'get_pet', limit: 1 }, { $method: 'list_pets', limit: 0 }])
    assert.ok(!isKept(list, asked, []), JSON.stringify(asked));
  for (const answer of [[{ id: -1, name: 'Rex' }], { error: { code: 101, message: 'busy' } }, { error: { code: 100 } }])
    assert.ok(!isKept(list, { $method: 'list_pets' }, answer), JSON.stringify(answer));
  assert.ok(!isKept(interaction(petstore, 'create_pet'), { $method: 'create_pet' }, 7));
});

test('the examples of OpenRPC are cases: by name where they are named as parameters, else in order', () => {
  assert.deepEqual(
    read('petstore.json').cases.map(({ testCase, request, response }) => [testCase, request, response]),
    [
      [1, { $method: 'list_pets', limit: 1 }, [{ id: 7, name: 'fluffy', tag: 'poodle' }]],
      [2, { $method: 'create_pet', newPetName: 'fluffy', newPetTag: 'poodle' }, 7],
      [3, { $method: 'get_pet', petId: 7 }, { name: 'fluffy', tag: 'poodle', id: 7 }],
    ],
  );
  assert.deepEqual(
    read('simple-math.json').cases.map(({ request, response }) => [request, response]),
    [
      [{ $method: 'addition', a: 2, b: 2 }, 4],
      [{ $method: 'addition', a: 4, b: 4 }, 8],
      [{ $method: 'subtraction', a: 4, b: 2 }, 2],
      [{ $method: 'subtraction', a: 8, b: 4 }, 4],
    ],
  );
});

test('one method alone has bare requests, whether it is the only one or the only one chosen', () => {
  const metrics = read('metrics.json');
  assert.deepEqual(names(metrics), ['']);
  assert.deepEqual(
    metrics.cases.map(({ request, response }) => [request, response]),
    [[{ 'link href': 'https://open-rpc.org', 'link label': 'Visit the OpenRPC Homepage' }, null]],
  );
  assert.ok(isKept(metrics.interactions[0] as Interaction, {}, null));
  const chosen = read('petstore.json', { methods: ['get_pet'] });
  assert.deepEqual(names(chosen), ['']);
  assert.ok(isKept(chosen.interactions[0] as Interaction, { petId: 1 }, { id: 1, name: 'Rex' }));
  assert.deepEqual(names(read('petstore.json', { methods: ['get_pet', 'list_pets'] })), ['list_pets', 'get_pet']);
  assert.deepEqual(codesOf(read('petstore.json', { methods: ['x', 'get_pet'] })), ['error DOCUMENT_METHOD_UNKNOWN']);
});

test('a method by position gets a list; with others, it stands beside the name', () => {
  const all = interaction(read('params-by-name-petstore.json'), 'get_pet');
  assert.ok(isKept(all, { $method: 'get_pet', params: ['p1'] }, []));
  for (const params of [[], ['p1', 'p2'], [1]])
    assert.ok(!isKept(all, { $method: 'get_pet', params }, []), JSON.stringify(params));
  const [alone] = read('params-by-name-petstore.json', { methods: ['get_pet'] }).interactions;
  assert.ok(alone && isKept(alone, ['p1'], []) && !isKept(alone, [1], []));
});

test('an operation of OpenAPI takes parameters, a body, or both; other statuses than a success are errors', () => {
  const rooms = read('rooms.openapi.json');
  assert.deepEqual([rooms.format, rooms.title, codesOf(rooms)], ['openapi-3.1', 'Rooms', []]);
  assert.deepEqual(names(rooms), ['getRoom', 'PUT /rooms/{id}', 'addRoom']);
  const get = interaction(rooms, 'getRoom');
  assert.ok(isKept(get, { $method: 'getRoom', id: 'r1', 'query.id': 1 }, { id: 'r1', beds: 2 }));
  assert.ok(!isKept(get, { $method: 'getRoom' }, { id: 'r1', beds: 2 }));
  assert.ok(!isKept(get, { $method: 'getRoom', id: 'r1' }, { beds: 2 }));
  assert.ok(isKept(get, { $method: 'getRoom', id: 'r1' }, { error: { code: 404, message: '', data: { detail: '' } } }));
  assert.ok(
    !isKept(get, { $method: 'getRoom', id: 'r1' }, { error: { code: 500, message: '', data: { detail: '' } } }),
  );
  const put = interaction(rooms, 'PUT /rooms/{id}');
  const asked = { $method: 'PUT /rooms/{id}', id: 'r1', body: { beds: 3 } };
  assert.ok(isKept(put, asked, null) && isKept(put, asked, { error: { code: 409, message: '' } }));
  assert.ok(!isKept(put, { ...asked, body: { beds: 0 } }, null) && !isKept(put, asked, {}));
  // What is only read is required in replies alone, and a closed object is opened for the name of the method.
  const add = interaction(rooms, 'addRoom');
  assert.ok(isKept(add, { $method: 'addRoom', beds: 1 }, { id: 'r7', beds: 1 }));
  assert.ok(!isKept(add, { $method: 'addRoom', beds: 1 }, { beds: 1 }));
  assert.ok(!isKept(add, { $method: 'addRoom', beds: 1, floor: 2 }, { id: 'r7', beds: 1 }));
});

test('the examples of OpenAPI are cases where request and reply have one name, or where there is one of each', () => {
  assert.deepEqual(
    read('rooms.openapi.json').cases.map(({ request, response }) => [request, response]),
    [
      [
        { $method: 'getRoom', id: 'r1' },
        { id: 'r1', beds: 2 },
      ],
      [{ $method: 'getRoom', id: 'r9' }, { error: { code: 404, message: 'No such room', data: { detail: 'r9' } } }],
      [
        { $method: 'addRoom', beds: 1 },
        { id: 'r7', beds: 1 },
      ],
    ],
  );
});

test('schemas of OpenAPI 3.0 keep their dialect: null where it says nullable, bounds as it writes them', () => {
  const query = read('hotel-query.openapi.yaml');
  assert.deepEqual([query.format, names(query), codesOf(query)], ['openapi-3.0', [''], []]);
  const [only] = query.interactions;
  const room = { roomName: 'Sea', windowType: null, ratePlans: [{ cancelRule: { freeCancelLatestTime: null } }] };
  const asked = { hotelID: 1, checkInDate: '2025-01-01', checkOutDate: '2025-01-02' };
  assert.ok(only && isKept(only, asked, { data: { rooms: [room] } }));
  assert.ok(!isKept(only, asked, { data: { rooms: [{ ...room, roomName: null }] } }));
  assert.ok(!isKept(only, { ...asked, hotelID: '1' }, {}));
});

test('a tool of MCP takes its arguments; the reply is structured content, a failure, or a whole result', () => {
  const units = read('units.tools.json');
  assert.deepEqual([units.format, names(units), codesOf(units)], ['mcp-tools', ['convertLength', 'listUnits'], []]);
  const convert = interaction(units, 'convertLength');
  assert.ok(isKept(convert, { $method: 'convertLength', metres: 1 }, { feet: 3.28 }));
  const failure = { content: [{ type: 'text', text: 'No' }], isError: true };
  assert.ok(isKept(convert, { $method: 'convertLength', metres: 1 }, failure));
  assert.ok(!isKept(convert, { $method: 'convertLength', metres: 1 }, { ...failure, isError: false }));
  assert.ok(!isKept(convert, { $method: 'convertLength', metres: -1 }, { feet: 3.28 }));
  assert.ok(!isKept(convert, { $method: 'convertLength', metres: 1, x: 1 }, { feet: 3.28 }));
  assert.ok(
    isKept(interaction(units, 'listUnits'), { $method: 'listUnits' }, { content: [{ type: 'text', text: 'm' }] }),
  );
});

test('an object that has tools among other things, such as a job, is no list of tools', () => {
  const { tools } = JSON.parse(textOf('units.tools.json')).result;
  const formatOf = (value: Json) => readServiceDescription(JSON.stringify(value)).format;
  assert.equal(formatOf({ tools, nextCursor: 'c', _meta: {} }), 'mcp-tools');
  assert.equal(formatOf({ tools, negotiationId: 'n', role: 'provider' }), null);
  assert.equal(formatOf({ tools: [...tools, { name: 'x' }] }), null);
});

test('exchanges of JSON-RPC are examples of their methods', () => {
  const booking = read('booking.jsonrpc.json');
  assert.deepEqual([booking.format, names(booking), codesOf(booking)], ['json-rpc', [''], []]);
  const [only] = booking.cases;
  assert.deepEqual(only?.response, { booking_id: 'bk_123', status: 'CONFIRMED' });
  const failure = { code: -1, message: 'no' };
  const exchange = (method: string, params?: Json, response: Json = { result: 1 }): Json => ({
    request: { jsonrpc: '2.0', id: 1, method, ...(params === undefined ? {} : { params }) },
    response,
  });
  const several = readServiceDescription(
    JSON.stringify([exchange('a', [1]), exchange('b'), exchange('a', { x: 1 }, { error: failure })]),
  );
  assert.deepEqual(
    several.cases.map(({ request, response }) => [request, response]),
    [
      [{ $method: 'a', params: [1] }, 1],
      [{ $method: 'a', x: 1 }, { error: failure }],
      [{ $method: 'b' }, 1],
    ],
  );
});

test('endpoints of an interface are read, and one for natural language is refused', () => {
  const purchase = read('purchase.endpoints.yaml');
  assert.deepEqual([purchase.format, names(purchase), codesOf(purchase)], ['endpoints', [''], []]);
  const [only] = purchase.interactions;
  assert.ok(allows(only?.request?.schema, { identifier: 'latte', customizationOptions: { size: 'large' } }));
  assert.ok(!allows(only?.request?.schema, { identifier: 'latte', customizationOptions: { size: 1 } }));
  assert.ok(!allows(only?.request?.schema, { identifier: 'latte' }));
  const ask = read('ask.endpoints.yaml');
  assert.deepEqual(codesOf(ask), ['error DOCUMENT_DESCRIPTION_INVALID']);
  assert.match(ask.faults[0]?.finding.message ?? '', /natural language/);
});

test('what cannot be read is a fault at its place', () => {
  const broken = read('hotel-booking-broken.openapi.yaml');
  assert.deepEqual([broken.format, codesOf(broken)], [null, ['error DOCUMENT_DESCRIPTION_UNREADABLE']]);
  const [fault] = broken.faults;
  assert.match(textOf('hotel-booking-broken.openapi.yaml').slice(fault?.at).trimStart(), /^(?:schem\b|type: object)/);
  for (const text of ['', '   ', 'Some words.', '{"openrpc": "1.0.0", ', '[]', '{"swagger": "2.0"}', '{} {}'])
    assert.deepEqual(codesOf(readServiceDescription(text)), ['error DOCUMENT_DESCRIPTION_UNREADABLE'], text);
});

test('parts that cannot be used are faults, and the rest is read', () => {
  const result = { name: 'r', schema: { type: 'null' } };
  const described = readServiceDescription(
    JSON.stringify({
      openrpc: '1.3.0',
      methods: [
        { params: [], result },
        { name: 'a', params: [{ $ref: '#/components/contentDescriptors/None' }, { $ref: 'other.json#/X' }], result },
        { name: 'a', params: [], result },
        {
          name: 'b',
          params: [{ $ref: '#/components/contentDescriptors/Circle' }, { name: 'x' }],
          errors: [{ code: 'E' }],
          result,
        },
        { name: 'c', params: [{ name: 'x', schema: { $ref: '#/components/schemas/Tree' } }], result },
      ],
      components: {
        contentDescriptors: { Circle: { $ref: '#/components/contentDescriptors/Circle' } },
        schemas: { Tree: { type: 'object', properties: { next: { $ref: '#/components/schemas/Tree' } } } },
      },
    }),
  );
  assert.deepEqual(
    described.faults.map(({ finding }) => [finding.severity, finding.code, finding.pointer]),
    [
      ['error', 'DOCUMENT_DESCRIPTION_INVALID', '/methods/0'],
      ['error', 'DOCUMENT_DESCRIPTION_INVALID', '/methods/1/params/0'],
      ['error', 'DOCUMENT_REFERENCE_EXTERNAL', '/methods/1/params/1'],
      ['error', 'DOCUMENT_DESCRIPTION_INVALID', '/components/contentDescriptors/Circle'],
      ['warning', 'DOCUMENT_DESCRIPTION_INVALID', '/methods/3/params/1'],
      ['error', 'DOCUMENT_DESCRIPTION_INVALID', '/methods/3/errors/0'],
      ['error', 'DOCUMENT_DESCRIPTION_INVALID', ''],
    ],
  );
  assert.deepEqual(names(described), ['a', 'b', 'c']);
  const tree = interaction(described, 'c');
  assert.ok(isKept(tree, { $method: 'c', x: { next: { next: {} } } }, null));
  assert.ok(!isKept(tree, { $method: 'c', x: { next: { next: 1 } } }, null));
});

test('a parameter in a path that no parameter declares is a warning', () => {
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
  const responses = { 200: { description: 'ok' } };
  const described = readServiceDescription(
    JSON.stringify({
      openapi: '3.0.3',
      paths: {
        '/rooms/{id}': { parameters: [id], get: { responses } },
        '/rooms/{id}/beds/{bed}': {
          get: { parameters: [id, { ...id, name: 'bed', in: 'query' }], responses },
          put: { parameters: [id, { ...id, name: 'bed' }], responses },
        },
      },
    }),
  );
  assert.deepEqual(
    described.faults.map(({ finding }) => [finding.severity, finding.code, finding.pointer]),
    [['warning', 'DOCUMENT_DESCRIPTION_INVALID', '/paths/~1rooms~1{id}~1beds~1{bed}/get']],
  );
});

test('every part of a schema says where in the text it comes from, also inside a larger document', () => {
  const text = `{ "interfaces": [{ "definition": ${textOf('petstore.json')} }] }`;
  const whole = readJson(text, 0);
  assert.ok(whole.ok);
  const definition = nodeAt(whole.node, '/interfaces/0/definition');
  assert.ok(definition);
  const { interactions } = readDescriptionAt({ root: definition, start: 0, pointer: '/interfaces/0/definition' });
  const places = (located: Interaction['request']) =>
    Object.fromEntries((located?.origins ?? []).map(({ at, pointer }) => [at, nodeAt(whole.node, pointer)?.value]));
  const [list, , get] = interactions;
  assert.deepEqual(places(list?.request ?? null)['/properties/limit'], { type: 'integer', minimum: 1 });
  assert.deepEqual(places(get?.request ?? null)['/$defs/PetId'], { type: 'integer', minimum: 0 });
  assert.deepEqual(places(list?.replies[0] ?? null)[''], { $ref: '#/components/schemas/Pets' });
});

test('every description of the shared data is read', {
  skip: existsSync(shared) ? false : 'no shared data here',
}, () => {
  const files = [
    ...globSync('openrpc/*.json', { cwd: shared }),
    ...globSync('agent-description/**/{openrpc,jsonrpc}*.json', { cwd: shared }),
    ...globSync('agent-description/**/api/*.yaml', { cwd: shared }),
  ];
  assert.ok(files.length >= 14, String(files.length));
  for (const file of files) {
    const described = readServiceDescription(readFileSync(join(shared, file), 'utf8'));
    const isBroken = file.includes('anp-examples-hotel/api/booking');
    const isForWords = described.format === 'endpoints' && file.includes('nl-interface');
    assert.equal(described.format === null, isBroken, file);
    assert.deepEqual(described.faults.length, isBroken || isForWords ? 1 : 0, file);
    assert.equal(described.interactions.length > 0, !isBroken, file);
    for (const { request, response } of described.format === 'json-rpc' ? [] : described.cases)
      assert.ok(
        described.interactions.some((one) => isKept(one, request, response)),
        file,
      );
  }
});
