import assert from 'node:assert/strict';
import { test } from 'node:test';
import { quotedExchanges, readComplaint } from '../../src/analysis/read-complaint.ts';
import { isObject, type Json } from '../../src/kernel/json.ts';

const isRequest = (value: Json) => isObject(value) && value.ask !== undefined;

function exchangesIn(text: string) {
  return quotedExchanges(readComplaint(text, []), isRequest);
}

test('a request and what is quoted right after it are an exchange', () => {
  assert.deepEqual(exchangesIn('We sent {"ask":1} and got {"tell":2}; then {"ask":3}.'), [
    { request: { ask: 1 }, response: { tell: 2 } },
    { request: { ask: 3 } },
  ]);
});

test('an object with both in it is one, too, even where the request is invalid', () => {
  assert.deepEqual(exchangesIn('```json\n{"request":{"bad":1},"response":{"tell":2}}\n```'), [
    { request: { bad: 1 }, response: { tell: 2 } },
  ]);
});

test('answers that no request stands before are none, and only the first after a request is its answer', () => {
  assert.deepEqual(exchangesIn('{"tell":1} {"ask":1} {"tell":2} {"tell":3}'), [
    { request: { ask: 1 }, response: { tell: 2 } },
  ]);
});

test('a complaint of nothing but brackets is read in bounded time', () => {
  const started = process.cpuUsage();
  readComplaint('{} '.repeat(22_000), []);
  assert.ok(process.cpuUsage(started).user < 1_000_000);
});
