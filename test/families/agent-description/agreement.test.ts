import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { stringify } from 'yaml';
import type { Interaction } from '../../../src/contract/agreement.ts';
import { agentDescription } from '../../../src/families/agent-description/agent-description.ts';
import { openDescription } from '../../../src/families/agent-description/door.ts';
import type { Json, JsonObject } from '../../../src/kernel/json.ts';

const plain: JsonObject = {
  protocolType: 'ANP',
  protocolVersion: '1.0.0',
  type: 'AgentDescription',
  name: 'Hotel',
  did: 'did:wba:hotel.example:rooms',
  securityDefinitions: { didwba_sc: { scheme: 'didwba', in: 'header', name: 'Authorization' } },
  security: 'didwba_sc',
};

const openrpc: JsonObject = {
  openrpc: '1.3.2',
  info: { title: 'Rooms', version: '1' },
  methods: [
    {
      name: 'book',
      params: [{ name: 'room', required: true, schema: { $ref: '#/components/schemas/Room' } }],
      result: { name: 'booked', schema: { type: 'boolean' } },
      errors: [{ code: -32010, message: 'Taken' }],
      examples: [{ name: 'one', params: [{ name: 'room', value: 'r-1' }], result: { name: 'booked', value: true } }],
    },
    { name: 'list', params: [], result: { name: 'rooms', schema: { type: 'array', items: { type: 'string' } } } },
  ],
  components: { schemas: { Room: { type: 'string', minLength: 2 } } },
};

const structured = (more: JsonObject): JsonObject => ({ type: 'StructuredInterface', protocol: 'openrpc', ...more });
const offering = (...interfaces: Json[]): JsonObject => ({ ...plain, interfaces });
const named = ({ name, replies }: Interaction) => [name, replies.map(({ schema }) => schema)];
const codes = ({ findings }: { findings: readonly { code: string; pointer?: string }[] }) =>
  findings.map(({ code, pointer }) => `${code} ${pointer ?? ''}`.trim());

describe('an interface', () => {
  const url = 'https://hotel.example/rooms.json';
  const supplied = { [url]: JSON.stringify(openrpc) };
  const forms: [string, JsonObject, Record<string, string>?][] = [
    ['content', structured({ content: openrpc })],
    ['content as text', structured({ content: JSON.stringify(openrpc) })],
    ['definition', { type: 'InlineOpenRPC', protocol: 'openrpc', definition: openrpc }],
    ['a url', structured({ url }), supplied],
    ['a url in JSON-LD', { '@type': 'ad:APIInterface', protocol: 'JSON-RPC 2.0', 'ad:url': url }, supplied],
  ];
  for (const [name, one, texts = {}] of forms)
    test(`with ${name} has its methods, replies and examples`, () => {
      const opened = openDescription(offering(one), { supplied: texts });
      assert.deepEqual(codes(opened), []);
      assert.deepEqual(
        opened.interactions.map(({ name: method, replies }) => [method, replies.length]),
        [
          ['book', 2],
          ['list', 1],
        ],
      );
      assert.deepEqual(
        opened.cases.map(({ request, response }) => ({ request, response })),
        [{ request: { $method: 'book', room: 'r-1' }, response: true }],
      );
    });

  test('is chosen by number, name, id, address or type, and its methods by name', () => {
    const list = [
      structured({ name: 'rooms', id: 'interface.rooms.v1', content: openrpc }),
      { type: 'InlineOpenRPC', url: 'https://hotel.example/tables', definition: { ...openrpc, methods: [] } },
      { type: 'NaturalLanguageInterface', protocol: 'YAML', url: 'https://hotel.example/nl.yaml' },
    ];
    for (const choice of [0, 'rooms', 'interface.rooms.v1', 'StructuredInterface']) {
      const opened = openDescription(offering(...list), { interface: choice, methods: ['book'] });
      assert.deepEqual([codes(opened), opened.interactions.map(({ name }) => name)], [[], ['']], String(choice));
      assert.deepEqual(opened.cases[0]?.request, { room: 'r-1' });
    }
    const empty = ['DOCUMENT_DESCRIPTION_INVALID /interfaces/1/definition'];
    for (const choice of [1, 'https://hotel.example/tables', 'InlineOpenRPC'])
      assert.deepEqual(codes(openDescription(offering(...list), { interface: choice })), empty);
    for (const choice of [undefined, 3, -1, 'tables', 2, 'NaturalLanguageInterface']) {
      const opened = openDescription(offering(...list), choice === undefined ? {} : { interface: choice });
      assert.deepEqual([codes(opened), opened.interactions], [['DOCUMENT_INTERFACE_UNUSABLE'], []], String(choice));
    }
    const none = openDescription(offering(...list), { interface: 0, methods: ['cancel'] });
    assert.equal(none.interactions.length, 0);
    assert.notDeepEqual(none.findings, []);
  });

  test('alone with its text is chosen without being named', () => {
    const others = [structured({ url: 'https://hotel.example/other.json' }), structured({ content: {} })];
    assert.deepEqual(codes(openDescription(offering(...others, structured({ content: openrpc })))), []);
    assert.deepEqual(codes(openDescription(offering(...others))), ['DOCUMENT_INTERFACE_UNUSABLE']);
  });
});

