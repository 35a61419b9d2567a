import type { Job } from '../../src/contract/job.ts';
import type { Json } from '../../src/kernel/json.ts';

/** A document of about the largest allowed size, with its case text. */
export interface HostileDocument {
  document: string;
  cases?: string;
  more?: Partial<Job>;
}

const MAX_DOCUMENT_BYTES = 256 * 1024;

type Part = string | ((index: number) => string);

/** As many parts as fit into a number of bytes. */
export function filled(part: Part, bytes = MAX_DOCUMENT_BYTES): string {
  const parts: string[] = [];
  let left = bytes;
  for (let index = 0; ; index += 1) {
    const next = typeof part === 'string' ? part : part(index);
    left -= Buffer.byteLength(next);
    if (left < 0) return parts.join('');
    parts.push(next);
  }
}

export const list = (count: number, item: (index: number) => Json): Json[] =>
  Array.from({ length: count }, (_, index) => item(index));

export const members = (count: number, member: (index: number) => Json): { [name: string]: Json } =>
  Object.fromEntries(list(count, () => null).map((_, index) => [`p${index}`, member(index)]));

const nested = (depth: number, leaf: Json): Json => (depth === 0 ? leaf : { a: nested(depth - 1, leaf) });

export const fenced = (request: Json, response: Json = OPEN): string =>
  `## Request Message\n\`\`\`json\n${JSON.stringify(request)}\n\`\`\`\n## Response Message\n\`\`\`json\n${JSON.stringify(response)}\n\`\`\`\n`;

export const hundred = (
  request: (index: number) => Json,
  response: (index: number) => Json = () => ({}),
  count = 100,
): string =>
  Array.from(
    { length: count },
    (_, index) =>
      `# Test Case ${index + 1}\n- Test Request Data:\n${JSON.stringify(request(index))}\n- Test Response Data:\n${JSON.stringify(response(index))}\n- Expected Test Result: ok\n`,
  ).join('');

const OPEN: Json = { type: 'object' };
const TEXT: Json = { type: 'string' };
const KEYED: Json = { type: 'object', properties: { id: TEXT, n: { type: 'integer' } }, required: ['id'] };
const keyed = hundred((index) => ({ id: `x${index}` }));

const wide = (count: number): Json => ({
  type: 'object',
  properties: members(count, () => TEXT),
  required: Object.keys(members(count, () => null)),
  additionalProperties: false,
});

const after = (part: Part): HostileDocument => ({
  document: fenced(KEYED, KEYED) + filled(part, 250_000),
  cases: keyed,
});

const amended = (request: Json, cases: string, response: Json = OPEN): HostileDocument => ({
  document: fenced(request, response),
  cases,
  more: { onContradiction: 'amend' },
});

