import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { lint } from '../../../src/analysis/lint.ts';
import { CaseValidation } from '../../../src/documents/case-validation.ts';
import { schemaDigest } from '../../../src/families/uagents/digests.ts';
import { uagents } from '../../../src/families/uagents/uagents.ts';
import { readJob } from '../../../src/intake/read-job.ts';
import type { Json, JsonObject } from '../../../src/kernel/json.ts';
import { manifestOf, vectors } from './vectors.ts';

const weather = 'weather';
const chat = 'AgentChatProtocol 0.3.0';

function read(document: string) {
  const about = { payload: undefined, baseProtocols: {}, validation: new CaseValidation() };
  return uagents.read({ document, cases: null }, about);
}

/** The interactions of a manifest: each request with its replies, by name. */
function interactionsOf(document: string) {
  return read(document).interactions.map(({ name, replies }) => [name, ...replies.map(({ heading }) => heading)]);
}

function codesOf(document: string): string[] {
  return lint(document, undefined, uagents)
    .filter(({ severity }) => severity === 'error')
    .map(({ code, pointer = '' }) => `${code} ${pointer}`);
}

/** The manifest of the weather with something changed. */
function changed(
  change: (manifest: JsonObject & { models: JsonObject[]; interactions: JsonObject[] }) => void,
): string {
  const manifest = JSON.parse(manifestOf(weather));
  change(manifest);
  return JSON.stringify(manifest);
}

function job(more: JsonObject = {}): JsonObject {
  const manifest = manifestOf(weather);
  return { version: 1, negotiationId: 'n', family: 'uagents', role: 'provider', agreement: { manifest }, ...more };
}

function faultsOf(data: JsonObject): string[] {
  const reading = readJob('generate', data);
  return reading.ok ? [] : reading.faults.map(({ code, pointer }) => `${code} ${pointer}`);
}

test('each request of a manifest is an interaction; an error may follow all of them, and no reply a request that has none', () => {
  assert.deepEqual(interactionsOf(manifestOf(weather)), [['WeatherRequest', 'WeatherResponse', 'ErrorMessage']]);
  assert.deepEqual(interactionsOf(manifestOf('one way')), [['Message', 'no reply', 'ErrorMessage']]);
  assert.deepEqual(interactionsOf(manifestOf(chat)), [
    ['ChatMessage', 'ChatAcknowledgement', 'ErrorMessage'],
    ['ChatAcknowledgement', 'no reply', 'ErrorMessage'],
  ]);
});

test('every manifest with an interaction is read without a fault, and its hash is the digest that the peers give it', () => {
  for (const { name, manifest, digest } of vectors('protocol-digests')) {
    const text = JSON.stringify(manifest);
    assert.equal(`proto:${uagents.hashOf(text)}`, digest, name);
    if (manifest.interactions.length > 0) assert.deepEqual(codesOf(text), [], name);
    else assert.deepEqual(codesOf(text), ['DOCUMENT_MANIFEST_INVALID '], name);
  }
});

test('a schema stands where it is said to, untouched', () => {
  const text = JSON.stringify(JSON.parse(manifestOf(weather)), null, 1);
  const located = read(text).schemas.filter(({ heading }) => heading !== 'no reply');
  assert.equal(located.length, 3);
  for (const { start, end, schema } of located) assert.deepEqual(JSON.parse(text.slice(start, end)), schema);
});

test('where two models could be taken for each other, their payloads name them', () => {
  const marks = (name: string) =>
    read(manifestOf(name)).schemas.flatMap(({ heading, schema }) =>
      JSON.stringify(schema).includes('"$model":{"const"') ? [heading] : [],
    );
  assert.deepEqual(marks(weather), []);
  assert.deepEqual(marks(chat), []);
  assert.deepEqual(marks('payment_protocol_spec').sort(), ['CancelPayment', 'CompletePayment', 'RejectPayment']);
  assert.deepEqual(marks('test_protocol_spec chat').sort(), ['AcceptChat', 'EndChat', 'ProposeChat', 'RejectChat']);
});

test('models of one title are called by their digests', () => {
  const schemas: JsonObject[] = ['string', 'integer'].map((type) => ({
    title: 'Ask',
    type: 'object',
    properties: { it: { type } },
    required: ['it'],
  }));
  const models = schemas.map((schema) => ({ digest: schemaDigest(schema) ?? '', schema }));
  const interactions = models.map(({ digest }) => ({ type: 'normal', request: digest, responses: [] }));
  const found = interactionsOf(JSON.stringify({ version: '1.0', metadata: {}, models, interactions }));
  assert.deepEqual(
    found.map(([name]) => name),
    models.map(({ digest }) => digest),
  );
});