test('any description is the same in YAML and in JSON', () => {
  const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }).filter((one) => one.isWellFormed());
  const value = fc.jsonValue({ maxDepth: 3, stringUnit: 'grapheme' }).map((one) => JSON.parse(JSON.stringify(one)));
  fc.assert(
    fc.property(fc.dictionary(name, value, { maxKeys: 5 }), fc.boolean(), (more, isFlow) => {
      const description = { ...more, ...offering(structured({ name: 'rooms', content: openrpc })) };
      const yaml = stringify(description, { collectionStyle: isFlow ? 'flow' : 'any', aliasDuplicateObjects: false });
      const [one, other] = [openDescription(yaml), openDescription(JSON.stringify(description))];
      assert.deepEqual(one.description?.value, other.description?.value, yaml);
      assert.deepEqual(one.interactions.map(named), other.interactions.map(named));
    }),
    { numRuns: 60 },
  );
});

test('a description in YAML is read as the same in JSON', () => {
  const yaml = (more: string) =>
    `# An agent\nprotocolType: ANP\nprotocolVersion: "1.0.0"\ntype: AgentDescription\nname: Hotel\nsecurity: didwba_sc
securityDefinitions: {didwba_sc: {scheme: didwba, in: header, name: Authorization}}\ninterfaces:
  - type: StructuredInterface\n    protocol: openrpc\n    content:\n      openrpc: 1.3.2\n      methods:
        - name: list\n          params: []\n          result: {name: rooms, schema: {type: array}}\n${more}`;
  const asJson = openDescription(
    offering(
      structured({
        content: {
          openrpc: '1.3.2',
          methods: [{ name: 'list', params: [], result: { name: 'rooms', schema: { type: 'array' } } }],
        },
      }),
    ),
  );
  const { did: _, ...value } = asJson.description?.value ?? {};
  for (const text of [yaml(''), `\ufeff---\n${yaml('')}`.replaceAll('\n', '\r\n')]) {
    const opened = openDescription(text);
    assert.deepEqual([opened.description?.value, codes(opened)], [value, []]);
    assert.deepEqual(
      opened.interactions[0]?.replies.map(({ schema }) => schema),
      asJson.interactions[0]?.replies.map(({ schema }) => schema),
    );
  }
  for (const text of ['Note: a sentence.', yaml('a: b: c\n'), yaml('---\nname: another\n'), '- protocolType: ANP'])
    assert.deepEqual(codes(openDescription(text)), ['DOCUMENT_AGENT_DESCRIPTION_INVALID'], text);
});

test('required members are those of the era, and unknown members are kept', () => {
  const one = structured({ content: openrpc });
  const required = ['protocolType', 'protocolVersion', 'type', 'name', 'securityDefinitions', 'security'];
  for (const name of required) {
    const { [name]: _, ...without } = offering(one);
    assert.deepEqual(codes(openDescription(without)), [`DOCUMENT_MEMBER_MISSING /${name}`]);
    const wrong = codes(openDescription({ ...offering(one), [name]: 7 }));
    assert.deepEqual(wrong, [`DOCUMENT_MEMBER_MISSING /${name}`]);
  }
  const jsonLd = {
    '@context': { '@vocab': 'https://schema.org/' },
    '@type': 'ad:AgentDescription',
    name: 'Hotel',
    'ad:securityDefinitions': plain.securityDefinitions ?? null,
    'ad:security': ['didwba_sc'],
    'ad:interfaces': [one],
    'x-own': { kept: [1] },
  };
  const opened = openDescription(jsonLd);
  assert.deepEqual([codes(opened), opened.description?.value], [[], jsonLd]);
  const { securityDefinitions: _, ...rest } = offering(one);
  const product = { ...rest, type: 'Product', security: { didwba: { scheme: 'didwba' } } };
  assert.deepEqual(codes(openDescription(product)), []);
  const undefinedName = openDescription({ ...offering(one), security: ['didwba_sc', 'other'] });
  assert.deepEqual(codes(undefinedName), ['DOCUMENT_MEMBER_MISSING /security']);
});