/** Documents that cause the most work, by what they do. Each is generated anew, so that no cache helps. */
export const hostileDocuments: Readonly<Record<string, () => HostileDocument>> = {
  'wide objects, every member wrong': () =>
    amended(
      wide(190),
      hundred(
        () => members(190, () => 1),
        () => members(190, () => 1),
      ),
      wide(190),
    ),
  'a wide object, valid': () =>
    amended(
      wide(380),
      hundred(() => members(380, () => 'x')),
    ),
  'members that no schema declares': () =>
    amended(
      { type: 'object', properties: { p0: TEXT }, additionalProperties: false },
      hundred((n) => Object.fromEntries(list(400, () => null).map((_, index) => [`p${n * 400 + index}`, 1]))),
    ),
  'combinations in combinations': () => {
    let schema: Json = OPEN;
    for (let depth = 0; depth < 60; depth += 1)
      schema = { allOf: [schema, { required: ['a'] }, { properties: { a: TEXT } }] };
    return amended(
      schema,
      hundred(() => ({ a: 1 })),
    );
  },
  'alternatives by the hundred': () =>
    amended(
      { oneOf: list(130, (k) => ({ type: 'object', properties: { k: { const: k } }, required: ['k', 'x'] })) },
      hundred((k) => ({ k })),
    ),
  'alternatives of which none is meant': () =>
    amended(
      {
        anyOf: list(60, (n) => ({
          type: 'object',
          properties: { [`a${n}`]: TEXT, b: { type: 'integer' } },
          required: [`a${n}`, 'b'],
        })),
      },
      hundred((z) => ({ b: 1, z })),
    ),
  'alternatives in items': () =>
    amended(
      {
        type: 'object',
        properties: {
          l: {
            type: 'array',
            items: {
              anyOf: list(20, (k) => ({
                type: 'object',
                properties: { k: { const: k }, v: TEXT },
                required: ['k', 'v'],
              })),
            },
          },
        },
      },
      hundred(() => ({ l: list(20, (k) => ({ k, v: 5 })) })),
    ),
  'references that double': () =>
    amended(
      {
        $ref: '#/$defs/p0',
        $defs: members(60, (n) =>
          n < 59 ? { allOf: [{ $ref: `#/$defs/p${n + 1}` }, { $ref: `#/$defs/p${n + 1}` }] } : {},
        ),
      },
      hundred(() => ({ p1: 'x' })),
    ),
  'a chain of references': () =>
    amended(
      {
        $ref: '#/$defs/p0',
        $defs: members(190, (n) => ({ type: 'object', properties: { a: { $ref: `#/$defs/p${(n + 1) % 190}` } } })),
      },
      hundred(() => nested(55, 1)),
    ),
  'references by the thousand': () =>
    amended(
      {
        type: 'object',
        properties: members(5_000, (n) => ({ $ref: `#/$defs/d${n}` })),
        $defs: members(3_000, () => TEXT),
      },
      hundred(() => ({ p1: 'x' })),
    ),
  'a giant enum': () =>
    amended(
      { type: 'object', properties: { a: { enum: list(4_000, (n) => `value-${'x'.repeat(50)}${n}`) } } },
      hundred((n) => ({ a: `other ${n}` })),
    ),
  'enums everywhere': () =>
    amended(
      { type: 'object', properties: members(90, () => ({ enum: list(50, (n) => `v${n}`) })) },
      hundred((k) => members(90, (n) => `v${(k + n) % 60}`)),
    ),
  'patterns by the hundred': () =>
    amended(
      {
        type: 'object',
        properties: members(300, (n) => ({ type: 'string', pattern: `^[a-z]{1,${(n % 90) + 1}}x${n}$` })),
      },
      hundred(() => members(300, () => 'abc')),
    ),
  'patterns beyond linear time': () =>
    amended(
      { type: 'object', properties: members(300, (n) => ({ type: 'string', pattern: `^(?=x${n})(a|b)\\1$` })) },
      hundred(() => members(300, () => 'abc')),
    ),
  'patterns for names': () =>
    amended(
      {
        type: 'object',
        patternProperties: Object.fromEntries(list(100, () => null).map((_, n) => [`^p${n}[0-9]*$`, TEXT])),
      },
      hundred(() => members(200, () => 'x')),
    ),
  'formats on everything': () =>
    amended(
      {
        type: 'object',
        properties: members(200, (n) => ({
          type: 'string',
          format: ['uri', 'email', 'date-time', 'uuid', 'hostname', 'ipv6', 'regex', 'duration'][n % 8] ?? '',
        })),
      },
      hundred(() => members(200, () => 'x'.repeat(30))),
    ),
  'conditions by the hundred': () =>
    amended(
      {
        type: 'object',
        allOf: list(95, (k) => ({
          if: { properties: { k: { const: k } } },
          // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
          then: { required: [`r${k}`] },
          else: { properties: { z: TEXT } },
        })),
      },
      hundred((k) => ({ k, z: 1 })),
    ),
  'names without end': () =>
    amended(
      {
        type: 'object',
        properties: Object.fromEntries(list(380, () => null).map((_, n) => ['n'.repeat(500) + n, TEXT])),
      },
      hundred((n) => ({ ['n'.repeat(500) + n]: 5 })),
    ),
  'keywords that are removed': () =>
    amended(
      {
        type: 'object',
        properties: members(390, () => ({ tsType: 'x', $async: true, $data: '1', type: ['string'], nullable: true })),
      },
      hundred(() => members(100, () => 'x')),
    ),
  'a schema full of faults': () =>
    amended(
      {
        type: 'object',
        properties: members(390, (n) => ({ type: 'strin', minimum: 'x', pattern: `(${n}`, $ref: `#/none${n}` })),
      },
      hundred(() => ({ p0: 1 })),
    ),
  'many schemas, all meant': () => ({
    document: list(64, (n) => ({
      type: 'object',
      properties: { id: TEXT, [`m${n}`]: { type: 'integer' } },
      required: ['id', `m${n}`],
    }))
      .map((schema) => `\`\`\`json\n${JSON.stringify(schema)}\n\`\`\`\n`)
      .join('text\n'),
    cases: hundred(
      (n) => ({ id: 'x', [`m${n % 64}`]: 1 }),
      (n) => ({ id: 'x', [`m${(n + 3) % 64}`]: 1 }),
    ),
  }),
  'base protocols on base protocols': () => ({
    document: 'based on the existing protocol (URI: urn:b0)\n',
    more: {
      baseProtocols: Object.fromEntries(
        list(6, () => null).map((_, n) => [
          `urn:b${n}`,
          {
            content: `based on the existing protocol (URI: urn:b${n + 1})\n${filled((k) => `{"type":"object","properties":{"a${k}":{"type":"string"}}}\n`, 120_000)}`,
          },
        ]),
      ),
    },
    cases: hundred(() => ({ a1: 'x' })),
  }),
  'schemas inside a larger object': () => ({
    document: JSON.stringify({
      openapi: { paths: members(1_500, () => ({ requestSchema: KEYED, responseSchema: KEYED })) },
    }).slice(0, MAX_DOCUMENT_BYTES),
    cases: keyed,
  }),
  'one schema with an id, many times': () => ({
    document:
      `\`\`\`json\n${JSON.stringify({ $id: 'https://e.org/s', type: 'object', properties: { a: { $id: 'https://e.org/s', type: 'string' } } })}\n\`\`\`\n`.repeat(
        40,
      ),
    cases: hundred((b) => ({ a: 'x', b })),
  }),
  'large cases': () =>
    amended(
      { type: 'object', properties: { list: { type: 'array', items: { type: 'object', properties: { a: TEXT } } } } },
      hundred(() => ({ list: list(250, (a) => ({ a })) })),
    ),
  'one huge case': () =>
    amended(
      { type: 'object', properties: { list: { type: 'array', items: { type: 'integer' } } } },
      hundred(
        () => ({ list: list(100_000, (n) => n) }),
        () => ({}),
        1,
      ),
    ),
  'long texts in cases': () =>
    amended(
      { type: 'object', properties: { t: { type: 'string', maxLength: 100 } } },
      hundred(
        (n) => ({ t: '"\\\n'.repeat(2_000) + n }),
        () => ({}),
        50,
      ),
    ),
  'constants that every case breaks': () =>
    amended(
      { type: 'object', properties: members(3, (n) => ({ const: `c${n}` })) },
      hundred(() => ({ p0: 'x', p1: 'c1', big: list(500, (n) => n) })),
    ),
  'contradictions by the hundred': () =>
    amended(
      KEYED,
      hundred(
        () => ({ id: 'same', list: list(300, (n) => n) }),
        (answer) => ({ answer, list: list(100, (n) => n + answer) }),
      ),
    ),
  'contradictions in other orders': () =>
    amended(
      OPEN,
      hundred(
        (k) => Object.fromEntries(list(300, () => null).map((_, n) => [`p${(n * 7 + k) % 300}`, 1])),
        (answer) => ({ answer }),
      ),
    ),
  'failures by the hundred': () => ({
    document: `Error codes:\n${filled((n) => `- ${400 + (n % 190)}: failure ${n}\n`, 200_000)}${fenced(OPEN, { type: 'object', properties: { code: { enum: [200, 404] } } })}`,
    cases: hundred(
      (id) => ({ id }),
      (n) => ({ code: 400 + n }),
    ),
    more: { onContradiction: 'amend' },
  }),
  'answers from nowhere, with tools by the hundred': () => ({
    document: fenced(KEYED),
    cases: hundred(
      (n) => ({ id: `x${n}` }),
      (n) => ({ list: list(100, (k) => `w${n}-${k}`) }),
    ),
    more: {
      tools: list(200, () => null).map((_, n) => ({
        ...{ name: `t${n}`, description: '', inputSchema: { type: 'object' }, outputSchema: { type: 'object' } },
        annotations: { readOnlyHint: true },
        examples: list(10, () => null).map((_, k) => ({
          input: { id: `x${k}` },
          output: list(20, (m) => `o${n}-${k}-${m}`),
        })),
      })),
    },
  }),
  'tables without end': () => after((n) => `| ${400 + (n % 200)} | error | some meaning ${n} | \`{"x": ${n}}\` |\n`),
  'code of other languages': () =>
    after(
      (n) => `\`\`\`${['ts', 'python', 'yaml', ''][n % 4]}\nconst a = {"b": [1, 2]};\nif (x) { return {}; }\n\`\`\`\n`,
    ),
  markup: () =>
    after((n) => `<tr><td>${400 + (n % 100)}</td><td>{"code": ${n}, "message": "not <b>found</b>"}</td></tr>\n`),
  'characters of all kinds': () =>
    after(
      (n) =>
        String.fromCodePoint(0x300 + (n % 80), 0x202e, 0x200d, 0x1f468, 0xfeff, 0x10000 + (n % 500)) +
        (n % 9 === 0 ? '\n' : ''),
    ),
  'brackets in prose': () => after((n) => `see [1] and {"x"} or [${n}, ] {"a" } {} [] `),
  'fences and fences': () => ({ document: filled('```json\n{"a":1}\n```\n') }),
  'fences that are never closed': () => ({
    document: filled(
      (n) => `\`\`\`json\n{"type":"object","properties":{"a":{"type":"string"}}}\n${n % 2 === 0 ? '~~~\n' : ''}`,
    ),
  }),
  'fences of every length': () => ({ document: filled((n) => `${(n % 2 === 0 ? '~' : '`').repeat(3 + (n % 50))}\n`) }),
  'schemas that break off': () => ({
    document: filled((n) => `{"type":"object","properties":{"a${n}":{"type":"string"}\n\n`),
  }),
  'schemas with comments': () => ({
    document: filled((n) => `{"type":"object", /* c ${n} */ "properties":{"a":{"type":"string"},},}\n`),
  }),
  'a list that ends in a comma': () => ({ document: `{"a":[${filled('1,', 250_000)}]}` }),
  'escaped characters in every value': () => ({ document: filled('{"a":"\\ud83d\\ude00","b":[1,2]}\n') }),
  'numbers beyond a double': () => ({
    document: filled((n) => `{"a":${'9'.repeat(n % 320)}.5e${n % 330},"b":-0.0}\n`),
    cases: keyed,
  }),
  'cases that cannot be read': () => ({
    document: fenced(KEYED),
    cases: filled('# Test Case 1\nRequest:\n{"a":1\nResponse:\n{"a":\n', 700_000),
  }),
  'labels without cases': () => ({
    document: fenced(KEYED),
    cases: filled('Test Request Data: {"a":1}\nTest Response Data: {"a":{}}\n', 700_000),
  }),
  'labels in nested lists': () => ({
    document: fenced(KEYED),
    cases: filled(
      (n) => `${'  '.repeat(n % 60)}- ${n % 3 === 0 ? 'Response' : '**Request**'}: {"id":"${n}"}\n`,
      600_000,
    ),
  }),
  'one number for all cases': () => ({
    document: fenced(KEYED),
    cases: hundred(() => ({ id: 'x', l: list(400, (n) => n) })).replaceAll(/Test Case \d+/g, 'Test Case 1'),
  }),
  'texts of cases': () => ({
    document: `All messages are plain text CSV.\n${filled('a,b,c\n', 200_000)}`,
    cases: list(100, () => null)
      .map(
        (_, n) =>
          `# Test Case ${n + 1}\n- Test Request Data:\n\`\`\`\n${'a,b,c;\n'.repeat(400)}\`\`\`\n- Test Response Data:\n\`\`\`\n${'x;y\n'.repeat(300)}\`\`\`\n`,
      )
      .join(''),
  }),
  ideographs: () => ({
    document: filled('本协议基于现有协议规定的消息格式，请求消息如下，在超时时间内没有返回则失败。\n'),
    cases: filled(
      (n) => `# 测试用例${n + 1}\n- 测试请求数据：\n{"a":${n}}\n- 测试响应数据：\n{"b":"值"}\n- 预期测试结果：成功\n`,
    ),
  }),
};