test('a manifest that contradicts itself is disputed: a model changed behind its digest, a digest that nothing has', () => {
  const first = (manifest: { models: JsonObject[] }) => manifest.models[0] as JsonObject & { schema: JsonObject };
  const name = (manifest: JsonObject) => (manifest.metadata as JsonObject).digest;
  assert.deepEqual(
    codesOf(changed((manifest) => Object.assign(first(manifest).schema, { title: 'Other' }))),
    ['DOCUMENT_DIGEST_MISMATCH /models/0/digest', 'DOCUMENT_DIGEST_MISMATCH /metadata/digest'].sort(),
  );
  assert.deepEqual(
    codesOf(changed(({ interactions }) => interactions.push({ request: 'model:0', responses: ['model:1'] }))),
    [
      'DOCUMENT_MODEL_UNKNOWN /interactions/1',
      'DOCUMENT_MODEL_UNKNOWN /interactions/1',
      'DOCUMENT_DIGEST_MISMATCH /metadata/digest',
    ].sort(),
  );
  assert.equal(typeof name(JSON.parse(manifestOf(weather))), 'string');
  assert.deepEqual(codesOf(changed((manifest) => Object.assign(manifest, { metadata: {}, 'x-more': [1] }))), []);
});

test('a float in a schema is kept by the text of a manifest, and lost by a parsed one', () => {
  const floats = vectors('schema-digests').find(({ name }) => name === 'Floats');
  const manifest = `{"version": "1.0", "metadata": {}, "models": [{"digest": "${floats?.digest}", "schema": ${floats?.canonical}}],
    "interactions": [{"type": "normal", "request": "${floats?.digest}", "responses": []}]}`;
  const digests = (text: string) => codesOf(text).filter((code) => code.includes('DIGEST'));
  assert.deepEqual(digests(manifest), []);
  assert.deepEqual(digests(JSON.stringify(JSON.parse(manifest))), ['DOCUMENT_DIGEST_MISMATCH /models/0/digest']);
});

test('what is no manifest is disputed as that', () => {
  const texts = [
    '',
    'no JSON',
    '{}',
    '[]',
    '{"version":"1.0","models":[],"interactions":[]}',
    changed((manifest) => Object.assign(manifest, { models: manifest.models.map(({ digest = '' }) => ({ digest })) })),
    changed((manifest) =>
      Object.assign(manifest, { interactions: manifest.interactions.map(({ request = '' }) => ({ request })) }),
    ),
    changed((manifest) =>
      Object.assign(manifest, { models: Array.from({ length: 65 }, () => manifest.models[0] ?? {}) }),
    ),
  ];
  for (const text of texts) assert.deepEqual(codesOf(text), ['DOCUMENT_MANIFEST_INVALID '], text);
});

test('whatever a manifest holds, reading it throws nothing', () => {
  const member = fc.jsonValue({ maxDepth: 3 });
  fc.assert(
    fc.property(member, member, member, member, (models, interactions, schema, responses) => {
      for (const manifest of [
        { version: '1.0', models, interactions },
        {
          version: '1.0',
          models: [{ digest: 'a', schema: schema as Json }],
          interactions: [{ request: 'a', responses: responses as Json }],
        },
        changed((weather) => Object.assign(weather.models[0] ?? {}, { schema })),
      ])
        lint(typeof manifest === 'string' ? manifest : JSON.stringify(manifest), undefined, uagents);
    }),
    { numRuns: 60 },
  );
});

test('a job names a protocol by its digest as the peers write it, and by no other one', () => {
  const { digest = '' } = vectors('protocol-digests').find(({ name }) => name === weather) ?? {};
  for (const protocolHash of [digest, digest.slice('proto:'.length)])
    assert.deepEqual(faultsOf(job({ protocolHash })), []);
  assert.deepEqual(faultsOf(job({ protocolHash: `proto:${'0'.repeat(64)}` })), ['JOB_HASH_MISMATCH /protocolHash']);
  assert.deepEqual(faultsOf(job({ protocolHash: `sha256:${'0'.repeat(64)}` })), [
    'JOB_INVALID /protocolHash',
    'JOB_HASH_MISMATCH /protocolHash',
  ]);
});

test('what other families alone know is a fault by name', () => {
  const cases: [JsonObject, string][] = [
    [{ baseProtocols: { 'urn:x': { content: 'x' } } }, '/baseProtocols'],
    [{ peerCapabilities: ['x'] }, '/peerCapabilities'],
    [{ payload: 'text' }, '/payload'],
    [{ onContradiction: 'amend' }, '/onContradiction'],
    [{ testCases: { action: 'testCasesNegotiation', testCases: 'x', status: 'accepted' } }, '/testCases'],
    [{ agreement: { action: 'protocolNegotiation', candidateProtocols: 'x' } }, '/agreement/manifest'],
    [{ agreement: { manifest: 1 } }, '/agreement/manifest'],
  ];
  for (const [more, pointer] of cases) assert.deepEqual(faultsOf(job(more)), [`JOB_INVALID ${pointer}`], pointer);
  assert.deepEqual(faultsOf(job({ baseProtocols: {}, payload: 'json', onContradiction: 'dispute' })), []);
});
