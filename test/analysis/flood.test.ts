import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { analyze } from '../../src/analysis/analyze.ts';
import { decide } from '../../src/analysis/decide.ts';
import { preflight } from '../../src/analysis/rules.ts';
import type { Job } from '../../src/contract/job.ts';
import { startCost } from '../cost.ts';
import { sampleJob } from './sample-job.ts';

/** Far above the usual cost of 10. */
const HANG_COST = 200;

const DOCUMENT_CHARS = 256 * 1024;

function judged(document: string, cases: string | undefined, more: Partial<Job> = {}): void {
  const cost = startCost();
  const analyzed = analyze(sampleJob(document, cases, more));
  const findings = preflight(analyzed);
  const decision = decide(analyzed, findings);
  const spent = cost();
  assert.ok(spent < HANG_COST, `${spent}`);
  // Everything must be valid JSON.
  assert.doesNotThrow(() => JSON.stringify([analyzed.agreement, findings, decision]));
}

const filled = (part: string): string => part.repeat(Math.ceil(DOCUMENT_CHARS / part.length)).slice(0, DOCUMENT_CHARS);

const GOOD =
  '## Request\n{"type":"object","properties":{"a":{"type":"integer"}}}\n## Response\n{"type":"object","properties":{"a":{"type":"object"}},"additionalProperties":false}\n';

const ENDLESS: Record<string, string> = Object.fromEntries(
  [
    ...[
      '{',
      '[',
      '[{',
      '}{',
      '{"a":',
      '{"a":1,',
      '{"a":1,x',
      '{"a":[1,',
      '{"',
      '[/*',
      '{"a":1,/*',
      '{"a":1,//',
      '"',
      '\\',
      '# Request\n',
      '```\n',
      '````json\n',
    ],
    ...[
      'timeout within 1 ',
      'based on the existing protocol URI: http://a ',
      'based ',
      '#',
      '*',
      '** a ',
      '| 404 | ',
      '- 404: x\n',
      '\u0000',
      '\u200d\ud800',
    ],
    ...[
      '# Test Case 1\n',
      'Test Request Data:\n',
      'Test Request Data',
      '# Test Case 99999999999\n',
      '# Test Case 1\nRequest:\n```\na\n```\n',
      '> > > ',
      '- - - ',
      '测试用例',
    ],
    ...[
      '\n{"type":"object","properties":{"a":{"type":"string"}}}',
      '{"a":{"b":{"c":{"type":"object","properties":{}}}}}',
    ],
  ].map((part) => [JSON.stringify(part), filled(part)]),
);

for (const [name, text] of Object.entries(ENDLESS)) {
  test(`endless ${name} is read and judged in bounded time, as document and as cases`, () => {
    judged(text, undefined);
    judged(GOOD, text);
    judged(`${GOOD}${text}`.slice(0, DOCUMENT_CHARS), '# Test Case 1\n- Request: {"a":1}\n- Response: {"a":{}}\n');
  });
}

const hostileSchema = fc.letrec<{ schema: unknown }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom<unknown>(
      true,
      false,
      {},
      null,
      1,
      'x',
      [],
      { type: 'object' },
      { type: 'objekt' },
      { $ref: '#' },
      { $ref: '#/properties/a' },
      { $ref: 'https://e.org/x' },
      { $ref: '#/$defs/none' },
    ),
    fc.record(
      {
        type: fc.constantFrom('object', 'array', 'string', ['string', 'null'], 'integer', 5),
        pattern: fc.constantFrom('(', '^(a+)+$', '(?=x)', 'a{1000}', '(a{99}){99}', '[', '\\'),
      },
      { requiredKeys: [] },
    ),
    fc.record(
      {
        properties: fc.dictionary(
          fc.constantFrom('a', 'b', '__proto__', 'constructor', '', '`', '\u202e\n# x'),
          tie('schema'),
          { maxKeys: 4 },
        ),
        required: fc.array(fc.constantFrom('a', '__proto__', 'toString', 5), { maxLength: 3 }),
        additionalProperties: tie('schema'),
      },
      { requiredKeys: ['properties'] },
    ),
    fc.record(
      {
        anyOf: fc.array(tie('schema'), { maxLength: 3 }),
        not: tie('schema'),
        items: tie('schema'),
        enum: fc.array(fc.jsonValue({ maxDepth: 1 }), { maxLength: 3 }),
        $defs: fc.dictionary(fc.constantFrom('a', '__proto__'), tie('schema'), { maxKeys: 2 }),
      },
      { requiredKeys: [] },
    ),
    fc.record(
      {
        $async: fc.constant(true),
        $data: fc.constant('1/a'),
        tsType: fc.constant('x'),
        $dynamicRef: fc.constant('#a'),
        $id: fc.constantFrom('a', '%', '#', 'http://e.org'),
        minimum: fc.constantFrom<unknown>('x', 1, { $data: '1' }),
        nullable: fc.boolean(),
        format: fc.constantFrom('uuid', 'nope', 5),
      },
      { requiredKeys: [] },
    ),
  ),
})).schema;

