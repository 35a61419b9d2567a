import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readJob } from '../../queues/index.ts';
import { analyze } from '../../src/analysis/analyze.ts';
import type { Job } from '../../src/contract/job.ts';
import type { Json, JsonObject } from '../../src/kernel/json.ts';
import { observeExchanges } from '../../src/verification/observe-exchanges.ts';
import { example } from '../system/harness.ts';

const request = { messageId: 'x1', type: 'REQUEST', action: 'getProductInfo', productId: 'P12345' };
const productInfo = {
  productId: 'P12345',
  productName: 'High-Performance Laptop',
  productDescription: 'A high-performance laptop equipped with the latest processor and large memory capacity.',
  price: 1299.99,
  currency: 'USD',
};
const response = { messageId: 'x1', type: 'RESPONSE', status: { code: 200, message: 'Success' }, productInfo };

function observed(name: string, exchanges: Json, more: JsonObject = {}) {
  const reading = readJob('observe', { ...example(name), exchanges, ...more });
  assert.ok(reading.ok, JSON.stringify(reading));
  return observeExchanges(analyze(reading.job as Job)).map(({ code, severity, pointer, testCase }) => [
    code,
    severity,
    pointer,
    testCase,
  ]);
}

const ours = 'anp-product-en.requester';

test('what keeps the agreement is clean, with an id that no case has', () => {
  assert.deepEqual(observed(ours, [{ request, response }]), []);
});

test('a response that breaks its schema is the peer’s fault, told at its place', () => {
  const { message: _, ...status } = response.status;
  assert.deepEqual(observed(ours, [{ request: { ...request, productId: 'Q7' }, response: { ...response, status } }]), [
    ['DOCUMENT_EXCHANGE_VIOLATES_SCHEMA', 'error', '/0/response/status', undefined],
  ]);
});

test('an id that does not come back', () => {
  assert.deepEqual(
    observed(ours, [{ request: { ...request, productId: 'Q7' }, response: { ...response, messageId: 'x2' } }]),
    [['DOCUMENT_EXCHANGE_ID_NOT_ECHOED', 'error', '/0/response/messageId', undefined]],
  );
});

test('another answer than the case agreed on has', () => {
  const other = { ...response, productInfo: { ...productInfo, price: 1 } };
  assert.deepEqual(
    observed(ours, [
      { request, response },
      { testCase: 1, request, response: other },
    ]),
    [['DOCUMENT_EXCHANGE_CONTRADICTS_CASE', 'error', '/1/response/productInfo/price', 1]],
  );
});

test('a provider watches the peer’s requests, and its own responses only warn', () => {
  const { productId: _, ...broken } = request;
  assert.deepEqual(observed('anp-product-en.consistent', [{ request: broken, response: { ...response, type: 1 } }]), [
    ['DOCUMENT_EXCHANGE_VIOLATES_SCHEMA', 'error', '/0/request', undefined],
    ['DOCUMENT_EXCHANGE_VIOLATES_SCHEMA', 'warning', '/0/response/type', undefined],
  ]);
});
