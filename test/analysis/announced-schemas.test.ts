import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyze } from '../../src/analysis/analyze.ts';
import { preflight } from '../../src/analysis/rules.ts';
import type { Json, JsonObject } from '../../src/kernel/json.ts';
import { casesOf, sampleJob } from './sample-job.ts';

const ASK = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const REQUEST = `## Request Schema\n\`\`\`json\n${JSON.stringify(ASK)}\n\`\`\`\n`;

function chosen(document: string, cases?: string): [request: Json | undefined, response: Json | undefined] {
  const { agreement } = analyze(sampleJob(document, cases));
  return [agreement.requestSchema?.schema, agreement.responseSchema?.schema];
}

function codes(document: string, cases?: string): string[] {
  return preflight(analyze(sampleJob(document, cases))).map(({ code }) => code);
}

test('a value below the announcement of a schema is one, however short', () => {
  const schemas: Json[] = [
    { $ref: 'https://e.org/answer.json' },
    { const: 5 },
    { enum: ['yes', 'no'], description: 'Said in one word.' },
    { not: { type: 'null' } },
    { minimum: 3 },
    {},
    true,
    false,
  ];
  for (const schema of schemas)
    for (const shown of [JSON.stringify(schema), `\`\`\`json\n${JSON.stringify(schema, null, 2)}\n\`\`\``])
      for (const announced of ['## Response Schema', '## 响应模式', '## Answers\nThe response schema:'])
        assert.deepEqual(chosen(`${REQUEST}\n${announced}\n${shown}\n`), [ASK, schema], `${announced}\n${shown}`);
  assert.deepEqual(chosen(`## Request\n{"enum": [1]}\n\n## Response\n{"$ref": "#/$defs/a", "$defs": {"a": true}}\n`), [
    { enum: [1] },
    { $ref: '#/$defs/a', $defs: { a: true } },
  ]);
});

test('such a side is validated, and the findings name its place', () => {
  const cases = casesOf([{ city: 'Oslo' }, 6]);
  assert.deepEqual(codes(`${REQUEST}\n## Response Schema\n{"const": 5}\n`, cases), ['DOCUMENT_CASE_VIOLATES_SCHEMA']);
  assert.deepEqual(codes(`${REQUEST}\n## Response Schema\n{"const": 6}\n`, cases), []);
  assert.deepEqual(codes(`${REQUEST}\n## Response Schema\n{"$ref": "https://e.org/a"}\n`, cases), [
    'DOCUMENT_REFERENCE_EXTERNAL',
  ]);
});

test('an example under the heading of a message is not a schema', () => {
  for (const example of ['{"minimum": 3}', '{}', 'true', '{"title": "A", "description": "B"}', '{"enum": 5}', '[5]'])
    assert.deepEqual(chosen(`${REQUEST}\n## Response\n${example}\n`), [ASK, undefined], example);
  assert.deepEqual(chosen(`${REQUEST}\n## Response Schema Notes\n{"const": 1, "city": "Oslo"}\n`), [ASK, undefined]);
});

test('a block of shared definitions does not describe a message itself', () => {
  const definitions = Object.fromEntries([
    ...Array.from({ length: 100 }, (_, n): [string, Json] => [`Other${n}Request`, { properties: { city: {} } }]),
    ['Ask', ASK],
    ['Answer', { type: 'object', properties: { degrees: { type: 'number' } }, required: ['degrees'] }],
  ]);
  const $schema = 'http://json-schema.org/draft-07/schema#';
  const library = `## Types\n${JSON.stringify({ $schema, definitions })}\n`;
  const sides = ['Ask', 'Answer'].map((name) => JSON.stringify({ $ref: `#/definitions/${name}` }));
  const document = `## Request Schema\n${sides[0]}\n\n## Response Schema\n${sides[1]}\n\n`;
  const cases = casesOf([{ city: 'Oslo' }, { degrees: 'x' }]);
  for (const text of [document + library, library + document]) {
    const findings = preflight(analyze(sampleJob(text, cases)));
    assert.deepEqual(
      findings.map(({ code, amendment }) => [code, amendment?.patch[0]?.path]),
      [['DOCUMENT_CASE_VIOLATES_SCHEMA', '/definitions/Answer/properties/degrees/type']],
    );
  }
  const only = `## Request Schema\n${sides[0]}\n\n${library}`;
  assert.deepEqual(chosen(only, casesOf([{ city: 'Oslo' }, { degrees: 1 }])), [
    { $ref: '#/definitions/Ask', definitions: { Ask: ASK } },
    { ...(definitions.Answer as JsonObject), $schema },
  ]);
});

test('schemas of an interface description are found through the member that references them', () => {
  const schemas = {
    City: ASK,
    Weather: {
      properties: {
        degrees: { type: 'number', minimum: 0, exclusiveMinimum: true },
        wind: { type: 'integer', nullable: true },
      },
    },
  };
  const content = (name: string) => ({
    content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } },
  });
  const paths = { '/weather': { post: { requestBody: content('City'), responses: { 200: content('Weather') } } } };
  const described = (openapi: string) =>
    `# API\n\`\`\`json\n${JSON.stringify({ openapi, paths, components: { schemas } })}\n\`\`\`\n`;
  const cases = casesOf([{ city: 'Oslo' }, { degrees: 0, wind: null }]);
  const findings = preflight(analyze(sampleJob(described('3.0.3'), cases)));
  assert.deepEqual(
    findings.map(({ code, amendment }) => [code, amendment?.patch]),
    [
      [
        'DOCUMENT_CASE_VIOLATES_SCHEMA',
        [
          { op: 'remove', path: '/$defs/Weather/properties/degrees/exclusiveMinimum' },
          { op: 'add', path: '/$defs/Weather/properties/degrees/minimum', value: 0 },
        ],
      ],
    ],
  );
  const missing = casesOf([{ city: 'Oslo' }, { degrees: null }]);
  assert.deepEqual(preflight(analyze(sampleJob(described('3.0.3'), missing)))[0]?.amendment?.patch, [
    { op: 'add', path: '/$defs/Weather/properties/degrees/nullable', value: true },
  ]);
  const other = casesOf([{ city: 'Oslo' }, { degrees: 'x' }]);
  assert.equal(preflight(analyze(sampleJob(described('3.0.3'), other)))[0]?.amendment, undefined);
});
