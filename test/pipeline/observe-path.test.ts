import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../src/kernel/json.ts';
import { example } from '../system/harness.ts';
import { observed } from './observed.ts';

const base = example('anp-product-en.consistent');
const request = { messageId: 'x1', type: 'REQUEST', action: 'getProductInfo', productId: 'P1' };
const response = { messageId: 'x1', type: 'RESPONSE', status: { code: 404, message: 'None' }, productInfo: null };

/** The end of a job about the exchange above, unless others are given. */
function observedHere(data: JsonObject) {
  return observed({ exchanges: [{ request, response }], ...data });
}

function withDocument(change: (text: string) => string): JsonObject {
  const text = String(base.agreement.candidateProtocols);
  const candidateProtocols = change(text);
  assert.notEqual(candidateProtocols, text);
  return { ...base, agreement: { ...base.agreement, candidateProtocols } };
}

test('exchanges that keep the agreement are clean', async () => {
  const { verdict, messages, findings } = await observedHere(base);
  assert.deepEqual([verdict, messages, findings], ['clean', [], []]);
});

test('an exchange that claims to answer a case that was not agreed is the job’s own fault', async () => {
  const exchanges = [
    { request, response, testCase: 2 },
    { request, response, testCase: 3 },
  ];
  const { verdict, messages, findings } = await observedHere({ ...base, exchanges });
  assert.deepEqual([verdict, messages], ['error', []]);
  assert.deepEqual(
    findings.map(({ code, pointer }) => [code, pointer]),
    [['JOB_CASE_UNKNOWN', '/exchanges/1/testCase']],
  );
});

for (const [name, code, change] of [
  [
    'cannot be read',
    'DOCUMENT_SCHEMA_UNREADABLE',
    (text: string) => text.replace('"title": "ProductInfoResponse",', '"title": "ProductInfoResponse",,'),
  ],
  [
    'is one of two',
    'DOCUMENT_REQUEST_AMBIGUOUS',
    (text: string) => {
      const [, schema = ''] = /(\{\s*"\$schema"[\s\S]*?\n\})\n\n## Response/.exec(text) ?? [];
      return text.replace(
        '## Response',
        `## Request Message\nThe request JSON schema is defined as follows:\n${schema.replace('productId', 'articleId')}\n\n## Response`,
      );
    },
  ],
] as const)
  test(`nothing is clean by a schema that ${name}`, async () => {
    const { verdict, findings } = await observedHere(withDocument(change));
    const errors = findings.filter(({ severity }) => severity === 'error').map((one) => one.code);
    assert.deepEqual([verdict, errors.includes(code)], ['disputed', true], errors.join());
  });

test('nothing is clean by an agreement whose base protocol is not at hand', async () => {
  const { verdict, findings } = await observedHere(example('anp-product-en.base-missing'));
  assert.deepEqual([verdict, findings.map(({ code }) => code)], ['disputed', ['DOCUMENT_BASE_PROTOCOL_MISSING']]);
});

test('a peer is told of its own faults, not of ours', async () => {
  const { productId: _, ...broken } = request;
  const exchanges = [{ request: broken, response: { ...response, type: 1 } }];
  const { verdict, messages, findings } = await observedHere({ ...base, exchanges });
  assert.deepEqual([verdict, findings.map(({ severity }) => severity).sort()], ['disputed', ['error', 'warning']]);
  assert.equal(String(messages[0]?.errorDescription).match(/^- /gm)?.length, 1);
});

test('amendments that we made without the peer are not held against what it sends, nor for it', async () => {
  const { task } = example('anp-product-en.requester');
  const data = { ...example('anp-product-en.disputed'), role: 'requester', task, onContradiction: 'amend' };
  assert.equal((await observedHere(data as JsonObject)).verdict, 'disputed');
});

test('a case that cannot be read takes away no amendment that the peer is held to', async () => {
  const { task } = example('anp-product-en.requester');
  const { testCases, ...data } = example('anp-product-en.unsupported-peer');
  const text = `${testCases.testCases}\n # Test Case 3\n - **Test Request Data**:\n {oops`;
  const seen = { ...data, role: 'requester', task, testCases: { ...testCases, testCases: text } };
  assert.equal((await observedHere(seen as JsonObject)).verdict, 'clean');
});
