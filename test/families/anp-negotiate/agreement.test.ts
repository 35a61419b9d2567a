import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anpNegotiate } from '../../../src/families/anp-negotiate/anp-negotiate.ts';
import { artifactDigest } from '../../../src/families/anp-negotiate/door.ts';
import { readJob } from '../../../src/intake/read-job.ts';
import type { Json, JsonObject } from '../../../src/kernel/json.ts';
import {
  codesOf,
  documentOf,
  errorsOf,
  example,
  faultsOf,
  job,
  readingOf,
  replyUri,
  result,
  signed,
  supplied,
  uri,
} from './product.ts';
import { folders, vector } from './vectors.ts';

const [folder = ''] = folders;

test('the artifact of the draft is read: one interaction, with schemas that stand where they are said to', () => {
  assert.deepEqual(faultsOf(job()), []);
  assert.deepEqual(codesOf(job()), []);
  const { interactions, schemas, document, prose, payload } = readingOf(job());
  assert.deepEqual(
    interactions.map(({ name, request, replies }) => [name, request?.heading, replies.map(({ heading }) => heading)]),
    [['', 'product.get_info request', ['product.get_info response']]],
  );
  for (const { start, end, schema } of schemas) assert.deepEqual(JSON.parse(document.text.slice(start, end)), schema);
  assert.equal(schemas.length, 2);
  assert.equal(prose, 'Get product information by product ID.');
  assert.equal(payload, 'json');
});

test('the placeholder in the digest of the draft is the digest of nothing', () => {
  const found = errorsOf(job({ agreement: { result, artifact: example } }));
  assert.deepEqual(
    found.map(({ code, pointer, expected }) => [code, pointer, expected]),
    [['DOCUMENT_DIGEST_MISMATCH', '/digest', artifactDigest(example)]],
  );
  assert.match(
    found[0]?.message ?? '',
    /^Cannot verify protocol artifact: found `sha-256:BASE64URL_DIGEST` as the digest/,
  );
  for (const digest of [null, 7, '', {}])
    assert.deepEqual(codesOf(job({ agreement: { result, artifact: { ...example, digest } as JsonObject } })), [
      'DOCUMENT_DIGEST_MISMATCH /digest',
    ]);
  const { digest: _, ...without } = example;
  assert.deepEqual(codesOf(job({ agreement: { result, artifact: without } })), []);
});

test('an artifact is given as an object, as its text, or by the URI that the result names', () => {
  const artifact = signed({});
  const text = JSON.stringify(artifact);
  const named = { ...result, selected: { protocolArtifact: 'https://example.com/artifact.json' } };
  const response = { jsonrpc: '2.0', id: 1, result };
  for (const data of [
    job({ agreement: { result, artifact: text } }),
    job({ agreement: { result: named }, supplied: { ...supplied, 'https://example.com/artifact.json': text } }),
    job({
      agreement: { result, artifact: 'https://example.com/artifact.json' },
      supplied: { ...supplied, 'https://example.com/artifact.json': text },
    }),
    job({ agreement: { result: response, artifact, 'x-kept': true } }),
    job({ agreement: { ...response, artifact } }),
  ]) {
    assert.deepEqual(faultsOf(data), []);
    assert.deepEqual(codesOf(data), []);
    assert.equal(readingOf(data).schemas.length, 2);
  }
});

test('a result without an artifact is an agreement by the URIs of its schemas: the result of the draft', () => {
  const given = vector(folder, '8.1-negotiation-result');
  const { schemas } = given.result as { schemas: JsonObject };
  const texts = Object.fromEntries(Object.values(schemas).map((one) => [String(one), '{"type":"object"}']));
  for (const agreement of [{ result: given }, { result: given.result ?? null }]) {
    const data = job({ agreement, supplied: texts });
    assert.deepEqual(faultsOf(data), []);
    assert.deepEqual(codesOf(data), []);
    assert.deepEqual(
      readingOf(data).interactions.map(({ request, replies }) => [request?.schema, replies.length]),
      [[{ type: 'object' }, 1]],
    );
  }
});

