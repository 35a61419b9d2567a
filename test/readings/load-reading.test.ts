import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Json } from '../../src/kernel/json.ts';
import { loadReading } from '../../src/readings/load-reading.ts';
import readingSchema from '../../src/readings/reading.schema.json' with { type: 'json' };
import { unitsOf } from '../../src/readings/units.ts';

const entry = {
  quote: 'A thing that is free is lent.',
  claim: 'so',
  base: 1,
  expect: { answer: [{ at: '/code', equals: 200 }] },
};

const isReading = new Ajv2020({ strict: false }).compile(readingSchema);

test('a reading is loaded as it was stored', () => {
  const reading = {
    version: 1,
    reader: { kind: 'model', name: 'm' },
    derived: [{ ...entry, id: 'x', broken: true, confirmation: { by: 'other', answers: { end: { yes: false } } } }],
    units: [{ unit: 3, none: 'explains' }],
    waitMs: 15_000,
  };
  assert.ok(isReading(reading), JSON.stringify(isReading.errors));
  assert.deepEqual(loadReading(reading), { reading, dropped: [] });
});

test('the text of named units is filled in; unknown units are a fault', () => {
  const units = unitsOf('First is so. Second is so. Third is so.');
  const { quote: _, ...bare } = entry;
  const { reading, dropped } = loadReading(
    {
      derived: [
        { ...bare, of: [3, 1] },
        { ...bare, of: [4] },
      ],
    },
    units,
  );
  assert.deepEqual(
    reading.derived.map((one) => one.quote),
    ['Third is so. … First is so.'],
  );
  assert.deepEqual(dropped, [{ entry: 1, reason: 'quote' }]);
});

test('older forms are converted: a single "sends", and "before" of a call', () => {
  const expect = {
    sends: { times: 1 },
    calls: [
      { tool: 'find', before: 'lend' },
      { tool: 'lend', times: 1, before: 'send' },
    ],
  };
  const { reading } = loadReading({
    derived: [
      { ...entry, expect: { anyOf: [expect] } },
      { ...entry, expect },
    ],
  });
  const made = {
    calls: [{ tool: 'lend', times: 1 }],
    sends: [{ times: 1 }],
    order: [
      ['find', 'lend'],
      ['lend', 'send'],
    ],
  };
  assert.deepEqual(
    reading.derived.map((one) => one.expect),
    [{ anyOf: [made] }, made],
  );
});

test('ids are unique, and an invalid entry is reported by its index', () => {
  const derived = [{ ...entry, id: 'x' }, { claim: 'no words' }, { ...entry, id: 'x' }, null, 7, 'text'];
  const { reading, dropped } = loadReading({ derived: derived as Json[] });
  assert.equal(reading.derived.length, 1);
  assert.deepEqual(
    dropped.map((one) => [one.entry, one.reason]),
    [
      [1, 'form'],
      [2, 'duplicate'],
      [3, 'form'],
      [4, 'form'],
      [5, 'form'],
    ],
  );
});

describe('a value that is no reading becomes an empty one:', () => {
  const odd: Json[] = [null, 7, 'text', [], {}, { derived: 7 }, { derived: {}, units: 'no', reader: [], waitMs: -1 }];
  for (const value of odd)
    test(JSON.stringify(value), () => {
      const empty = { version: 1, reader: { kind: 'recorded', name: 'unknown' }, derived: [], units: [] };
      assert.deepEqual(loadReading(value), { reading: empty, dropped: [] });
    });
});

describe('the published schema', () => {
  const wrong: Json[] = [
    { derived: [{ ...entry, expect: {} }] },
    { derived: [{ ...entry, base: 'one' }] },
    { derived: [{ ...entry, request: [{ op: 'add', path: '/x' }] }] },
    { derived: [{ ...entry, request: [{ op: 'move', from: '/a', path: '/x' }] }] },
    { derived: [{ ...entry, tools: { find: [] } }] },
    { derived: [{ ...entry, tools: { find: [{ when: [] }] } }] },
    { derived: [{ claim: 'c', base: 0, expect: entry.expect }] },
    { derived: [], units: [{ unit: 0, none: 'explains' }] },
    {},
  ];
  for (const value of wrong) test(`refuses ${JSON.stringify(value)}`, () => assert.equal(isReading(value), false));
  test('accepts a reading that has only derived cases', () => assert.ok(isReading({ derived: [entry] })));
});

/** Recorded readings of earlier versions, where available. */
const samples = '../shared/readings/sample';

describe('readings of the older form', {
  skip: existsSync(samples) ? false : 'no ../shared/readings here',
}, () => {
  test('all load, and the published schema accepts them', () => {
    const files = readdirSync(samples, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.json'));
    assert.ok(files.length > 0);
    for (const file of files) {
      const value = JSON.parse(readFileSync(join(samples, file), 'utf8'));
      const { reading, dropped } = loadReading(value);
      assert.deepEqual(
        dropped.filter(({ reason }) => reason === 'form'),
        [],
        file,
      );
      assert.equal(reading.derived.length + dropped.length, value.derived.length, file);
      assert.ok(isReading(value), `${file} ${JSON.stringify(isReading.errors)}`);
    }
  });
});
