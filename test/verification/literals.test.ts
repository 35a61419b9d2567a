import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LiteralIndex } from '../../src/verification/source/literal-index.ts';

const sources: [string, string, (string | number)[]][] = [
  [
    'strings, keys and numbers',
    `const t = {"P-1": 'x y', K77: 1_299.99, [0x7b]: 2}; t.A123`,
    ['P-1', 'x y', 'K77', 1299.99, 123, 'A123'],
  ],
  ['escapes', String.raw`'\x50\u0031\u{32}345'`, ['P12345']],
  ['templates, also nested', '`a $' + '{ f(`P12345 $' + '{1}`) } KT-9`', ['P12345', 'KT-9']],
  ['sums', `'P12' + '345' + 6`, ['P123456']],
  ['joined lists', `['P12', '345'].join('')`, ['P12345']],
  ['character codes', `String.fromCharCode(80, 49, 50, 51)`, ['P123']],
  ['reversed', `[...'54321P'].reverse().join('')`, ['P12345']],
  ['base64', `atob('UDEyMzQ1')`, ['P12345']],
  ['JSON inside a string', `JSON.parse('{"id":"P12345","price":12.75}')`, ['P12345', 12.75]],
  ['regular expressions', `/^P12345$/.test(x)`, ['P12345']],
];
for (const [what, source, values] of sources) {
  test(`the audit sees ${what}`, () => {
    const index = new LiteralIndex(source);
    for (const value of values) assert.ok(index.has(value), String(value));
  });
}

test('comments, parts of words and names of variables are no constants', () => {
  const index = new LiteralIndex(`// P12345\n/* 'Q777' */ const R888 = a / 2 / b; // 'x'\nconst s = 'XP123450';`);
  for (const value of ['P12345', 'Q777', 'R888', 'x']) assert.ok(!index.has(value), value);
});

test('any text is read without an error', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (source) => {
      new LiteralIndex(source).has('x');
    }),
    { numRuns: 500, seed: 3 },
  );
  new LiteralIndex('`$'.concat('{').repeat(5_000));
});
