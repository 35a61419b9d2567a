import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { chart } from '../../../src/operator/console/chart.ts';
import { html } from '../../../src/operator/console/html.ts';

test('no text leaves its place in a page: neither an element nor a quoted attribute', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const page = html`<p title="${text}">${text}</p>`.text;
      assert.match(page, /^<p title="[^<>"']*">[^<>"']*<\/p>$/);
    }),
  );
});

test('characters that cannot be seen, or turn a text around, are shown by their numbers', () => {
  assert.equal(html`${'a\u202eb\u0000'}`.text, 'a\\u{202e}b\\u{0}');
});

test('lists are joined, markup stays, and nothing stands for what is not there', () => {
  assert.equal(html`${[1, html`<b>${'<'}</b>`, null, undefined, false, '&']}`.text, '1<b>&lt;</b>&amp;');
});

test('a chart breaks where a value is unknown, and names its lines with their latest values', () => {
  const drawn = chart('jobs', [
    { name: 'waiting<', values: [1, null, 3, 4] },
    { name: 'none', values: [null, null] },
  ]).text;
  assert.match(drawn, /waiting&lt; <b>4<\/b>/);
  assert.match(drawn, /none <b>–<\/b>/);
  const [, line = ''] = /<path class="line-0" d="([^"]*)"/.exec(drawn) ?? [];
  assert.deepEqual(line.match(/[ML]/g), ['M', 'M', 'L']);
  assert.match(drawn, /<path class="line-1" d=""/);
});
