import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Matching } from '../../src/schemas/matching.ts';
import { compilePattern, isUnicodePattern, mayBacktrackWithoutEnd, patternFault } from '../../src/schemas/pattern.ts';
import { startCost } from '../cost.ts';

test('patterns have their ECMAScript meaning', () => {
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

test('nested repetitions, and repeated alternatives with the same start, may hang a backtracking engine', () => {
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

test('matching stops at the work budget; cached results stay available', () => {
  const matching = new Matching();
  const slow = compilePattern('(a?){700}[^a]');
  const quick = compilePattern('^[0-9a-f]{8}-[0-9a-f]{4}$');
  assert.ok(slow.kind === 'linear' && quick.kind === 'linear');
  const texts = Array.from({ length: 50 }, (_, n) => 'a'.repeat(200 + n));
  const told = texts.map((text) => matching.tell('slow', slow, text));
  assert.equal(told[0], false);
  assert.ok(told.includes(undefined));
  assert.equal(matching.leftOut, 'slow');
  assert.equal(matching.tell('slow', slow, texts[0] ?? ''), false);
  const ids = Array.from({ length: 2_000 }, (_, n) => `${String(n).padStart(8, '0')}-0000`);
  const other = new Matching();
  assert.ok(ids.every((id) => other.tell('quick', quick, id) === true));
  assert.equal(other.leftOut, undefined);
});

test('patterns with large automata are not compiled', () => {
  assert.equal(compilePattern(`[${'\\p{L}'.repeat(380)}]x`).kind, 'unsupported');
  assert.equal(compilePattern('^[\\p{L}\\p{N} ]+$').kind, 'linear');
});

test('a text is a pattern if ECMAScript says so, with and without character properties', () => {
  const isRegExp = (source: string, flags: string): boolean => {
    try {
      new RegExp(source, flags);
      return true;
    } catch {
      return false;
    }
  };
  const parts = [
    '\\p{L}',
    '\\P{Script=Han}',
    '\\p{Nope}',
    '\\p',
    '\\P{',
    '\\\\',
    '[',
    ']',
    '^',
    '-',
    'a',
    '{2}',
    '}',
    '(',
    ')',
    '+',
    '\\_',
  ];
  const pairs = parts.flatMap((one) => parts.map((other) => one + other));
  for (const text of [
    ...pairs.flatMap((pair) => parts.map((part) => pair + part)),
    ...pairs.map((pair) => `[${pair}]`),
  ]) {
    assert.equal(isUnicodePattern(text), isRegExp(text, 'u'), text);
    assert.equal(patternFault(text) === undefined, isRegExp(text, 'u') || isRegExp(text, ''), text);
  }
});

test('many character properties cost no more than few', () => {
  const costOf = (work: () => void): number => {
    const cost = startCost();
    work();
    return cost();
  };
  const ofMany = (mark: string) => `[${'\\p{L}'.repeat(3_000)}]${mark}`;
  const native = costOf(() => new RegExp(ofMany('a'), 'u'));
  const ours = costOf(() => assert.equal(patternFault(ofMany('b')), undefined));
  assert.ok(ours < native / 5, `${ours}, ${native} where V8 looks at each`);
});
