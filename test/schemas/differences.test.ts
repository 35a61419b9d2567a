import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Json } from '../../src/kernel/json.ts';
import { differencesOf, MAX_DIFFERENCES } from '../../src/schemas/differences.ts';
import { equalJson, equalText } from '../../src/schemas/equal-json.ts';

const json = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.parse(JSON.stringify(value)) as Json);

test('values are compared as JSON: members in any order, numbers by value', () => {
  assert.ok(equalJson({ a: 1, b: [1e2, -0] }, { b: [100, 0], a: 1.0 }));
  assert.ok(!equalJson({ a: 1 }, { a: 1, b: null }));
  assert.ok(!equalJson([1, 2], [2, 1]));
  assert.ok(!equalJson({}, []));
  assert.ok(!equalJson(null, {}));
  assert.ok(!equalJson('1', 1));
  assert.ok(!equalJson(JSON.parse('{"__proto__":1}') as Json, {}));
  assert.ok(!equalJson({ toString: 1 }, { other: 1 }));
});

test('equality and differences agree for every pair', () => {
  fc.assert(
    fc.property(json, json, (a, b) => {
      const sameText = typeof a === 'string' && typeof b === 'string' && equalText(a, b);
      assert.equal(differencesOf(a, b).length === 0, equalJson(a, b) || sameText);
      assert.deepEqual(differencesOf(a, structuredClone(a)), []);
    }),
    { numRuns: 500 },
  );
});

test('deep nesting does not overflow the stack', () => {
  const deep = (): Json => {
    let value: Json = 1;
    for (let depth = 0; depth < 100_000; depth += 1) value = [value];
    return value;
  };
  assert.ok(equalJson(deep(), deep()));
});

test('differences have path, expected and got, in order, including missing and extra members', () => {
  assert.deepEqual(differencesOf({ a: { 'x/y': 1, gone: 2 }, l: [1, 2] }, { a: { 'x/y': 2, new: 3 }, l: [1] }), [
    { path: '/a/x~1y', expected: 1, got: 2 },
    { path: '/a/gone', expected: 2 },
    { path: '/a/new', got: 3 },
    { path: '/l/1', expected: 2 },
  ]);
  assert.deepEqual(differencesOf({ a: 1 }, [1]), [{ path: '', expected: { a: 1 }, got: [1] }]);
  const many = Array.from({ length: 500 }, (_, index) => index);
  assert.equal(
    differencesOf(
      many,
      many.map((item) => item + 1),
    ).length,
    MAX_DIFFERENCES,
  );
});

test('a loose place may differ but must exist', () => {
  const expected = { status: { code: 200, message: 'Success' } };
  assert.deepEqual(differencesOf(expected, { status: { code: 200, message: 'Fine' } }, ['/status/message']), []);
  assert.deepEqual(differencesOf(expected, { status: { code: 200 } }, ['/status/message']), [
    { path: '/status/message', expected: 'Success' },
  ]);
});

test('text payloads are equal apart from CRLF and one final newline', () => {
  assert.ok(equalText('a\r\nb\r\n', 'a\nb'));
  assert.ok(!equalText('a\n\n', 'a'));
  assert.ok(!equalText('a ', 'a'));
  assert.deepEqual(differencesOf('a\r\n', 'a'), []);
  assert.deepEqual(differencesOf('a', 'b'), [{ path: '', expected: 'a', got: 'b' }]);
});