test('what only the negotiator can put right is a fault of the job, by name', () => {
  const refusal = vector(folder, '11-error.no-matching-interface');
  const artifact = signed({});
  const cases: [JsonObject, ...string[]][] = [
    [{ agreement: { artifact } }, 'JOB_INVALID /agreement/result'],
    [{ agreement: { result: { status: 'accepted' }, artifact } }, 'JOB_INVALID /agreement/result/negotiationId'],
    [
      { agreement: { result: { negotiationId: 'n', status: 'accepted' }, artifact } },
      'JOB_INVALID /agreement/result/selected',
    ],
    [
      { agreement: { result: { ...result, validUntil: 'soon' }, artifact } },
      'JOB_INVALID /agreement/result/validUntil',
    ],
    [
      { agreement: { result: { ...result, status: 'rejected' }, artifact } },
      'JOB_NOT_ACCEPTED /agreement/result/status',
    ],
    [{ agreement: { result: refusal, artifact } }, 'JOB_NOT_ACCEPTED /agreement/result/error'],
    [{ agreement: { result } }, 'JOB_INVALID /agreement/artifact'],
    [{ agreement: { result, artifact: 7 } }, 'JOB_INVALID /agreement/artifact', 'JOB_INVALID /agreement/artifact'],
    [{ agreement: { result, artifact, methods: ['product.buy'] } }, 'JOB_INVALID /agreement/methods/0'],
    [
      { supplied: {} },
      `JOB_INVALID /supplied/${uri.replaceAll('/', '~1')}`,
      `JOB_INVALID /supplied/${replyUri.replaceAll('/', '~1')}`,
    ],
    [{ baseProtocols: { 'urn:x': { content: 'x' } } }, 'JOB_INVALID /baseProtocols'],
    [{ peerCapabilities: ['x'] }, 'JOB_INVALID /peerCapabilities'],
    [{ testCases: { action: 'testCasesNegotiation', testCases: 'x', status: 'accepted' } }, 'JOB_INVALID /testCases'],
    [{ protocolHash: '0'.repeat(64) }, 'JOB_HASH_MISMATCH /protocolHash'],
  ];
  for (const [more, ...wanted] of cases) assert.deepEqual(faultsOf(job(more)), wanted, wanted[0]);
  const review = readJob('review', job({ agreement: { result: { ...result, status: 'rejected' }, artifact } }));
  assert.equal(review.ok, true);
  const spelled = anpNegotiate.hashOf(documentOf(job()));
  assert.deepEqual(faultsOf(job({ protocolHash: `sha-256:${spelled}` })), []);
});

test('what is wrong with the artifact is disputed', () => {
  const [method] = signed({}).methods as JsonObject[];
  const cases: [Json, string][] = [
    [signed({ methods: [] }), 'DOCUMENT_ARTIFACT_INVALID /methods'],
    [signed({ methods: [{}] }), 'DOCUMENT_ARTIFACT_INVALID /methods/0/name'],
    [signed({ methods: [method ?? {}, method ?? {}] }), 'DOCUMENT_ARTIFACT_INVALID /methods/1/name'],
    [
      signed({ methods: Array.from({ length: 65 }, (_, index) => ({ name: `m${index}` })) }),
      'DOCUMENT_ARTIFACT_INVALID /methods',
    ],
    ['{"methods": [', 'DOCUMENT_ARTIFACT_INVALID '],
    ['no JSON', 'DOCUMENT_ARTIFACT_INVALID '],
    [`${JSON.stringify(signed({}))} {}`, 'DOCUMENT_ARTIFACT_INVALID '],
    ['[]', 'DOCUMENT_ARTIFACT_INVALID '],
    [signed({ content_types: ['text/plain', 'application/xml'] }), 'DOCUMENT_SELECTION_CONTRADICTS /content_types'],
  ];
  for (const [artifact, wanted] of cases) {
    const data = job({ agreement: { result, artifact } });
    assert.deepEqual(faultsOf(data), [], wanted);
    assert.deepEqual(codesOf(data), [wanted]);
  }
  const selected = (more: JsonObject) =>
    job({ agreement: { result: { ...result, selected: more }, artifact: signed({}) } });
  assert.deepEqual(codesOf(selected({ securityProfile: 'direct-e2ee' })), [
    'DOCUMENT_SELECTION_CONTRADICTS /security_profiles',
  ]);
  assert.deepEqual(codesOf(selected({ protocolArtifact: artifactDigest({}) })), ['DOCUMENT_DIGEST_MISMATCH ']);
  for (const fitting of [
    { securityProfile: 'transport-protected' },
    { contentType: 'Application/JSON; charset=utf-8' },
    { protocolArtifact: artifactDigest(example) },
    { protocolArtifact: 'https://example.com/protocols/product-info/1.0' },
  ])
    assert.deepEqual(codesOf(selected(fitting)), []);
});

test('a schema that is not supplied, or is no JSON, is disputed where nobody looked at the job', () => {
  const { supplied: _, ...without } = job();
  assert.deepEqual(
    errorsOf(without).map(({ code, in: place }) => `${code} ${place}`),
    ['DOCUMENT_SCHEMA_MISSING requestSchema', 'DOCUMENT_SCHEMA_MISSING responseSchema'],
  );
  const broken = job({ supplied: { ...supplied, [uri]: '{"type": "object",' } });
  assert.deepEqual(faultsOf(broken), []);
  assert.deepEqual(codesOf(broken), ['DOCUMENT_SCHEMA_UNREADABLE ']);
});
