import assert from 'node:assert/strict';
import { test } from 'node:test';
import { quoteStands } from '../../src/prompting/quote-stands.ts';

const DOCUMENT = 'The provider returns\n  detailed product\u200B information.';

test('a quote counts if the document contains it word for word, apart from white space', () => {
  for (const quote of [
    'provider returns detailed product',
    'The provider returns',
    'product[U+200B] information',
    'product\u200B information',
  ]) {
    assert.equal(quoteStands(DOCUMENT, quote), true, quote);
  }
});

test('a short quote in Chinese is long enough', () => {
  assert.equal(quoteStands('请求者携带商品id或名字', '商品id或'), true);
  assert.equal(quoteStands('请求者携带商品id或名字', '商品'), false);
});

test('a quote that is invented, changed or too short does not count', () => {
  for (const quote of ['', '   ', 'product', 'The provider denies', 'the provider returns'])
    assert.equal(quoteStands(DOCUMENT, quote), false, quote);
});
