import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyze } from '../../src/analysis/analyze.ts';
import { decide } from '../../src/analysis/decide.ts';
import { preflight } from '../../src/analysis/rules.ts';
import type { Statement } from '../../src/contract/statement.ts';
import { casesOf, sampleJob } from './sample-job.ts';

const textOf = (said: Statement | undefined) => (said?.what === 'amended-document' ? said.text : undefined);

const REQUEST = `type: object
properties:
  kilometres: {type: number, minimum: 0}  # a distance
required: [kilometres]
`;

const REQUEST_VALUE = {
  type: 'object',
  properties: { kilometres: { type: 'number', minimum: 0 } },
  required: ['kilometres'],
};

const RESPONSE = `type: object # what comes back
properties:
  code:
    type: integer
  unit:
    type: string
    enum:
      - mi # miles
      - yd
  note:
    type: string
    description: |
      A note
      of two lines.
required:
  - code
  - unit
additionalProperties: false # nothing else
`;

const RESPONSE_VALUE = {
  type: 'object',
  properties: {
    code: { type: 'integer' },
    unit: { type: 'string', enum: ['mi', 'yd'] },
    note: { type: 'string', description: 'A note\nof two lines.\n' },
  },
  required: ['code', 'unit'],
  additionalProperties: false,
};

function documentOf(request: string, response: string, open = '```yaml', close = '```'): string {
  const fenced = (text: string) => `${open}\n${text}${close}\n`;
  return `# Requirements\nConvert.\n\n## Request Message\n${fenced(request)}\n## Response Message\n${fenced(response)}\n# Errors\n- 404: not found\n`;
}

function run(document: string, cases?: string) {
  const analyzed = analyze(sampleJob(document, cases));
  const findings = preflight(analyzed);
  return { agreement: analyzed.agreement, findings, settlement: decide(analyzed, findings) };
}

test('schemas in YAML are read like those in JSON, with their places', () => {
  const indented = (text: string) => text.replace(/^(?=.)/gm, '  ');
  for (const document of [
    documentOf(REQUEST, RESPONSE),
    documentOf(REQUEST, RESPONSE, '~~~ yml', '~~~'),
    documentOf(REQUEST, RESPONSE, '```'),
    documentOf(`---\n${REQUEST}`, `%YAML 1.2\n---\n${RESPONSE}...\n`),
    documentOf(REQUEST, RESPONSE).replaceAll('\n', '\r\n'),
    `- The exchange:\n\n${indented(documentOf(REQUEST, RESPONSE)).replaceAll('  ##', '##')}`,
    documentOf(REQUEST, RESPONSE).replace(/^/gm, '> '),
  ]) {
    const { agreement, findings } = run(document);
    assert.deepEqual(
      findings.filter(({ severity }) => severity === 'error'),
      [],
      document,
    );
    assert.deepEqual(agreement.requestSchema?.schema, REQUEST_VALUE, document);
    assert.deepEqual(agreement.responseSchema?.schema, RESPONSE_VALUE, document);
    const { start = 0, end = 0 } = agreement.responseSchema ?? {};
    assert.match(
      document.slice(start, end),
      /^[\s>]*type: object # what[\s\S]*additionalProperties: false # nothing else$/,
    );
  }
});

test('a schema in YAML is amended in place, and the rest stays unchanged', () => {
  const cases = casesOf(
    [{ kilometres: -1 }, { code: '200', unit: 'km' }],
    [{ kilometres: 1 }, { code: 1, hour: 2 }],
    [{ kilometres: 2 }, { code: null, unit: 'mi', note: 'x' }],
  );
  for (const [mark, document] of [
    ['', documentOf(REQUEST, RESPONSE)],
    ['', documentOf(REQUEST, RESPONSE, '```')],
    ['> ', documentOf(REQUEST, RESPONSE).replace(/^/gm, '> ')],
  ] as const) {
    const { settlement } = run(document, cases);
    assert.ok(settlement.kind === 'disputed');
    const text = String(textOf(settlement.proposals[0]));
    const [before, after] = [document, text].map((one) => one.split('\n'));
    assert.deepEqual(
      after?.filter((line) => !before?.includes(line)),
      [
        '  kilometres: {type: number, minimum: -1}  # a distance',
        '    type: ["integer", "string", "null"]',
        '  hour: { "type": "integer" }',
        '      - "km"',
      ]
        .sort((one, other) => text.indexOf(one) - text.indexOf(other))
        .map((line) => mark + line),
    );
    assert.deepEqual(
      before?.filter((line) => !after?.includes(line)),
      ['  kilometres: {type: number, minimum: 0}  # a distance', '    type: integer', '  - unit'].map(
        (line) => mark + line,
      ),
    );
    assert.deepEqual(run(text, cases).findings, []);
  }
});

test('no counter-offer is made if one place of the text is read as several', () => {
  const shared = `type: object\nproperties:\n  a: &text {type: string}\n  b: *text\n`;
  const { findings, settlement } = run(documentOf(REQUEST, shared), casesOf([{ kilometres: 1 }, { a: 5, b: 'x' }]));
  assert.deepEqual(
    findings.map(({ code, pointer }) => [code, pointer]),
    [['DOCUMENT_CASE_VIOLATES_SCHEMA', '/a']],
  );
  assert.ok(settlement.kind === 'disputed');
  assert.deepEqual(settlement.proposals, []);
});

