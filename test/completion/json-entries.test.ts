import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createEntryReader, type EntryLimits } from '../../src/completion/json-entries.ts';
import type { Json, JsonObject } from '../../src/kernel/json.ts';

interface Read {
  entries: JsonObject[];
  broken: number;
  isFull: boolean;
}

/** What is read of these pieces. */
function read(pieces: string | readonly string[], limits: EntryLimits = {}): Read {
  const entries: JsonObject[] = [];
  const reader = createEntryReader((entry) => void entries.push(entry), limits);
  for (const piece of typeof pieces === 'string' ? [pieces] : pieces) reader.push(piece);
  reader.end();
  return { entries, broken: reader.broken, isFull: reader.isFull };
}

function divided(text: string, cuts: readonly number[]): string[] {
  const places = [0, ...cuts.map((cut) => cut % (text.length + 1)).sort((one, other) => one - other), text.length];
  return places.slice(1).map((end, at) => text.slice(places[at], end));
}

const anyEntry = fc
  .dictionary(fc.string({ unit: 'binary', maxLength: 6 }), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 })
  .map((entry): JsonObject => JSON.parse(JSON.stringify(entry)))
  .filter((entry) => !Array.isArray(entry.entries));
const anyCuts = fc.array(fc.nat(), { maxLength: 12 });

const lines = (entries: readonly Json[]) => entries.map((entry) => JSON.stringify(entry)).join('\n');
const pretty = (value: Json) => JSON.stringify(value, null, 2);

/** Ways to write entries down that change nothing of what they say. */
const layouts: Record<string, (entries: JsonObject[]) => string> = {
  lines,
  'lines with commas and another line end': (entries) => `${lines(entries).replaceAll('\n', ',\r\n')},\r\n`,
  'one line': (entries) => entries.map((entry) => JSON.stringify(entry)).join(' '),
  'a fence': (entries) => `\`\`\`jsonl\n${lines(entries)}\n\`\`\``,
  'several lines each': (entries) => entries.map(pretty).join('\n'),
  'several lines each, in a fence': (entries) => `\`\`\`json\n${entries.map(pretty).join('\n\n')}\n\`\`\`\n`,
  'a list': (entries) => JSON.stringify(entries),
  'a list over several lines': pretty,
  'a list of lines': (entries) => `[\n${lines(entries).replaceAll('\n', ',\n')}\n]`,
  'a wrapped list': (entries) => JSON.stringify({ entries }),
  'a wrapped list over several lines': (entries) => pretty({ entries }),
  'a wrapped list of lines': (entries) => `{ "entries" :\n[\n${lines(entries).replaceAll('\n', ',\n')}\n]}`,
  'a wrapped list behind another member': (entries) => pretty({ language: 'en', lists: [[{ a: 1 }]], entries }),
};

/** What may stand around entries. */
const surroundings: ((text: string) => string)[] = [
  (text) => text,
  (text) => `\ufeff\n\n${text}\n\n`,
  (text) => `Here is what I found, e.g. {"kind":"inline"} and {this}:\n\n${text}\n\nThat is all {of it}.`,
  (text) => `<think>\n{"kind":"draft"}\nIt's <b>, "</thin\n{"open <</think>\n${text}`,
  (text) => `<THINKING>{"kind":"draft"}</thinking>${text}`,
  (text) => `that is it\n</think>${text}\n<think>[{"kind":"afterthought"}]`,
];

for (const [name, layout] of Object.entries(layouts)) {
  test(`entries are read as they were written, however they are divided: ${name}`, () => {
    fc.assert(
      fc.property(
        fc.array(anyEntry, { maxLength: 6 }),
        fc.constantFrom(...surroundings),
        anyCuts,
        (entries, around, cuts) => {
          const text = around(layout(entries));
          assert.deepEqual(read(divided(text, cuts)), { entries, broken: 0, isFull: false });
        },
      ),
    );
  });
}

test('an entry is told as soon as it is whole', () => {
  for (const text of ['{"a":1}', '[{"a":1}', '{"entries":[{"a":1}', '```json\n{\n  "a": 1\n}']) {
    const told: Json[] = [];
    const reader = createEntryReader((entry) => void told.push(entry));
    reader.push(text.slice(0, -1));
    assert.deepEqual(told, []);
    reader.push(text.slice(-1));
    assert.deepEqual(told, [{ a: 1 }], text);
  }
});

test('a line that breaks off costs itself alone', () => {
  fc.assert(
    fc.property(
      fc.array(anyEntry, { maxLength: 3 }),
      anyEntry,
      fc.nat(),
      fc.array(anyEntry, { minLength: 1, maxLength: 3 }),
      anyCuts,
      (before, lost, at, after, cuts) => {
        const whole = JSON.stringify(lost);
        const part = whole.slice(0, 1 + (at % (whole.length - 1)));
        const text = [...before.map((one) => JSON.stringify(one)), part, ...after.map((one) => JSON.stringify(one))];
        const wanted = { entries: [...before, ...after], broken: 1, isFull: false };
        assert.deepEqual(read(divided(text.join('\n'), cuts)), wanted);
        const indented = text.map((line) => `  ${line}`).join('\n');
        assert.deepEqual(read(divided(indented, cuts)), wanted);
      },
    ),
  );
});

