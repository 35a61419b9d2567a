import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  concerns,
  placeSpokenOf,
  quotedExchanges,
  readComplaint,
  speaksOf,
} from '../../src/documents/read-complaint.ts';
import { isObject, type Json } from '../../src/kernel/json.ts';
import { startCost } from '../cost.ts';

const isRequest = (value: Json) => isObject(value) && value.ask !== undefined;

function exchangesIn(text: string) {
  return quotedExchanges(readComplaint(text, []), isRequest);
}

test('a request and the value quoted right after it are an exchange', () => {
  assert.deepEqual(exchangesIn('We sent {"ask":1} and got {"tell":2}; then {"ask":3}.'), [
    { request: { ask: 1 }, response: { tell: 2 } },
    { request: { ask: 3 } },
  ]);
});

test('an object with both is an exchange too, even with an invalid request', () => {
  assert.deepEqual(exchangesIn('```json\n{"request":{"bad":1},"response":{"tell":2}}\n```'), [
    { request: { bad: 1 }, response: { tell: 2 } },
  ]);
});

test('only the first value after a request is its answer', () => {
  assert.deepEqual(exchangesIn('{"tell":1} {"ask":1} {"tell":2} {"tell":3}'), [
    { request: { ask: 1 }, response: { tell: 2 } },
  ]);
});

test('quoted texts, fences and text after a colon may be messages; words with digits and quoted words are values', () => {
  const { texts, values } = readComplaint(
    'You don\'t answer “GET 1”, „GET 2“, 「GET 3」, \'GET 4\' and `GET 5`; it\'s wrong.\n```\nGET 6\n```\nRequest: GET 7\n{"a":"GET 8"}',
    [],
  );
  assert.deepEqual([...texts].sort(), ['GET 1', 'GET 2', 'GET 3', 'GET 4', 'GET 5', 'GET 6', 'GET 7']);
  assert.deepEqual(readComplaint('Seen for C-311, 24 and "Old Hall".', []).values, ['C-311', '24', 'Old Hall']);
  assert.ok(values.length <= 12);
  const cost = startCost();
  for (const sign of ['„', '"', "'", '`', ':\n', '```\n', '7'])
    assert.ok(readComplaint(sign.repeat(64_000), []).texts.length <= 20);
  assert.ok(cost() < 240);
});

const names = ['status', 'code', 'message', 'product', 'price', '状态'];

test('a place may be a pointer, a program path, or a path in an exchange or schema', () => {
  for (const text of [
    '- `/status/code` is a text',
    '- Exchange, at `/0/response/status/code`: found "404", wanted type integer.',
    'response.status.code must be a number',
    '$.status.code is a string.',
    'Look at /properties/status/properties/code, please',
    'POST /v1/products: status.code is no number',
  ]) {
    const complaint = readComplaint(text, names);
    assert.equal(concerns(complaint, '/status/code'), true, text);
    assert.equal(concerns(complaint, '/product/price'), false, text);
    assert.equal(placeSpokenOf(complaint, { status: { code: 404 }, product: null }), '/status/code', text);
  }
  assert.equal(concerns(readComplaint('items[0].product.price is a text', names), '/product/price'), true);
  assert.equal(concerns(readComplaint('响应的状态字段不正确', names), '/状态'), true);
  assert.equal(concerns(readComplaint('- `/状态` 不正确', names), '/status'), false);
});

test('names need no blanks next to an unspaced script, in places and in words', () => {
  const mixed = [...names, '代码', '消息id'];
  const read = (text: string) => {
    const { pointers, names } = readComplaint(text, mixed);
    return [[...new Set(pointers)].join(' '), names.join(' ')];
  };
  assert.deepEqual(read('响应消息中的status字段缺少message字段。'), ['', 'status message']);
  assert.deepEqual(read('응답의 status는 문자열이다'), ['', 'status']);
  assert.deepEqual(read('応答のstatusが空です'), ['', 'status']);
  assert.deepEqual(read('响应的消息id为空'), ['', '消息id']);
  assert.deepEqual(read('响应的消息idx为空，statuses也是'), ['', '']);
  assert.deepEqual(read('响应的/status/code为字符串，message也是'), ['/status/code', 'message']);
  assert.deepEqual(read('/状态/代码为字符串'), ['/状态/代码', '']);
  assert.deepEqual(read('/消息id/代码为字符串'), ['/消息id/代码', '']);
  assert.deepEqual(read('响应中的status.code是字符串'), ['/status/code', '']);
  assert.deepEqual(read('状态.代码是字符串，product.price也是'), ['/状态/代码 /product/price', '']);
  assert.deepEqual(read(`${'响应'.repeat(60)}status.code是字符串`), ['/status/code', '']);
  assert.deepEqual(readComplaint('响应的/code/x为空，请求/响应不对', []).pointers, ['/code/x']);
  const { texts, values } = readComplaint("订单order-7返回'GONE'而不是'SOLD'（A区3号）", []);
  assert.deepEqual(texts, ['GONE', 'SOLD']);
  assert.ok(values.includes('order-7') && values.includes('A区3号'), values.join(' '));
});

test('a path to no member is not a place: such a complaint concerns all', () => {
  for (const text of [
    'POST /v1/orders fails.',
    'See https://example.com/docs/errors',
    'It is and/or was wrong, e.g. here.',
  ])
    assert.equal(concerns(readComplaint(text, names), '/status/code'), true, text);
});

test('a rejection shows the innermost member that is mentioned', () => {
  const message = { status: { code: 200 }, product: { price: 3 } };
  const placeOf = (text: string) => placeSpokenOf(readComplaint(text, names), message);
  assert.equal(placeOf('The price of the product is a text.'), '/product/price');
  assert.equal(placeOf('The product is wrong'), '/product');
  assert.equal(placeOf('All is wrong'), undefined);
});

test('a complaint about a nested place does not name the place itself', () => {
  const speaks = (text: string) => speaksOf(readComplaint(text, names), '/product');
  assert.equal(speaks('- `/product` is null'), true);
  assert.equal(speaks('product must be an object'), true);
  assert.equal(speaks('- `/product/price` is a text'), false);
  assert.equal(speaks('product.price is a text'), false);
});

test('endless paths are read in bounded time', () => {
  const cost = startCost();
  readComplaint('a-'.repeat(32_000), names);
  readComplaint('a.'.repeat(32_000), names);
  readComplaint('/a'.repeat(32_000), names);
  for (const text of ['响', '响a', '/响', '响.a', 'a响.', '响-']) readComplaint(text.repeat(20_000), names);
  assert.ok(cost() < 120);
});

test('a complaint of only brackets is read in bounded time', () => {
  const cost = startCost();
  readComplaint('{} '.repeat(22_000), []);
  assert.ok(cost() < 60);
});
