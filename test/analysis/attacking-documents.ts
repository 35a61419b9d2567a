import type { Json } from '../../src/kernel/json.ts';
import { fenced, filled, type HostileDocument, hundred, list, members } from './hostile-documents.ts';

const OPEN: Json = { type: 'object' };
const TEXT: Json = { type: 'string' };
const KEYED: Json = { type: 'object', properties: { id: TEXT, n: { type: 'integer' } }, required: ['id'] };
const keyed = hundred((index) => ({ id: `x${index}` }));
const BYTES = 250_000;

const prose = (part: Parameters<typeof filled>[0], cases = keyed): HostileDocument => ({
  document: fenced(KEYED, KEYED) + filled(part, BYTES),
  cases,
});

/** Text after a valid agreement; each attacks one reader of prose. */
const PROSE: Record<string, Parameters<typeof filled>[0]> = {
  'a line without end': (n) => `word${n} `,
  'one word without end': 'a',
  'blanks without end': ' ',
  tabs: '\t',
  'carriage returns': '\r',
  'empty lines': '\r\n',
  'headings by the thousand': (n) => `${'#'.repeat((n % 6) + 1)} Request ${n} response\n`,
  'headings that never end': (n) => `# ${'**a '.repeat(100)}${n}\n`,
  backticks: (n) => `${'`'.repeat((n % 7) + 1)} `,
  'fences that differ by one tick': (n) => `${'`'.repeat(3 + (n % 180))}json\n`,
  'fences of YAML': (n) => `\`\`\`yaml\ntype: object\na${n}: &a${n} [*a${n - 1}, *a${n - 1}]\n\`\`\`\n`,
  'faults of YAML': `\`\`\`yaml\ntype: object\nx: ${'[,'.repeat(2_000)}\n\`\`\`\n`,
  'YAML without fences': 'type: object\nproperties:\n  a: {}\n\nx\n',
  'fences in quotes': (n) => `${'> '.repeat(n % 30)}\`\`\`json\n${'> '.repeat(n % 30)}{"a":1}\n`,
  'links by the thousand': (n) => `[a${n}](https://example.org/${n}) `,
  'references by URI': (n) => `It extends the existing protocol urn://e.org/p${n} and URI: https://e.org/${n}\n`,
  'codes in one line': (n) => `code ${400 + (n % 100)} error, `,
  'codes of answers': (n) => `- The answer has status code: ${100 + (n % 500)} or an error ${n}.\n`,
  'timeouts by the thousand': (n) => `within ${n} seconds or a timeout of ${n} ms. `,
  'echoes that are said without blanks': (n) => `响应原样返回请求的field${n}，status${n}为\`GONE${n}\`。`,
  'echoes that are said': (n) => `The response repeats the \`field${n}\` and echoes requestId${n} unchanged. `,
  'refusals that are said': (n) => `If field${n} is missing, the request is rejected as invalid with an error. `,
  'lists in lists': (n) => `${'  '.repeat(n % 100)}${n % 2 ? '-' : '1.'} item "a": {"b"\n`,
  'stars and underlines': '**__**__ ',
  'half a surrogate pair, escaped': '{"a":"\\ud83d"}\n',
  'brackets that open': '[[[{"a":[{',
  'brackets that open and close': (n) => `${'['.repeat(60)}${n}${']'.repeat(60)}\n`,
  'brackets too deep': (n) => `${'['.repeat(70)}${n}${']'.repeat(70)}\n`,
  'quotes that never close': '{"a":"b\n{"a": "',
  'comments that never close': '{"a":1 /* ',
  'comments between all values': '{/*a*/"a"/*b*/:/*c*/[1,/*d*/],}\n',
  'escapes without end': '{"\\u0041\\n\\"":"\\\\"}\n',
  'numbers of every form': (n) => `[-0.${n}e-${n % 400}, ${n}E+${n % 300}]\n`,
  'near schemas': (n) => `{"type":"object","properties":{"a${n}":5}}\n`,
  'schemas without quotation marks': (n) => `{type: object, properties: {a${n}: {`,
  'schemas between other quotation marks': (n) => `{'type': 'object', 'properties': {‘a${n}’: {}}}\n`,
  'schemas of one keyword': (n) => `{"$schema":"x${n}"}\n`,
  'schemas in an array': (n) => `[{"type":"object","properties":{"k${n}":{"type":"string"}}}]\n`,
  'libraries of definitions': (n) => `{"$defs":{"d${n}":{"type":"string"}}}\n`,
  'HTML without end': '<table><tr><td>&nbsp;</td></tr></table><!-- ',
  'loose JSON by the thousand': (n) => `{"a":${n}, /* c */ "b":[1,],}\n`,
  'lines of JSON': (n) => `{"event":"e${n}","id":${n},"nested":{"a":[1,2,{"b":"c"}]}}\n`,
  'objects that end at their first name': '{"',
  'lists that end at their first digit': '[1',
  'sentences of every rule': (n) =>
    `If field${n} is missing, the request is rejected with code ${400 + (n % 99)}; the response repeats requestId${n} unchanged within ${n} seconds, see https://e.org/${n}. `,
  'refusals that are said of answers': (n) =>
    `- error ${400 + (n % 90)}: the request is rejected as invalid, answered with {"status":"e${n}"}\n`,
  'full-width digits': '测试用例１２３：请求数据响应数据超时时间１０秒\n',
  'marks over marks': 'e\u0301\u0302\u0303\u0304',
  'characters beyond the basic plane': '\u{1f600}\u{20000}',
  'zero-width characters': '\u200b\u200d\u2060',
};