test('what is not JSON is counted, and the next object is read', () => {
  for (const [text, broken] of [
    ['{"a": "he said "hi" to me"}\n{"b":1}', 1],
    ['{"a": "he said "hi to me"}\n{"b":1}', 1],
    ['{"a": "two\nlines"}\n{"b":1}', 1],
    ['{\'a\': 1}\n{"b":1}', 1],
    ['{"a": 1,}{"b":1}', 1],
    ['{"a": [1, 2}\n{"b":1}', 1],
    ['{"a": {"x": [\n{"b":1}', 1],
    ['{"a": 1]}}\n{"b":1}', 1],
    ['{name} is the name\n{"b":1}', 1],
    ['[\n  {\n    "a": "x,\n    "c": 1\n  },\n  {\n    "b": 1\n  }\n]', 1],
    ['{"b":1}\n{"a":', 1],
    ['{"b":1}}\n]', 0],
  ] as const)
    assert.deepEqual(read(text), { entries: [{ b: 1 }], broken, isFull: false }, text);
});

test('objects inside an entry are its own', () => {
  const entry = {
    a: [{ b: 1 }, { entries: [{ c: 1 }] }],
    entries: { d: [{}] },
    e: 'entries',
    f: [{ g: '"entries": [{' }],
  };
  for (const text of [JSON.stringify(entry), pretty(entry), JSON.stringify([entry]), pretty({ entries: [entry] })])
    assert.deepEqual(read(text).entries, [entry]);
});

test('a name of a prototype is a name like any other', () => {
  const [entry] = read('{"__proto__":{"polluted":true},"constructor":1}').entries;
  assert.deepEqual(Object.keys(entry ?? {}), ['__proto__', 'constructor']);
  assert.equal(Object.hasOwn(Object.prototype, 'polluted'), false);
});

test('entries beyond the bounds are not taken', () => {
  const many = '{"a":1}\n'.repeat(5);
  assert.deepEqual([read(many, { entries: 5 }).isFull, read(many, { entries: 4 }).isFull], [false, true]);
  assert.equal(read(many, { entries: 4 }).entries.length, 4);
  assert.equal(read('{}'.repeat(3_000)).entries.length, 2_000);
  const long = `{"a":"${'x'.repeat(90)}"}`;
  for (const pieces of [`${long}\n{"b":1}`, `${long}\n{"b":1}`.split('')]) {
    assert.equal(read(pieces, { characters: long.length }).entries.length, 2);
    assert.deepEqual(read(pieces, { characters: long.length - 1 }), { entries: [{ b: 1 }], broken: 1, isFull: false });
  }
  assert.equal(read(`{"a":"${'x'.repeat(70_000)}"}`).broken, 1);
  const deep = (depth: number) => `{"a":${'['.repeat(depth)}{}${']'.repeat(depth)}}\n{"b":1}`;
  assert.deepEqual(
    [read(deep(62)).entries.length, read(deep(63)).entries.length, read(deep(90)).entries.length],
    [2, 1, 1],
  );
});

test('nothing is read after the end', () => {
  const entries: Json[] = [];
  const reader = createEntryReader((entry) => void entries.push(entry));
  reader.push('{"a":');
  reader.end();
  reader.push('1}\n{"b":1}');
  assert.deepEqual([entries, reader.broken], [[], 1]);
});

test('whatever comes is read without a fault, and alike however it is divided', () => {
  const parts = [
    '{',
    '}',
    '[',
    ']',
    '"',
    '\\',
    '\n',
    ' ',
    ',',
    ':',
    '<',
    '<think>',
    '</think>',
    '"entries"',
    '{"a":1}',
    '{"a":',
    '```',
    'é',
    '\ud83d',
    '\0',
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...parts), { maxLength: 60 }), anyCuts, (text, cuts) => {
      const whole = read(text.join(''));
      assert.deepEqual(read(divided(text.join(''), cuts)), whole);
      assert.deepEqual(read(text.join('').split('')), whole);
    }),
    { numRuns: 1_000 },
  );
});

test('a long hostile text takes no longer than another', () => {
  // A moment each; hours where one of them is read again and again.
  for (const part of [
    '{',
    '}{',
    '{\n',
    '{"a":',
    '{"a":[',
    '{"',
    '{"a\\',
    '"',
    '[',
    '{"a":[],',
    '<',
    '<think',
    '</think>{',
    '{"entries":[',
    '{"a":"\n',
    '\n {',
  ])
    for (const start of ['', '{"a":"', '<think>', '{"b":[],'])
      for (const size of [1, 65_536]) {
        const text = start + part.repeat(250_000 / part.length);
        const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
        assert.ok(read(pieces).entries.length <= 2_000);
      }
});
