import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compilePattern, mayBacktrackWithoutEnd } from '../../src/schemas/pattern.ts';

test('patterns mean what they mean in ECMAScript', () => {
  const patterns = [
    '^\\s$',
    '^[\\s]$',
    '^\\S$',
    '^[^\\s@]$',
    '^.$',
    '^[.]$',
    '^[[a]$',
    '^[+-]$',
    '^\\z$',
    '^\\A$',
    '^\\Q$',
    '^\\a$',
    '^[^]$',
    '^\\w$',
  ];
  const texts = [
    'a',
    'A',
    'z',
    'Q',
    '.',
    '[',
    '+',
    '-',
    '@',
    ' ',
    '\t',
    '\n',
    '\r',
    '\u00a0',
    '\u2028',
    '\ufeff',
    'é',
    '\u{1f600}',
    '',
  ];
  for (const pattern of patterns) {
    const compiled = compilePattern(pattern);
    assert.equal(compiled.kind, 'linear', pattern);
    const native = /\\[AQaz]/.test(pattern) ? new RegExp(pattern) : new RegExp(pattern, 'u');
    for (const text of texts)
      assert.equal(
        compiled.kind === 'linear' && compiled.test(text),
        native.test(text),
        `${pattern} on ${JSON.stringify(text)}`,
      );
  }
});

test('repetitions of repetitions, and of alternatives that begin alike, may hang engines that backtrack', () => {
  for (const pattern of [
    '^(a+)+$',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
    '([a-zA-Z]+)*',
    '(a|aa)+',
    '(a|a?)+',
    '(.*a){12}',
    '((ab)*c)+',
    '(?:(?<n>a*)b?)*',
  ])
    assert.equal(mayBacktrackWithoutEnd(pattern), true, pattern);
  for (const pattern of [
    '^[a-z]+$',
    '^(a|b)+$',
    '^(?:[0-9]{3}-)+$',
    '^(a+)$',
    '^(red|green)(,(red|green))*$',
    '[(+]+',
    '\\(a+\\)+',
    '^(?:[0-9]{1,3}\\.){3}[0-9]{1,3}$',
  ])
    assert.equal(mayBacktrackWithoutEnd(pattern), false, pattern);
});
