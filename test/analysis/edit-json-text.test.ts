import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { patched } from '../../src/analysis/apply-patch.ts';
import { editJsonText } from '../../src/analysis/edit-json-text.ts';
import { pointersOf, readJson } from '../../src/analysis/located-json.ts';
import type { PatchOperation } from '../../src/contract/finding.ts';
import { isObject, type Json } from '../../src/kernel/json.ts';
import { equalJson } from '../../src/schemas/equal-json.ts';

function edited(text: string, ...patch: PatchOperation[]): string | undefined {
  const start = text.indexOf('{');
  return editJsonText(text, start, patch)?.text;
}

test('values are replaced, added and removed where they stand, in the layout around them', () => {
  const text = 'Before {\n  "a": 1,\n  "b": [\n    "x",\n    "y"\n  ],\n  "c": {}\n} after {"a": 1}';
  const keep = (from: string, to: string): string => text.replace(from, to);
  assert.equal(edited(text, { op: 'replace', path: '/a', value: { k: [1, 'z'] } }), keep('1', '{ "k": [1, "z"] }'));
  assert.equal(edited(text, { op: 'add', path: '/b/-', value: 'z' }), keep('"y"', '"y",\n    "z"'));
  assert.equal(edited(text, { op: 'remove', path: '/b/0' }), keep('"x",\n    "y"', '"y"'));
  assert.equal(edited(text, { op: 'remove', path: '/b/1' }), keep('"x",\n    "y"', '"x"'));
  assert.equal(edited(text, { op: 'add', path: '/c/d~1e', value: null }), keep('{}', '{"d/e": null}'));
  assert.equal(edited(text, { op: 'add', path: '/d', value: 1 }), keep('"c": {}', '"c": {},\n  "d": 1'));
  assert.equal(edited(text, { op: 'remove', path: '/c' }), keep(',\n  "c": {}', ''));
  assert.equal(edited(text, { op: 'replace', path: '/none', value: 1 }), undefined);
  assert.equal(edited('{"a":["x"]}', { op: 'add', path: '/a/-', value: 'y' }), '{"a":["x", "y"]}');
  assert.equal(edited('{"a":["x","y"]}', { op: 'add', path: '/a/-', value: 'z' }), '{"a":["x","y","z"]}');
});

const json = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.parse(JSON.stringify(value)) as Json);
const object = fc
  .dictionary(fc.string({ maxLength: 5 }), json, { maxKeys: 5 })
  .map((value) => JSON.parse(JSON.stringify(value)) as Json);

test('the edited text reads as the patched value, and nothing outside it changes', () => {
  fc.assert(
    fc.property(
      object,
      json,
      fc.nat(),
      fc.constantFrom('add', 'replace', 'remove'),
      fc.constantFrom(0, 2),
      (value, added, pick, op, indent) => {
        const places = pointersOf(value);
        const place = places[pick % places.length];
        assert.ok(place);
        const path =
          op !== 'add'
            ? place.pointer
            : Array.isArray(place.value)
              ? `${place.pointer}/-`
              : isObject(place.value)
                ? `${place.pointer}/new`
                : place.pointer;
        if (path === '') return;
        const operation: PatchOperation = op === 'remove' ? { op, path } : { op: op as 'add', path, value: added };
        const text = `before ${JSON.stringify(value, null, indent)} after`;
        const result = editJsonText(text, 7, [operation]);
        const wanted = patched(value, [operation]);
        if (result === undefined || wanted === undefined) {
          // Only an index in the middle of an array is not written back; no rule proposes one.
          assert.ok(op === 'add' && /\/\d+$/.test(path), `${op} ${path}`);
          return;
        }
        assert.ok(result.text.startsWith('before ') && result.text.endsWith(' after'));
        assert.ok(equalJson(JSON.parse(result.text.slice(7, result.end)) as Json, wanted));
      },
    ),
    { numRuns: 1_000 },
  );
});

test('reading agrees with JSON.parse on every text', () => {
  const almost = fc.oneof(
    json.map((value) => JSON.stringify(value)),
    fc
      .array(
        fc.constantFrom(
          '{',
          '}',
          '[',
          ']',
          '"',
          ':',
          ',',
          '1',
          'true',
          '\\',
          ' ',
          '\n',
          'a',
          '-',
          'e',
          '.',
          '0',
          '\u0001',
        ),
        { maxLength: 12 },
      )
      .map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(almost, (text) => {
      const reading = readJson(text, 0);
      let parsed: Json | undefined;
      try {
        parsed = JSON.parse(text) as Json;
      } catch {
        // No JSON as a whole: a value may still stand at its start.
      }
      if (parsed !== undefined) assert.ok(reading.ok && equalJson(reading.node.value, parsed), text);
      else if (reading.ok)
        assert.ok(equalJson(JSON.parse(text.slice(reading.node.start, reading.node.end)) as Json, reading.node.value));
    }),
    { numRuns: 3_000 },
  );
});
