import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CaseValidation } from '../../../src/documents/case-validation.ts';
import { anpNegotiate } from '../../../src/families/anp-negotiate/anp-negotiate.ts';
import { readJob } from '../../../src/intake/read-job.ts';
import type { Json, JsonObject } from '../../../src/kernel/json.ts';
import { codesOf, documentOf, faultsOf, job, object, readingOf, result, signed, supplied, uri } from './product.ts';
import { jobOf } from './vectors.ts';

const loan = jobOf('library-desk');

test('each method is an interaction, and its requests name it; a job may choose among them', () => {
  const { interactions, cases, prose } = readingOf(loan);
  assert.deepEqual(
    interactions.map(({ name }) => name),
    ['loan.status', 'loan.renew'],
  );
  assert.deepEqual(
    cases.map(({ request }) => (request as JsonObject).$method),
    [...['loan.status', 'loan.status'], ...['loan.renew', 'loan.renew', 'loan.renew']],
  );
  assert.match(prose, /^Loans of a town library\.\n\n## loan\.status\n\nTells until when/);
  const chosen = { ...loan, agreement: { ...loan.agreement, methods: ['loan.renew'] } };
  const one = readingOf(chosen);
  assert.deepEqual(
    one.interactions.map(({ name }) => name),
    [''],
  );
  assert.deepEqual(
    one.cases.map(({ request }) => request),
    [{ copy: 'C-1' }, { copy: 'C-2' }, { copy: 'C-3' }],
  );
  assert.ok(!one.prose.includes('Tells until when'));
  assert.notEqual(anpNegotiate.hashOf(documentOf(chosen)), anpNegotiate.hashOf(documentOf(loan)));
});

test('schemas are found by URI with a fragment, inline, and where they refer to each other', () => {
  const all = JSON.stringify({
    $defs: { Ask: object({ id: { $ref: 'common.json#/$defs/Id' } }), Name: { type: 'string' } },
  });
  const common = JSON.stringify({ $defs: { Id: { type: 'integer' } } });
  const base = 'https://example.com/schemas/';
  const methods = [
    {
      name: 'a',
      request_schema_uri: `${base}all.json#/$defs/Ask`,
      response_schema: { $ref: `${base}all.json#/$defs/Name` },
    },
  ];
  const texts = { [`${base}all.json`]: all, [`${base}common.json`]: common, 'https://example.com/unused.json': '{}' };
  const data = job({ agreement: { result, artifact: signed({ methods }) }, supplied: texts });
  assert.deepEqual(faultsOf(data), []);
  assert.deepEqual(codesOf(data), []);
  assert.ok(!documentOf(data).includes('unused'));
  const cases = [
    { request: { id: 7 }, response: 'x' },
    { request: { id: 'seven' }, response: 'x' },
    { request: { id: 7 }, response: 7 },
  ];
  const found = readJob('generate', { ...data, testCases: cases });
  assert.ok(found.ok);
  const codes = lintCases(documentOf(data), cases);
  assert.deepEqual(codes, ['DOCUMENT_CASE_VIOLATES_SCHEMA 2 request', 'DOCUMENT_CASE_VIOLATES_SCHEMA 3 response']);
});

test('schemas are found by an anchor, and texts may begin with a byte order mark', () => {
  const base = 'https://example.com/schemas/all.json';
  const all = JSON.stringify({
    $defs: {
      Ask: { $anchor: 'ask', ...object({ id: { $ref: 'common.json' } }) },
      Name: { $id: '#name', type: 'string' },
    },
  });
  const common = `\ufeff${JSON.stringify({ type: 'integer' })}`;
  const methods = [{ name: 'a', request_schema_uri: `${base}#ask`, response_schema_uri: `${base}#name` }];
  const texts = { [base]: `\ufeff${all}`, 'https://example.com/schemas/common.json': common };
  const artifact = `\ufeff${JSON.stringify(signed({ methods }))}`;
  const data = job({ agreement: { result, artifact }, supplied: texts });
  assert.deepEqual([faultsOf(data), codesOf(data)], [[], []]);
  const cases = [
    { request: { id: 7 }, response: 'x' },
    { request: { id: 'seven' }, response: 'x' },
    { request: { id: 7 }, response: 7 },
  ];
  const codes = lintCases(documentOf(data), cases);
  assert.deepEqual(codes, ['DOCUMENT_CASE_VIOLATES_SCHEMA 2 request', 'DOCUMENT_CASE_VIOLATES_SCHEMA 3 response']);
  const bare = job({ agreement: { result, artifact: artifact.slice(1) }, supplied: { ...texts, [base]: all } });
  assert.equal(anpNegotiate.hashOf(documentOf(data)), anpNegotiate.hashOf(documentOf(bare)));
  const [method] = methods;
  const unknown = signed({ methods: [{ ...method, request_schema_uri: `${base}#other` }] });
  assert.deepEqual(codesOf(job({ agreement: { result, artifact: unknown }, supplied: texts })), [
    'DOCUMENT_SCHEMA_MISSING ',
  ]);
});

function lintCases(document: string, cases: JsonObject[]): string[] {
  const about = { payload: undefined, baseProtocols: {}, validation: new CaseValidation() };
  const listed = cases as unknown as { request: Json; response: Json }[];
  const { interactions, cases: read } = anpNegotiate.read({ document, cases: listed }, about);
  return read.flatMap(({ testCase, request, response }) => {
    const [one] = interactions;
    const fits = (schema: Json | undefined, value: Json) => about.validation.allows(schema ?? true, value) !== false;
    return [
      ...(fits(one?.request?.schema, request) ? [] : [`DOCUMENT_CASE_VIOLATES_SCHEMA ${testCase} request`]),
      ...(fits(one?.replies[0]?.schema, response) ? [] : [`DOCUMENT_CASE_VIOLATES_SCHEMA ${testCase} response`]),
    ];
  });
}

test('a declared error is one more reply', () => {
  const { interactions, prose } = readingOf(jobOf('freight-quote'));
  const [, failure] = interactions[0]?.replies ?? [];
  const error = { properties: { code: { enum: [40001, 40401, 50301] } }, required: ['code', 'message'] };
  assert.partialDeepStrictEqual(failure?.schema, { properties: { error }, required: ['error'] });
  assert.ok(prose.includes('Errors:\n- 40001: Invalid request\n- 40401: Zone not served'));
});

test('the content type decides whether payloads are texts', () => {
  const payloadOf = (contentType: string) =>
    readingOf(
      job({ agreement: { result: { ...result, selected: { contentType } }, artifact: signed({ content_types: [] }) } }),
    ).payload;
  for (const type of ['application/json', 'application/vnd.api+json', 'text/json', 'application/cbor'])
    assert.equal(payloadOf(type), 'json', type);
  for (const type of ['text/plain', 'text/csv', 'application/xml', 'application/soap+xml'])
    assert.equal(payloadOf(type), 'text', type);
});

test('the hash of an agreement depends on what a handler depends on', () => {
  const hash = (data: JsonObject) => anpNegotiate.hashOf(documentOf(data));
  const known = hash(job());
  const artifact = signed({});
  const reversed = Object.fromEntries(Object.entries(artifact).reverse());
  const later = { ...result, negotiationId: 'm', validUntil: '2030-01-01T00:00:00Z', negotiationDigest: 'sha-256:x' };
  const spaced = Object.fromEntries(
    Object.entries(supplied).map(([name, text]) => [name, JSON.stringify(JSON.parse(text), null, 4)]),
  );
  for (const data of [
    job({ agreement: { result, artifact: reversed } }),
    job({ agreement: { result: later, artifact: JSON.stringify(artifact) } }),
    job({ supplied: spaced }),
  ])
    assert.equal(hash(data), known);
  const changed = { ...supplied, [uri]: '{"type":"object"}' };
  for (const data of [job({ supplied: changed }), job({ agreement: { result, artifact: signed({ version: '1.1' }) } })])
    assert.notEqual(hash(data), known);
});