/** Case texts; each attacks the case reader. */
const CASES: Record<string, Parameters<typeof filled>[0]> = {
  'headings of cases alone': (n) => `# Test Case ${n}\n`,
  'cases on one line': (n) => `# Test Case ${n} Request: {"id":"a"} Response: {} `,
  'labels alone': '- **Test Request Data**:\n- **Test Response Data**:\n- Expected Test Result:\n',
  'labels with long brackets': (n) => `- Request (${'a'.repeat(39)}${n}\n`,
  'cases with several fences': (n) =>
    `# Test Case ${n + 1}\n- Request:\n\`\`\`json\n{"id":"a"}\n\`\`\`\n\`\`\`json\n{"id":"b"}\n\`\`\`\n- Response:\n{"id":1} {"id":2}\n`,
  'cases that break off': (n) =>
    `# Test Case ${n + 1}\n- Request: {"id":"a${n}",\n- Response: {"id":\n- Expected: ok\n`,
  'payloads of loose JSON': (n) => `# Test Case ${n + 1}\n- Request: {"id":"a",}\n- Response: {"id":"b" /* c */}\n`,
  'cases with long ids': (n) =>
    `# Test Case ${n + 1}\n- Request: {"id":"${'x'.repeat(3_000)}"}\n- Response: {"id":"${'x'.repeat(3_000)}${n}"}\n`,
  'results without end': (n) =>
    `# Test Case ${n + 1}\n- Request: {"id":"a"}\n- Response: {"id":"b"}\n- Expected Test Result: ${'code 404 '.repeat(500)}\n`,
  'numbers of cases beyond reason': (n) => `# Test Case ${'9'.repeat(9)}${n}\n- Request: {"id":"a"}\n- Response: {}\n`,
  'quoted cases': (n) => `> # Test Case ${n + 1}\n> - Request: {"id":"a"}\n> - Response: {"id":"b"}\n`,
};