test('cases of the job come first, and an example that is one of them is no second case', () => {
  const { document } = agentDescription.open({
    agreement: { description: offering(structured({ content: openrpc })) },
  });
  const listed = [
    { request: { $method: 'list' }, response: [] },
    { request: { room: 'r-1', $method: 'book' }, response: true },
  ];
  const about = { payload: undefined, baseProtocols: {}, validation: undefined as never };
  const { cases } = agentDescription.read({ document, cases: listed }, about);
  assert.deepEqual(
    cases.map(({ testCase, request }) => [testCase, request]),
    listed.map(({ request }, index) => [index + 1, request]),
  );
});

describe('the hash', () => {
  const { hashOf, open } = agentDescription;
  const hash = (agreement: JsonObject, supplied: Record<string, string> = {}) =>
    hashOf(open({ agreement, supplied }).document);
  const url = 'https://hotel.example/rooms.json';
  const description = offering(structured({ url }), structured({ content: openrpc }));
  const supplied = { [url]: JSON.stringify(openrpc) };

  test('is the same in any order of members, as text and parsed, with another proof', () => {
    const turned = (value: Json): Json => {
      if (Array.isArray(value)) return value.map(turned);
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(
        Object.entries(value)
          .toReversed()
          .map(([name, member]) => [name, turned(member)]),
      );
    };
    const wanted = hash({ description, interface: 0 }, supplied);
    assert.equal(hash({ description: turned(description), interface: 0 }, supplied), wanted);
    assert.equal(hash({ description: JSON.stringify(description), interface: url }, supplied), wanted);
    const other = { [url]: JSON.stringify(turned(openrpc), null, 1) };
    assert.equal(hash({ description: { ...description, proof: { type: 'x' } }, interface: 0 }, other), wanted);
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
        const extended = { ...description, 'x-own': JSON.parse(JSON.stringify(value)) } as JsonObject;
        assert.equal(hash({ description: turned(extended) }), hash({ description: extended }));
        assert.notEqual(hash({ description: extended, interface: 0 }), hash({ description: extended, interface: 1 }));
      }),
      { numRuns: 40 },
    );
  });

  test('differs by interface, methods and text', () => {
    const hashes = [
      hash({ description, interface: 0 }, supplied),
      hash({ description, interface: 1 }, supplied),
      hash({ description, interface: 1, methods: ['book'] }, supplied),
      hash({ description, interface: 0 }, { [url]: `${JSON.stringify(openrpc)}x` }),
      hash({ description: { ...description, name: 'Inn' }, interface: 0 }, supplied),
    ];
    assert.equal(new Set(hashes).size, hashes.length);
  });
});

const shared = fileURLToPath(new URL('../../../../shared/conformance/agent-description/', import.meta.url));
describe('descriptions of others', { skip: !existsSync(shared) && 'no shared vectors here' }, () => {
  const text = (name: string) => readFileSync(`${shared}${name}`, 'utf8');
  const hotels = 'https://service.agent-network-protocol.com/agents/sheraton-chuzhou-hotel/api/';
  const travel = 'https://agent-connect.ai/agents/travel/hotel/api_files/ph/';
  const grand = 'https://grand-hotel.com/api/services-interface.json';
  const openGrand = (interface_: number) =>
    openDescription(text('adp-07-v1.1/ad.grand-hotel.jsonc'), {
      interface: interface_,
      supplied: { [grand]: text('adp-07-v1.1/openrpc.grand-hotel.json') },
    });

  /** Each interface with the members of its requests, or the codes of what keeps it from being read. */
  const wanted: [name: string, choice: string | number, supplied: Record<string, string>, expected: unknown][] = [
    [
      'hotel/examples/ad.json',
      'SearchInterface',
      { [`${hotels}search-interface.yaml`]: text('hotel/examples/api/search-interface.yaml') },
      [['checkInDate', 'checkOutDate']],
    ],
    [
      'hotel/examples/ad.json',
      'ad:BookingInterface',
      { [`${hotels}booking-interface.yaml`]: text('hotel/examples/api/booking-interface.yaml') },
      [['identifier']],
    ],
    [
      'hotel/examples/ad.json',
      2,
      { [`${hotels}nl-interface.yaml`]: text('hotel/examples/api/nl-interface.yaml') },
      ['DOCUMENT_INTERFACE_UNUSABLE'],
    ],
    [
      'anp-examples-hotel/hotel.json',
      0,
      { [`${travel}search-interface.yaml`]: text('anp-examples-hotel/api/search-interface.yaml') },
      [['hotelID', 'checkInDate', 'checkOutDate']],
    ],
    // Its YAML breaks off at `schem`.
    [
      'anp-examples-hotel/hotel.json',
      1,
      { [`${travel}booking-interface.yaml`]: text('anp-examples-hotel/api/booking-interface.yaml') },
      ['DOCUMENT_DESCRIPTION_UNREADABLE'],
    ],
    [
      'lkcoffe/ad.json',
      'PurchaseInterface',
      {
        'https://service.agent-network-protocol.com/agents/lkcoffe/api/purchase-interface.yaml': text(
          'lkcoffe/api/purchase-interface.yaml',
        ),
      },
      [['identifier', 'customizationOptions']],
    ],
  ];
  for (const [name, choice, supplied, expected] of wanted)
    test(`${name}, interface ${choice}`, () => {
      const opened = openDescription(text(name), { interface: choice, supplied });
      assert.equal(opened.proof.status, 'absent');
      const members = opened.interactions.map(({ request }) => Object.keys(Object(request?.schema).properties));
      assert.deepEqual(opened.findings.length > 0 ? codes(opened) : members, expected);
    });

  test('the example of version 1.1', () => {
    const opened = openGrand(2);
    assert.deepEqual(codes(opened), ['DOCUMENT_PROOF_UNVERIFIED /proof']);
    assert.equal(opened.proof.status, 'unverified');
    assert.deepEqual(
      opened.interactions.map(({ name }) => name),
      ['searchRooms', 'makeReservation'],
    );
    for (const [index, found] of [
      [0, 'in natural language'],
      [3, 'without a document'],
      [5, 'whose document is not supplied'],
    ] as const)
      assert.match(openGrand(index).findings.at(-1)?.message ?? '', new RegExp(found));
  });

  test('a product is a description without interfaces', () => {
    const opened = openDescription(text('adp-07-v1.1/product.deluxe-suite.json'));
    assert.deepEqual([opened.description?.name, codes(opened)], ['Deluxe Suite', ['DOCUMENT_INTERFACE_UNUSABLE']]);
  });

  test('an example of JSON-RPC alone is a case without schemas', () => {
    const content = JSON.parse(text('official-docs/jsonrpc-example.json'));
    const { cases, interactions, findings } = openDescription(offering(structured({ content })));
    assert.deepEqual([interactions.length, cases.length, findings], [1, 1, []]);
  });
});

