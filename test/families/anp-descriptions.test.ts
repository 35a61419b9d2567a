import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { analyze } from '../../src/analysis/analyze.ts';
import { lint } from '../../src/analysis/lint.ts';
import { anp } from '../../src/families/anp/anp.ts';
import { readJob } from '../../src/intake/read-job.ts';
import type { Json, JsonObject } from '../../src/kernel/json.ts';
import { unitsOfSubject } from '../../src/readings/units.ts';

const fixtures = join(import.meta.dirname, '../../fixtures/service-descriptions');
const textOf = (name: string) => readFileSync(join(fixtures, name), 'utf8');
const articles = textOf('articles.openrpc.json');

/** The agreement of a job with a document. */
function agreementOf(document: string, more: JsonObject = {}) {
  const agreement = { action: 'protocolNegotiation', sequenceId: 1, status: 'accepted', candidateProtocols: document };
  const reading = readJob('review', { version: 1, negotiationId: 'n', role: 'provider', agreement, ...more });
  assert.ok(reading.ok, JSON.stringify(reading));
  return analyze(reading.job).agreement;
}

const namesIn = (document: string, more: JsonObject = {}) =>
  agreementOf(document, more).interactions.map(({ name }) => name);

const fenced = (text: string, language = 'json') =>
  `# Rules\nThe provider serves a shop.\n\n\`\`\`${language}\n${text}\n\`\`\`\n`;

test('a description is read as the whole text and as a block in prose, in JSON and YAML', () => {
  const methods = ['articles.level', 'articles.price'];
  for (const document of [articles, fenced(articles), fenced(articles, ''), `Our service: ${articles}\nSo be it.`])
    assert.deepEqual(namesIn(document), methods);
  assert.deepEqual(namesIn(textOf('rooms.openapi.json')), ['getRoom', 'PUT /rooms/{id}', 'addRoom']);
  assert.deepEqual(namesIn(textOf('units.tools.json')), ['convertLength', 'listUnits']);
  const yaml = textOf('temperature.openapi.yaml');
  for (const document of [
    yaml,
    fenced(yaml, 'yaml'),
    fenced(yaml, ''),
    `# Rules\nConvert.\n\n${yaml}\n\n# Notes\nNone.\n`,
  ])
    assert.deepEqual(
      agreementOf(document).interactions.map(({ request }) => Object(request?.schema).$ref),
      ['#/$defs/Celsius'],
      document,
    );
});

test('the words around a description and in it are those of the agreement; its data are not', () => {
  const agreement = agreementOf(fenced(articles));
  const units = unitsOfSubject({ agreement }).map(({ text }) => text);
  assert.deepEqual(units, [
    '# Rules',
    'The provider serves a shop.',
    'How many pieces of an article are in stock.',
    'What a number of pieces costs, in cents: the price of one piece times the number.',
  ]);
});

test('the examples are cases where none were negotiated, and negotiated ones are the only ones', () => {
  assert.equal(agreementOf(articles).cases.length, 2);
  const testCases = [{ request: { $method: 'articles.level', sku: 'A-001' }, response: { sku: 'A-001', level: 1 } }];
  assert.deepEqual(
    agreementOf(articles, { testCases }).cases.map(({ request }) => request),
    [{ $method: 'articles.level', sku: 'A-001' }],
  );
});

test('a reply that belongs to another method, or to no declared error, is disputed', () => {
  const codes = (request: Json, response: Json) => {
    const cases = JSON.stringify([{ request, response }]);
    return lint(articles, cases, anp)
      .filter(({ severity }) => severity === 'error')
      .map(({ code }) => code);
  };
  const asked = { $method: 'articles.price', sku: 'L-100', pieces: 2 };
  assert.deepEqual(codes(asked, 4900), []);
  assert.deepEqual(codes(asked, { error: { code: 404, message: 'Unknown article' } }), []);
  assert.deepEqual(codes(asked, { sku: 'L-100', level: 12 }), ['DOCUMENT_CASE_VIOLATES_SCHEMA']);
  assert.ok(codes(asked, { error: { code: 500, message: 'Broken' } }).includes('DOCUMENT_CASE_VIOLATES_SCHEMA'));
});

test('where the document has other schemas, or the cases keep those inside a description better, these count', () => {
  const schema = (title: string, member: string) =>
    `\`\`\`json\n${JSON.stringify({ title, type: 'object', properties: { [member]: { type: 'string' } }, required: [member] })}\n\`\`\`\n`;
  assert.deepEqual(namesIn(`${fenced(articles)}${schema('Request', 'a')}${schema('Response', 'b')}`), ['']);
  // Bodies alone, without the parameters of the operation: as such documents were read before.
  const openapi = JSON.stringify({
    openapi: '3.1.0',
    paths: {
      '/add/{to}': {
        parameters: [{ name: 'to', in: 'path', schema: { type: 'string' } }],
        post: {
          requestBody: {
            content: {
              'application/json': {
                schema: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
              },
            },
          },
          responses: {
            200: {
              content: {
                'application/json': {
                  schema: { type: 'object', properties: { b: { type: 'number' } }, required: ['b'] },
                },
              },
            },
          },
        },
      },
    },
  });
  const requestOf = (request: Json) =>
    Object.keys(
      Object(agreementOf(openapi, { testCases: [{ request, response: { b: 1 } }] }).requestSchema?.schema).properties,
    );
  assert.deepEqual(requestOf({ a: 1 }), ['a']);
  assert.deepEqual(requestOf({ to: 'x', body: { a: 1 } }), ['to', 'body']);
});

test('a description may be the text of a base protocol', () => {
  const uri = 'https://protocols.example/articles.json';
  const document = `# Requirements\nThis protocol modifies the existing protocol.\n\nURI: ${uri}\n\nPrices are in cents.\n`;
  const baseProtocols = { [uri]: { content: articles } };
  assert.deepEqual(namesIn(document, { baseProtocols }), ['articles.level', 'articles.price']);
  assert.ok(agreementOf(document, { baseProtocols }).schemas.every(({ baseUri }) => baseUri === uri));
});

test('lint takes a description as a file', () => {
  for (const name of ['articles.openrpc.json', 'rooms.openapi.json', 'units.tools.json']) {
    const text = textOf(name);
    assert.deepEqual(anp.textsIn(JSON.parse(text), text), { document: text });
  }
  assert.equal(anp.textsIn({ request: { jsonrpc: '2.0' }, response: {} }), undefined);
});