/** Schemas with data for a hundred cases; each attacks one use of a schema. */
const SCHEMAS: Record<string, () => { request: Json; cases: string; response?: Json }> = {
  'patterns of long automata on long texts': () => ({
    request: {
      type: 'object',
      properties: { t: { pattern: '(a?){700}[^a]' }, u: { pattern: '([a-z]*[0-9]*){300}[A-Z]' } },
    },
    cases: hundred(() => ({ t: 'a'.repeat(2_000), u: 'ab12'.repeat(500) })),
  }),
  'patterns of classes of classes': () => ({
    request: { type: 'object', properties: members(8, (n) => ({ pattern: `[${'\\p{L}'.repeat(380)}]x${n}$` })) },
    cases: hundred(() => members(8, () => 'abc')),
  }),
  'a pattern of classes without end': () => ({
    request: { type: 'object', properties: { a: { type: 'string', pattern: `[${'\\p{L}'.repeat(43_000)}]` } } },
    cases: hundred(() => ({ a: 'a' })),
  }),
  'texts that are patterns of classes': () => ({
    request: { type: 'object', properties: members(12, () => ({ type: 'string', format: 'regex' })) },
    cases: hundred((k) => members(12, (n) => `[${'\\p{L}'.repeat(38)}]${k}x${n}`)),
  }),
  'patterns on texts of every length': () => ({
    request: { type: 'object', properties: members(60, (n) => ({ pattern: `^(a+)+${n}$` })) },
    cases: hundred((k) => members(60, (n) => 'a'.repeat(((n + k) % 60) * 2))),
  }),
  'formats that backtrack': () => ({
    request: {
      type: 'object',
      properties: members(16, (n) => ({
        format: ['uri', 'email', 'hostname', 'uri-template', 'regex', 'duration', 'iri', 'json-pointer'][n % 8] ?? '',
      })),
    },
    cases: hundred(() => members(16, (n) => (n % 2 ? 'a.-' : 'x@a:/%{').repeat(250))),
  }),
  'enums of objects': () => ({
    request: {
      type: 'object',
      properties: members(20, (n) => ({ enum: list(40, (k) => ({ n, k, l: list(10, (m) => m) })) })),
    },
    cases: hundred((k) => members(20, (n) => ({ n, k: k % 60, l: list(10, (m) => m) }))),
  }),
  'constants as large as the document': () => ({
    request: { type: 'object', properties: members(3, () => ({ const: list(5_000, (n) => n) })) },
    cases: hundred(() => ({ p0: list(500, (n) => n) })),
  }),
  'unique objects': () => ({
    request: { type: 'object', properties: { l: { type: 'array', uniqueItems: true } } },
    cases: hundred((k) => ({ l: list(60, (n) => ({ n, k, m: { n } })) })),
  }),
  'lists that must contain': () => ({
    request: { type: 'object', properties: members(30, (n) => ({ contains: { const: n }, minContains: 2 })) },
    cases: hundred(() => members(30, () => list(20, (n) => n))),
  }),
  'names that must keep a schema': () => ({
    request: { type: 'object', propertyNames: { anyOf: list(20, (n) => ({ pattern: `^${n}x` })) } },
    cases: hundred(() => members(100, () => 1)),
  }),
  'members that nobody has looked at': () => ({
    request: {
      type: 'object',
      anyOf: list(60, (n) => ({ properties: { [`p${n}`]: TEXT } })),
      unevaluatedProperties: false,
    },
    cases: hundred(() => members(200, () => 'x')),
  }),
  'dependencies by the hundred': () => ({
    request: {
      type: 'object',
      dependentRequired: Object.fromEntries(list(190, () => null).map((_, n) => [`p${n}`, [`q${n}`, `r${n}`]])),
      dependentSchemas: members(150, () => ({ required: ['z'] })),
    },
    cases: hundred(() => members(190, () => 1)),
  }),
  'definitions that lead to each other': () => ({
    request: {
      $ref: '#/$defs/p0',
      $defs: members(130, (n) => ({
        anyOf: [
          { $ref: `#/$defs/p${(n + 1) % 130}` },
          { type: 'object', properties: { a: { $ref: `#/$defs/p${(n + 7) % 130}` } } },
        ],
      })),
    },
    cases: hundred((n) => ({ a: { a: { n } } })),
  }),
  'titles and descriptions without end': () => ({
    request: {
      type: 'object',
      properties: members(350, (n) => ({ type: 'string', title: `t${n}`, description: 'd'.repeat(500) })),
    },
    cases: hundred(() => ({ p1: 'x' })),
  }),
  'depth of sixty': () => {
    let schema: Json = { type: 'integer' };
    let value: Json = 'x';
    for (let depth = 0; depth < 55; depth += 1) {
      schema = { type: 'object', properties: { a: schema, b: { type: 'integer' } }, required: ['a', 'b'] };
      value = { a: value, b: 'y' };
    }
    return { request: schema, cases: hundred(() => value) };
  },
  'arrays in arrays': () => ({
    request: {
      type: 'object',
      properties: {
        l: { type: 'array', items: { type: 'array', items: { type: 'array', items: { type: 'string' } } } },
      },
    },
    cases: hundred(() => ({ l: list(6, () => list(6, () => list(8, (n) => n))) })),
  }),
  'members named as those of every object': () => ({
    request: JSON.parse(
      `{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"},"toString":{"const":1}}}`,
    ) as Json,
    cases: hundred(
      () => JSON.parse(`{"__proto__":${JSON.stringify(list(200, (n) => n))},"constructor":5,"toString":2}`) as Json,
    ),
  }),
  'multiples of nearly nothing': () => ({
    request: {
      type: 'object',
      properties: members(300, (n) => ({ multipleOf: 10 ** -(n % 300), exclusiveMinimum: 1e300 })),
    },
    cases: hundred(() => members(120, (n) => n / 7)),
  }),
};