describe('hostile descriptions', () => {
  test('a description that pretends to be opened already has no say in what the job chooses', () => {
    const description = offering(
      structured({ name: 'a', content: openrpc }),
      structured({ name: 'b', content: openrpc }),
    );
    const { document } = agentDescription.open({ agreement: { description, interface: 'b' } });
    const forged = { description: document, interface: 'a' };
    assert.deepEqual(codes(openDescription(document, { interface: 'a' })), ['DOCUMENT_AGENT_DESCRIPTION_INVALID']);
    assert.equal(agentDescription.say({ what: 'generated' }, { agreement: forged }, 'en')[0]?.interface, null);
  });

  test('are findings, never exceptions, in linear time', () => {
    const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
    const texts = [
      '',
      '\u0000',
      '[]',
      'null',
      '{"a":',
      '{} {}',
      `{"interfaces":${nested(100_000)}}`,
      `{"interfaces":${JSON.stringify(Array(50_000).fill({}))}}`,
      `{"a":"${'x'.repeat(1_100_000)}"}`,
      '{"agentDescriptionAgreement":1,"description":9007199254740993}\n\n# Agent description\n\n{}',
      `{"agentDescriptionAgreement":1,"description":2}\n\n# Agent description\n\n{}`,
      `{"agentDescriptionAgreement":1,${'"a":1,'.repeat(50_000)}`,
      '{"name":"\\ud800"}',
      '{"name":1e999}',
    ];
    for (const text of texts) {
      const opened = openDescription(text);
      assert.ok(
        opened.findings.some(({ severity }) => severity === 'error'),
        text.slice(0, 40),
      );
      assert.match(agentDescription.hashOf(text), /^[0-9a-f]{64}$/);
    }
    const deep = JSON.parse(nested(50_000)) as Json;
    assert.ok(openDescription({ ...plain, interfaces: deep } as JsonObject).findings.length > 0);
    assert.equal(agentDescription.textsIn({ protocolType: 'ANP', interfaces: deep }), undefined);
  });

  test('any JSON in any place is read', () => {
    const json = fc.jsonValue({ maxDepth: 3 });
    const names = ['type', '@type', 'name', 'url', 'content', 'definition', 'protocol', 'ad:url'];
    const one = fc.record(Object.fromEntries(names.map((name) => [name, json])), { requiredKeys: [] });
    const choices = fc.option(fc.oneof(fc.integer({ max: 3, min: -1 }), fc.string()), { nil: undefined });
    fc.assert(
      fc.property(fc.array(one, { maxLength: 3 }), json, json, choices, (interfaces, proof, other, choice) => {
        const given = JSON.parse(JSON.stringify({ ...plain, interfaces, proof, security: other, name: other }));
        const opened = openDescription(given, choice === undefined ? {} : { interface: choice });
        assert.ok(Array.isArray(opened.findings));
        assert.deepEqual(opened.description?.value, given);
      }),
      { numRuns: 300 },
    );
  });
});