test('schemas inside a larger YAML description are found and amended there', () => {
  const description = `openapi: 3.0.3
paths:
  /convert:
    post:
      requestBody:
        content:
          application/json:
            schema: {$ref: '#/components/schemas/Distance'}
      responses:
        200:
          content:
            application/json:
              schema:
                $ref: '#/components/schemas/Miles'
components:
  schemas:
    Distance:
      properties:
        kilometres:
          type: number
    Miles:
      properties:
        miles:
          type: number
          minimum: 0
          exclusiveMinimum: true
`;
  const document = `# Requirements\nConvert.\n\`\`\`yaml\n${description}\`\`\`\n`;
  const { settlement } = run(
    document,
    casesOf([{ kilometres: 0 }, { miles: 0 }], [{ kilometres: 1 }, { miles: null }]),
  );
  assert.ok(settlement.kind === 'disputed');
  const wanted = document
    .replace('          exclusiveMinimum: true\n', '')
    .replace('          minimum: 0\n', '          minimum: 0\n          nullable: true\n');
  assert.equal(textOf(settlement.proposals[0]), wanted);
});

test('definitions in one YAML block serve schemas in the others', () => {
  const library =
    '## Types\n```yaml\ndefinitions:\n  Ask:\n    type: object\n    required: [a]\n  Unused: {type: string}\n```\n';
  const { agreement } = run(`${documentOf("$ref: '#/definitions/Ask'\n", 'const: 5\n')}${library}`);
  assert.deepEqual(agreement.requestSchema?.schema, {
    $ref: '#/definitions/Ask',
    definitions: { Ask: { type: 'object', required: ['a'] } },
  });
  assert.deepEqual(agreement.responseSchema?.schema, { const: 5 });
});

test('YAML that JSON cannot represent, or too much YAML, is reported', () => {
  const members = (count: number, line: (n: number) => string) =>
    Array.from({ length: count }, (_, n) => line(n)).join('');
  const bomb = members(
    20,
    (n) =>
      `  p${n}: &p${n} [${Array(10)
        .fill(n === 0 ? 'x' : `*p${n - 1}`)
        .join(', ')}]\n`,
  );
  for (const [name, response] of Object.entries({
    'a tag of its own': 'type: object\nproperties: !!js/function "x"\n',
    'a name twice': 'type: object\nproperties:\n  a: {}\n  a: {type: string}\n',
    'a merge of what is not a mapping': 'type: object\nproperties:\n  <<: [5]\n',
    'a merge of itself': 'type: object\nproperties: &p\n  <<: *p\n',
    'a name that is a list': 'type: object\nproperties:\n  ? [a]\n  : {}\n',
    'an anchor inside itself': 'type: object\nproperties: &p\n  a: *p\n',
    'an alias of nothing': 'type: object\nproperties: *p\n',
    'a number beyond all': 'type: object\nproperties:\n  a: {maximum: .inf}\n',
    'aliases that multiply': `type: object\nproperties:\n${bomb}`,
    'a fault': 'type: object\nproperties:\n a: b: c\n',
    'deep nesting': `type: object\nproperties: ${'['.repeat(50_000)}\n`,
    'too many lines': `type: object\nproperties:\n${members(20_000, (n) => `  p${n}: {}\n`)}`,
  })) {
    const { agreement, findings } = run(documentOf(REQUEST, response));
    assert.deepEqual(
      findings.map(({ code, severity }) => [code, severity]),
      [['DOCUMENT_SCHEMA_UNREADABLE', 'error']],
      name,
    );
    assert.match(findings[0]?.message ?? '', /YAML/);
    assert.equal(agreement.responseSchema, null);
  }
});

test('merge keys take over what a mapping lacks, the first source before the others', () => {
  const response = [
    'type: object',
    '$defs:',
    '  code: &code {type: integer, minimum: 1, title: Code}',
    '  text: &text {type: string, title: Text}',
    'properties:',
    '  a:',
    '    <<: *code',
    '    minimum: 5',
    '  b: {title: B, <<: [*text, *code]}',
    '  c:',
    '    "<<": 1',
    '',
  ].join('\n');
  const { agreement, findings } = run(documentOf(REQUEST, response));
  assert.deepEqual(findings, []);
  assert.deepEqual(Object(agreement.responseSchema?.schema).properties, {
    a: { type: 'integer', minimum: 5, title: 'Code' },
    b: { title: 'B', type: 'string', minimum: 1 },
    c: { '<<': 1 },
  });
});

test('a schema in YAML needs no fence', () => {
  const [request, response] = [REQUEST, RESPONSE].map((text) => text.replace('type: object #', '\ntype: object #'));
  const bare = `# R\n## Request Message\n${request}\n## Response Message\nIt comes back as:\n${response}\nNote: all is said.\n`;
  const { agreement, settlement } = run(bare, casesOf([{ kilometres: 1 }, { code: 1, unit: 'km' }]));
  assert.deepEqual(
    [agreement.requestSchema?.schema, agreement.responseSchema?.schema],
    [REQUEST_VALUE, RESPONSE_VALUE],
  );
  assert.ok(settlement.kind === 'disputed');
  assert.equal(textOf(settlement.proposals[0]), bare.replace('      - yd\n', '      - yd\n      - "km"\n'));
  const torn = bare.replace('    type: integer', '    type: [integer');
  assert.deepEqual(
    run(torn).findings.map(({ code }) => code),
    ['DOCUMENT_SCHEMA_UNREADABLE'],
  );
});

test('other YAML is not a schema', () => {
  const config =
    'Members:\ntype: object\nname: thing\n\n## Example\n```yaml\ntype: REQUEST\nname: x\nitems: [1, 2]\n```\n```yaml\n- 410: gone\n```\n';
  const { agreement, findings } = run(documentOf(REQUEST, RESPONSE) + config);
  assert.equal(agreement.schemas.length, 2);
  assert.deepEqual(findings, []);
});