const nested = (depth: number, inner: Json, around: (inner: Json, depth: number) => Json): Json =>
  depth === 0 ? inner : nested(depth - 1, around(inner, depth), around);

const named = (count: number, name: (index: number) => string, member: (index: number) => Json): Json =>
  Object.fromEntries(list(count, (n) => n).map((n) => [name(Number(n)), member(Number(n))]));

const defined = (count: number, reference: (index: number) => string, $defs: Json): Json => ({
  type: 'object',
  properties: members(count, (n) => ({ $ref: reference(n) })),
  $defs,
});

/** More such schemas: growth through references, keywords, names, branches and drafts. */
const MULTIPLIED: typeof SCHEMAS = {
  'references to one large definition': () => ({
    request: defined(300, () => '#/$defs/d', {
      d: { type: 'object', properties: members(60, () => TEXT), required: ['p0', 'q'] },
    }),
    cases: hundred(() => members(100, () => ({ p1: 3 }))),
  }),
  'anchors by the hundred': () => ({
    request: defined(
      190,
      (n) => `#a${n}`,
      members(190, (n) => ({ $anchor: `a${n}`, type: 'string' })),
    ),
    cases: hundred(() => members(190, () => 5)),
  }),
  'references in percent': () => ({
    request: defined(
      190,
      (n) => `#/$defs/${'%61'.repeat(20)}${n}`,
      named(
        190,
        (n) => `${'a'.repeat(20)}${n}`,
        () => TEXT,
      ),
    ),
    cases: hundred(() => members(190, () => 5)),
  }),
  'a tree of itself': () => ({
    request: {
      $ref: '#/$defs/n',
      $defs: {
        n: { type: 'object', properties: { c: { items: { $ref: '#/$defs/n' } }, v: TEXT }, required: ['v'] },
      },
    },
    cases: hundred(() => nested(5, { v: 1 }, (inner) => ({ c: [inner, inner] }))),
  }),
  'bounds on everything': () => ({
    request: {
      type: 'object',
      properties: members(390, (n) => ({
        ...{ minLength: n, maxLength: n, minItems: n, maxItems: n, minProperties: n, maxProperties: n },
        ...{ minimum: n, maximum: n },
      })),
    },
    cases: hundred((k) => members(300, (n) => ['x'.repeat(n % 7), n, [n], { n }][(k + n) % 4] as Json)),
  }),
  'every keyword in every member': () => ({
    request: {
      type: 'object',
      properties: members(60, (n) => ({
        ...{ type: ['string', 'integer', 'null'], minLength: 2, maxLength: 9, pattern: `^a${n}`, enum: ['a', 'b', n] },
        ...{ minimum: 3, maximum: 4, multipleOf: 0.01, format: 'uri', const: 'q', not: { const: n } },
      })),
    },
    cases: hundred((k) => members(60, (n) => (n % 2 ? k : `zz${k}`))),
  }),
  'bounds of draft-04': () => ({
    request: {
      $schema: 'http://json-schema.org/draft-04/schema#',
      type: 'object',
      properties: members(390, (n) => ({
        ...{ type: 'number', minimum: n, exclusiveMinimum: true, maximum: n + 1, exclusiveMaximum: true },
      })),
    },
    cases: hundred(() => members(390, (n) => n)),
  }),
  'dependencies of draft-07': () => ({
    request: {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      dependencies: members(180, (n) => (n % 2 ? [`q${n}`] : { required: [`r${n}`], properties: { z: TEXT } })),
    },
    cases: hundred(() => members(180, () => 1)),
  }),
  'members of 2019-09': () => ({
    request: {
      $schema: 'https://json-schema.org/draft/2019-09/schema',
      type: 'object',
      properties: members(370, (n) => ({ type: 'integer', minimum: n, deprecated: true })),
    },
    cases: hundred(() => members(370, () => 0)),
  }),
  'a dialect that fits none': () => ({
    request: {
      type: 'object',
      properties: members(390, () => ({ type: 'strng', items: [TEXT, 5], dependencies: { a: 5 }, minimum: 'x' })),
    },
    cases: hundred(() => members(10, () => 1)),
  }),
  'names of odd characters': () => ({
    request: {
      type: 'object',
      properties: named(
        390,
        (n) => `a/b~c"\\'\`$\u2028${n}`,
        () => TEXT,
      ),
      required: list(390, (n) => `a/b~c"\\'\`$\u2028${n}`),
    },
    cases: hundred(() =>
      named(
        120,
        (n) => `a/b~c"\\'\`$\u2028${n}`,
        () => 1,
      ),
    ),
  }),
  'the same pattern everywhere': () => ({
    request: { type: 'object', properties: members(390, () => ({ type: 'string', pattern: '^[A-Z]{2}[0-9]{6}$' })) },
    cases: hundred((k) => members(300, (n) => `AB${100_000 + k * 300 + n}`)),
  }),
  'alternatives of words by the hundred': () => ({
    request: {
      type: 'object',
      properties: members(20, (n) => ({ pattern: `^(?:${list(120, (k) => `word${n}${k}`).join('|')})$` })),
    },
    cases: hundred((k) => members(20, (n) => `word${n}${k + 60}`)),
  }),
  'alternatives that need their own members': () => ({
    request: {
      type: 'object',
      oneOf: list(100, (k) => ({ required: [`a${k}`, `b${k}`, `c${k}`], properties: { [`a${Number(k)}`]: TEXT } })),
    },
    cases: hundred((k) => ({ [`a${k}`]: 1, z: k })),
  }),
  'alternatives in alternatives': () => {
    const branches = (depth: number): Json =>
      depth === 0
        ? { required: ['z'] }
        : { oneOf: list(6, (k) => ({ allOf: [branches(depth - 1)], properties: { [`k${depth}`]: { const: k } } })) };
    return { request: branches(3), cases: hundred((k) => ({ k1: k % 6, k2: 2, k3: 7 })) };
  },
  'conditions in conditions': () => ({
    request: nested(55, { required: ['x'] }, (inner, depth) => ({
      if: { properties: { [`k${depth}`]: { const: 1 } } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: inner,
      else: { required: [`e${depth}`] },
    })),
    cases: hundred((k) => members(55, (n) => (k + n) % 2)),
  }),
  'additional members in additional members': () => ({
    request: nested(55, TEXT, (inner) => ({ type: 'object', additionalProperties: inner, minProperties: 2 })),
    cases: hundred(() => nested(40, 1, (inner) => ({ a: inner }))),
  }),
  'constants that are objects': () => ({
    request: { type: 'object', properties: members(120, (n) => ({ const: { a: n, b: [n, { c: n }] } })) },
    cases: hundred(() => members(120, (n) => ({ a: n, b: [n, { c: 0 }] }))),
  }),
  'items of every place': () => ({
    request: {
      type: 'object',
      properties: { l: { type: 'array', prefixItems: list(380, (n) => ({ const: n })), items: false } },
    },
    cases: hundred((k) => ({ l: list(400, (n) => n + k) })),
  }),
  'ids by the hundred': () => ({
    request: OPEN,
    cases: hundred(
      (k) =>
        named(
          120,
          (n) => `x${n}Id`,
          (n) => `v${k}-${n}`,
        ),
      (k) =>
        named(
          120,
          (n) => `x${n}Id`,
          (n) => `v${(k + Number(n === 3)) % 100}-${n}`,
        ),
    ),
  }),
};

const tools = (count: number, examples: number): Required<HostileDocument>['more'] => ({
  tools: list(count, (t) => t).map((t) => ({
    ...{ name: `t${t}`, description: 'x', inputSchema: OPEN, outputSchema: OPEN },
    annotations: { readOnlyHint: true },
    examples: list(examples, (k) => k).map((k) => ({
      input: { id: `x${k}`, ...(members(8, (n) => `i${n}${t}`) as object) },
      output: members(8, (n) => `o${n}-${k}-${t}`),
    })),
  })),
});

const based = (part: Parameters<typeof filled>[0], bytes: number): HostileDocument => ({
  document: `based on the existing protocol (URI: urn:b0)\n${fenced(KEYED, KEYED)}`,
  cases: keyed,
  more: {
    baseProtocols: Object.fromEntries(
      list(7, (n) => n).map((n) => [
        `urn:b${n}`,
        { content: `based on the existing protocol (URI: urn:b${Number(n) + 1})\n${filled(part, bytes)}` },
      ]),
    ),
  },
});

const sections = (count: number, heading: (index: number) => string, schema: (index: number) => Json): string =>
  list(count, (n) => n)
    .map((n) => `## ${heading(Number(n))}\n\`\`\`json\n${JSON.stringify(schema(Number(n)))}\n\`\`\`\n`)
    .join('');

/** Whole agreements; the combination of their parts is hostile. */
const AGREEMENTS: Record<string, () => HostileDocument> = {
  'a thousand components of an interface': () => ({
    document: JSON.stringify({
      components: {
        schemas: members(1_800, (n) => ({
          type: 'object',
          properties: { id: TEXT, o: { $ref: `#/components/schemas/p${(n + 1) % 1_800}` } },
        })),
      },
    }),
    cases: keyed,
  }),
  'two dozen requests, united': () => ({
    document: sections(
      24,
      (n) => `Request ${n}`,
      (n) => ({
        ...{ type: 'object', title: `Request ${n}`, required: ['op', 'p1'], additionalProperties: false },
        properties: { op: { const: `o${n}` }, ...(members(22, () => TEXT) as object) },
      }),
    ),
    cases: hundred((k) => ({ op: `o${k % 30}`, p0: 1, x: 1 })),
    more: { onContradiction: 'amend' },
  }),
  'two dozen schemas of the same members': () => ({
    document: sections(
      24,
      () => 'Message',
      (n) => ({
        type: 'object',
        properties: members(23, (k) => ({ enum: [`a${k}${n}`, 'b'] })),
        required: [`p${n}`],
      }),
    ),
    cases: hundred(
      (k) => members(23, () => (k % 2 ? 'b' : 'c')),
      (k) => members(23, () => (k % 3 ? 'b' : 'c')),
    ),
    more: { onContradiction: 'amend' },
  }),
  'schemas that name each other by their ids': () => ({
    document: sections(
      30,
      () => 'Message',
      (n) => ({
        ...{ $id: `https://e.org/s${n}`, type: 'object' },
        properties: { a: { $ref: `https://e.org/s${(n + 1) % 30}` }, b: { $ref: `s${(n + 2) % 30}` } },
      }),
    ),
    cases: hundred(() => ({ a: { a: { a: { p1: 4 } } } })),
  }),
  'tools by the hundred with all their examples': () => ({
    document: fenced(KEYED, KEYED),
    cases: hundred(
      (k) => ({ id: `x${k}` }),
      (k) => ({ id: `t${k}`, v: `u${k}` }),
    ),
    more: tools(100, 40),
  }),
  'a tool with thousands of examples': () => ({
    document: fenced(KEYED, KEYED),
    cases: hundred(
      (k) => ({ id: `x${k}`, name: `n${k}` }),
      (k) => ({ v: `u${k}` }),
    ),
    more: tools(1, 4_000),
  }),
  'base protocols of prose': () =>
    based((k) => `- ${400 + (k % 99)}: if field${k} is missing the request is rejected within ${k} seconds\n`, 100_000),
  'base protocols of brackets': () => based((k) => `see [1] {"x"} [${k}, ] {"a" } `, 100_000),
  'one enormous object of loose JSON': () => ({
    document: `${fenced(KEYED, KEYED)}{${filled((n) => `"p${n}":{"type":"string",}, // c\n`, 240_000)}}`,
    cases: keyed,
  }),
  'one enormous object that is no schema': () => ({
    document: fenced(KEYED, KEYED) + JSON.stringify(members(9_000, (a) => ({ a }))),
    cases: keyed,
  }),
};

/** Schemas whose definitions may be in any of thousands of other blocks. */
const scattered: HostileDocument = {
  document:
    list(5, (schema) => ({
      type: 'object',
      properties: members(390, (n) => ({ $ref: `#/$defs/d${schema}-${n}/x` })),
    }))
      .map((schema) => `${JSON.stringify(schema)}\n`)
      .join('') + filled((n) => `{"$defs":{"d${n % 5}-${n % 390}":{}}}\n`, 160_000),
  cases: keyed,
};

/** Documents by an attacker who knows how documents are read. Each is generated anew. */
export const attackingDocuments: Readonly<Record<string, () => HostileDocument>> = Object.fromEntries([
  ['definitions scattered over thousands of blocks', () => scattered],
  ...Object.entries(PROSE).map(([name, part]) => [name, () => prose(part)]),
  ...Object.entries(CASES).map(([name, part]) => [
    name,
    () => ({ document: fenced(KEYED, KEYED), cases: filled(part, 600_000) }),
  ]),
  ...Object.entries(AGREEMENTS),
  ...Object.entries({ ...SCHEMAS, ...MULTIPLIED }).flatMap(([name, make]) =>
    (['amend', 'dispute'] as const).map((onContradiction) => [
      `${name}: ${onContradiction}`,
      () => {
        const { request, cases, response = OPEN } = make();
        return { document: fenced(request, response), cases, more: { onContradiction } };
      },
    ]),
  ),
]) as Record<string, () => HostileDocument>;