const fragment = fc.oneof(
  hostileSchema.map((schema) => JSON.stringify(schema)),
  hostileSchema.map((schema) => `\`\`\`json\n${JSON.stringify(schema, null, 1)}\n\`\`\``),
  hostileSchema.map((schema) => JSON.stringify(schema).slice(0, -1)),
  fc.constantFrom(
    '## Request Message',
    '## 响应消息',
    '# Test Case 1',
    '# 测试用例',
    '- **Test Request Data**:',
    '测试响应数据：',
    '- **Expected Test Result**:',
    '- 404: none',
    'within 5 seconds timeout',
    'based on the existing protocol (URI: urn:x)',
    '```',
    '~~~text',
    '{',
    '"',
    ',',
  ),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value)),
);

const text = fc.array(fragment, { maxLength: 14 }).map((parts) => parts.join('\n'));

test('values without text or number form are read like others', () => {
  const stubborn = { toString: null, valueOf: null };
  const members = {
    id: stubborn,
    messageId: stubborn,
    code: stubborn,
    status: [stubborn],
    error: { code: [[stubborn]] },
  };
  const schema = {
    type: 'object',
    properties: { id: {}, code: { enum: [stubborn, 404] }, error: { const: stubborn } },
  };
  const document = `## Request\n${JSON.stringify(schema)}\n## Response\n${JSON.stringify(schema)}\n- 404: none\n`;
  const side = [members, [members], stubborn, [[], stubborn], { id: 1, code: 200 }];
  const cases = side.flatMap((ask) =>
    side.map(
      (tell) => `- Request: ${JSON.stringify(ask)}\n- Response: ${JSON.stringify(tell)}\n- Expected: code 404\n`,
    ),
  );
  const text = cases.map((one, index) => `# Test Case ${index + 1}\n${one}`).join('');
  for (const onContradiction of ['amend', 'dispute'] as const) judged(document, text, { onContradiction });
});

test('a flood of generated documents and cases never throws or hangs', () => {
  const role = fc.constantFrom('provider' as const, 'requester' as const);
  const onContradiction = fc.constantFrom('amend' as const, 'dispute' as const);
  const peerCapabilities = fc.constantFrom<string[]>([], ['fixErrorNegotiation']);
  fc.assert(
    fc.property(
      text,
      fc.option(text, { nil: undefined }),
      fc.record({ role, onContradiction, peerCapabilities }),
      (document, cases, more) => {
        judged(document, cases, more);
      },
    ),
    { numRuns: 400 },
  );
});

test('a flood of generated schemas with cases never throws or hangs', () => {
  const payload = fc.jsonValue({ maxDepth: 4 });
  fc.assert(
    fc.property(
      hostileSchema,
      hostileSchema,
      fc.array(fc.tuple(payload, payload), { maxLength: 4 }),
      (request, response, pairs) => {
        const document = `## Request\n${JSON.stringify(request)}\n## Response\n${JSON.stringify(response)}\n`;
        const cases = pairs.map(
          ([ask, tell], index) =>
            `# Test Case ${index + 1}\n- Request: ${JSON.stringify(ask)}\n- Response: ${JSON.stringify(tell)}\n`,
        );
        judged(document, cases.join(''), { onContradiction: 'amend' });
      },
    ),
    { numRuns: 400 },
  );
});
