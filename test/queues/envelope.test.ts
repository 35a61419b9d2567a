import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { readEnvelope } from '../../queues/index.ts';
import { errorEnvelope } from '../../src/pipeline/outcome-of.ts';
import { jobData } from './queue-under-test.ts';

const reason = { code: 'PLATFORM_X', message: 'x' };

test('an error envelope says what can be read, and forwards what the kind allows', () => {
  const envelope = errorEnvelope('generate', jobData(), reason);
  assert.equal(envelope.negotiationId, 'n-1');
  assert.equal(envelope.protocolHash, createHash('sha256').update('# X').digest('hex'));
  assert.deepEqual(envelope.messages, [{ action: 'codeGeneration', status: 'error' }]);
  assert.deepEqual(envelope.findings, [{ code: 'PLATFORM_X', severity: 'error', in: 'job', message: 'x' }]);
  for (const kind of ['review', 'observe']) assert.deepEqual(errorEnvelope(kind, jobData(), reason).messages, []);
  for (const data of [null, 'x', [], { agreement: null }, { agreement: { candidateProtocols: '\ud800' } }]) {
    assert.equal(errorEnvelope('fix', data, reason).protocolHash, null);
  }
});

test('what a reader in another language published is read, however short', () => {
  const text = '{"jobId":"a","verdict":"error"}';
  const envelope = readEnvelope(text);
  const unknown = { dataDigest: null, negotiationId: null, kind: null, protocolHash: null };
  assert.deepEqual(envelope, { jobId: 'a', verdict: 'error', messages: [], findings: [], ...unknown });
  for (const none of ['', 'null', '[]', '{}', '"x"', '{"verdict":1}']) assert.equal(readEnvelope(none), null);
});
