import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import type { Statement } from '../../../src/contract/statement.ts';
import { anpNegotiate } from '../../../src/families/anp-negotiate/anp-negotiate.ts';
import { artifactDigest } from '../../../src/families/anp-negotiate/door.ts';
import { readJob } from '../../../src/intake/read-job.ts';
import type { JsonObject } from '../../../src/kernel/json.ts';
import { documentOf, errorsOf, example, job, result, signed, supplied, uri } from './product.ts';

/** The report of a statement about an agreement; whatever it holds, there is one. */
function report(
  statement: Statement,
  { agreement = null }: JsonObject,
): JsonObject & Record<'error' | 'digest', JsonObject> {
  const [told] = anpNegotiate.say(statement, { agreement }, 'en');
  assert.ok(told);
  return told as ReturnType<typeof report>;
}

const selected = { contentType: 'application/json', securityProfile: 'transport-protected' };
const of = (artifact: JsonObject) => job({ agreement: { result: { ...result, selected }, artifact } });

test('a report says what was agreed, and what handler keeps it', () => {
  const digest = artifactDigest(example);
  const handler = { digest: 'd', tools: ['t'] };
  assert.deepEqual(report({ what: 'generated', handler }, job()), {
    report: 'generated',
    negotiationId: 'n',
    protocolId: 'example.product-info.v1',
    protocolUri: 'https://example.com/protocols/product-info/1.0',
    version: '1.0',
    dependsOnProfiles: ['anp.core.binding.v1'],
    methods: ['product.get_info'],
    digest: { given: digest, computed: digest, of: 'canonical JSON' },
    handler,
  });
});

test('a report says what the digest of the artifact was taken of', () => {
  const { digest: _, ...bare } = example;
  const ofBytes = `sha-256:${hash('sha256', JSON.stringify(bare), 'base64url')}`;
  const basis = (artifact: JsonObject) => report({ what: 'generated' }, of(artifact)).digest;
  assert.equal(basis(signed({})).of, 'canonical JSON');
  assert.equal(basis({ ...bare, digest: ofBytes }).of, 'bytes');
  assert.equal(basis(example).of, null);
  assert.deepEqual(basis(bare), { given: null, computed: artifactDigest(bare), of: null });
});

test('the peer can be answered with the error in a report', () => {
  assert.equal(report({ what: 'failed' }, job()).error.code, 1600);
  const told = (artifact: JsonObject) => {
    const findings = errorsOf(of(artifact));
    const { report: what, findings: lines, error } = report({ what: 'dispute', findings }, of(artifact));
    const messages = findings.map(({ message }) => message);
    assert.deepEqual(
      [what, lines, error.data],
      ['disputed', messages, { ...(error.data as JsonObject), details: { findings: messages } }],
    );
    return error.code;
  };
  assert.deepEqual(
    [example, signed({ content_types: ['text/csv'] }), signed({ security_profiles: ['x'] })].map(told),
    [1600, 1605, 1604],
  );
});

test('an amended agreement has the schemas as they should be, and the digest that the artifact has then', () => {
  const inline = { methods: [{ name: 'a', request_schema: { type: 'object' } }] };
  const text = documentOf(of(signed(inline))).replace('"type": "object"', '"type": "array"');
  const changed = { ...signed({ methods: [{ name: 'a', request_schema: { type: 'array' } }] }) };
  assert.deepEqual(report({ what: 'amended-document', text, settled: [] }, job()), {
    report: 'amended',
    artifact: changed,
    supplied: {},
    findings: [],
  });
  const ofSchema = documentOf(job()).replace('"id":{"type":"string"}', '"id":{"type":"integer"}');
  const amended = report({ what: 'amended-document', text: ofSchema, settled: [] }, job());
  assert.deepEqual(amended.artifact, signed({}));
  assert.deepEqual(amended.supplied, {
    ...supplied,
    [uri]: '{"type":"object","properties":{"id":{"type":"integer"}},"required":["id"]}',
  });
});

test("a complaint is the peer's error, or the response with it", () => {
  const error = { code: -32602, message: 'Invalid params', data: { details: { pointer: '/id' } } };
  const fix = (complaint: JsonObject) => readJob('fix', { ...job(), handlerDigest: 'a'.repeat(64), complaint }).ok;
  for (const complaint of [error, { jsonrpc: '2.0', id: 1, error }]) {
    assert.equal(anpNegotiate.complaint(complaint), 'Invalid params\n{"pointer":"/id"}');
    assert.equal(fix(complaint), true);
  }
  assert.equal(fix({ status: 'error' }), false);
});
