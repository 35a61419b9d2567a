import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { DropReason } from '../../src/contract/reading.ts';
import type { JsonObject } from '../../src/kernel/json.ts';
import { ReadingCollector } from '../../src/readings/reading-collector.ts';
import { validReading } from '../../src/readings/valid-reading.ts';
import { borrowingJob, lendingJob, subjectOf } from './rig.ts';

const lending = subjectOf(lendingJob());
const borrowing = subjectOf(borrowingJob());

/** A sentence of the lending agreement: its number among the units. */
const of = [3];
const sound = { of, claim: 'so', base: 1, set: { '/thing': 'axe' }, answer: { '/code': 409 } };

function droppedOf(entries: JsonObject[], subject = lending): (DropReason | undefined)[] {
  const collector = new ReadingCollector(subject);
  for (const entry of entries) collector.add(entry);
  const reasons = new Map(collector.dropped.map(({ entry, reason }) => [entry, reason]));
  assert.equal(collector.derived.length + reasons.size, entries.length);
  return entries.map((_, index) => reasons.get(index));
}

/** An entry that is dropped, and a similar one that is not. */
const table: Record<DropReason, { bad: JsonObject[]; good: JsonObject; requester?: true }> = {
  form: {
    bad: [
      { ...sound, answer: undefined as never, expect: {} },
      { ...sound, base: -1 },
      { ...sound, check: [{ at: '/code', isLike: 409 }] },
      { ...sound, check: [{ at: 'code', equals: 409 }] },
      { ...sound, tools: { find: { output: { state: 'x' }, fail: 'FAILED' } } },
      { ...sound, tools: { find: 'BROKEN' } },
      { ...sound, of: [] },
      { ...sound, end: 'threw' },
    ],
    good: { ...sound, check: [{ at: '/code', equals: 409 }] },
  },
  quote: { bad: [{ ...sound, of: [99] }], good: sound },
  duplicate: {
    bad: [{ ...sound, id: 'twin', tools: { find: 'FAILED' }, answer: { '/code': 500 } }],
    good: { ...sound, id: 'twin' },
  },
  base: { bad: [{ ...sound, base: 7 }], good: { ...sound, base: 2 } },
  request: {
    bad: [
      { ...sound, drop: ['/nothing'] },
      { ...sound, set: { '/not/there': 1 } },
      { ...sound, base: 0, set: {} },
    ],
    good: { ...sound, base: 0, set: { '': { id: 'z', thing: 'saw', days: 1 } } },
  },
  tool: {
    bad: [
      { ...sound, tools: { steal: 'FAILED' } },
      { ...sound, calls: { steal: 0 } },
      { ...sound, with: { steal: { '/thing': 'saw' } } },
      { ...sound, order: [['find', 'steal']] },
      { ...sound, order: [{ last: 'steal' }] },
      { ...sound, anyOf: [{ calls: { steal: 1 } }] },
      { ...sound, calls: { constructor: 0 } },
    ],
    good: { ...sound, calls: { lend: 0 }, order: [['find', 'lend']] },
  },
  peer: {
    bad: [
      { ...sound, peer: 'FAILED' },
      { ...sound, sends: 1 },
      { ...sound, order: [['send', 'find']] },
    ],
    good: sound,
  },
  output: {
    bad: [
      { ...sound, tools: { find: { output: { state: 7 } } } },
      { ...sound, tools: { find: ['FAILED', { output: {} }] } },
    ],
    good: { ...sound, tools: { find: ['FAILED', { output: { state: 'free' } }] } },
  },
  pointer: {
    bad: [
      { ...sound, answer: { '/code/deep': 1 } },
      { ...sound, check: [{ at: '/id/0', present: true }] },
    ],
    good: { ...sound, absent: ['/code/deep'] },
  },
  unmeetable: {
    bad: [
      { ...sound, answer: { '/code': 404 } },
      { ...sound, check: [{ at: '/code', oneOf: [1, 2] }] },
      { ...sound, absent: ['/id'] },
      { ...sound, answer: { '/id': 7 } },
    ],
    good: { ...sound, check: [{ at: '/code', oneOf: [1, 409] }] },
  },
  case: {
    bad: [{ of, claim: 'so', base: 1, answer: { '/code': 409 } }],
    good: { of, claim: 'so', base: 1, answer: { '/code': 200 } },
  },
  constant: {
    bad: [
      { ...sound, answer: { '/note': 'Thank you kindly' } },
      { ...sound, with: { lend: { '/thing': 'hammock' } } },
      { ...sound, check: [{ at: '/note', oneOf: ['free', 'hammock'] }] },
      { ...sound, check: [{ at: '/note', contains: 'hammock' }] },
      { ...sound, anyOf: [{ answer: { '/note': 'hammock' } }] },
    ],
    good: { ...sound, answer: { '/note': 'A thing that is lent', '/other': 'P-77.1', '/sum': 1234 } },
  },
  alike: {
    bad: [
      { ...sound, alike: 'nobody' },
      { ...sound, alike: { to: 9 } },
    ],
    good: { ...sound, alike: { to: 2 } },
  },
};

describe('an entry is dropped, with its reason, for', () => {
  for (const [reason, { bad, good }] of Object.entries(table)) {
    test(`${reason}: ${bad.length} invalid entries, and a similar one that is valid`, () => {
      const twins = reason === 'duplicate' ? [good, ...bad] : [...bad, good];
      const reasons = droppedOf(twins);
      assert.deepEqual(
        reasons.filter((one) => one !== undefined),
        bad.map(() => reason),
      );
      assert.equal(reasons[twins.indexOf(good)], undefined);
    });
  }
});

test('a peer answer that breaks its schema is dropped, one that fails is not', () => {
  const entry = { of, claim: 'so', base: 1, answer: { '/got': false } };
  assert.deepEqual(
    droppedOf(
      [
        { ...entry, peer: { response: { id: 'x', code: 'no', next: null } } },
        { ...entry, peer: { response: { id: 'x', code: 409, next: null } } },
        { ...entry, peer: 'TIMEOUT' },
        { ...entry, peer: 'FAILED', sends: 1, order: [['send', 'lend']] },
        { ...entry, answer: { '/got': 'maybe' }, peer: 'FAILED' },
        { ...entry, peer: 'FAILED', sent: { '/thing': 'hammock' } },
        { ...entry, peer: 'FAILED', sent: { '/thing': 'axe' } },
      ],
      borrowing,
    ),
    ['output', undefined, undefined, undefined, 'unmeetable', 'constant', undefined],
  );
});

test('an unchanged case is compared as cases are, except for ids and loose places', () => {
  const entry = { of, claim: 'so', base: 1 };
  assert.deepEqual(droppedOf([{ ...entry, same: true }], borrowing), [undefined]);
  assert.deepEqual(droppedOf([{ ...entry, answer: { '/got': false } }], borrowing), ['case']);
});

test('a schema with references or alternatives says which values a place may have', () => {
  const response = {
    $defs: {
      code: { enum: [200, 409] },
      list: { type: 'array', items: { $ref: '#/$defs/entry' } },
      entry: { type: 'object', properties: { name: { type: 'string' } }, additionalProperties: false },
    },
    type: 'object',
    properties: {
      code: { $ref: '#/$defs/code' },
      things: { $ref: '#/$defs/list' },
      either: { oneOf: [{ type: 'integer' }, { type: 'null' }] },
      fixed: { const: { a: 1 } },
    },
    required: ['code'],
    additionalProperties: false,
  };
  const subject = { ...lending, responseSchema: response, cases: lending.cases };
  const reasons = droppedOf(
    [
      { ...sound, answer: { '/code': 409 } },
      { ...sound, answer: { '/code': 500 } },
      { ...sound, answer: { '/things/0/name': 'saw' } },
      { ...sound, answer: { '/things/0/price': 1 } },
      { ...sound, answer: { '/things/0/name': 7 } },
      { ...sound, answer: { '/either': null } },
      { ...sound, answer: { '/either': 'saw' } },
      { ...sound, answer: { '/other': 1 } },
      { ...sound, absent: ['/other'] },
      { ...sound, answer: { '/fixed/a': 1 } },
      { ...sound, answer: { '/fixed/a': 2 } },
      { ...sound, answer: { '/fixed/b': 1 } },
    ],
    subject,
  );
  assert.deepEqual(reasons, [
    undefined,
    'unmeetable',
    undefined,
    'pointer',
    'unmeetable',
    undefined,
    'unmeetable',
    'pointer',
    undefined,
    undefined,
    'unmeetable',
    'pointer',
  ]);
});

test('a dropped entry covers no units; a valid one covers its units, and so does one that yields no case', () => {
  const collector = new ReadingCollector(lending);
  collector.add({ ...sound, of: [1], base: 7 });
  collector.add({ ...sound, of: [2, 3] });
  collector.add({ units: [3, 4], none: 'explains' });
  collector.add({ unit: 5, none: 'unclear' });
  collector.add({ unit: 99, none: 'explains' });
  collector.add({ unit: 1, none: 'because' });
  collector.add({ waitMs: 1_500 });
  collector.add({ waitMs: -3 });
  assert.deepEqual([...collector.coveredUnits].sort(), [2, 3, 4, 5]);
  const { units, waitMs, derived } = collector.reading({ kind: 'model', name: 'm' });
  assert.deepEqual(units, [
    { unit: 3, none: 'explains' },
    { unit: 4, none: 'explains' },
    { unit: 5, none: 'unclear' },
  ]);
  assert.deepEqual([waitMs, derived.length], [1_500, 1]);
});

test('a reader may write no more than 200 cases', () => {
  const collector = new ReadingCollector(lending);
  for (let number = 0; number < 210; number += 1) collector.add({ ...sound, set: { '/thing': `axe ${number}` } });
  assert.deepEqual([collector.derived.length, collector.dropped.length], [200, 10]);
});

test('a reader cannot confirm its own entries', () => {
  const collector = new ReadingCollector(lending);
  collector.add({ ...sound, confirmation: { by: 'me', answers: { 'answer /code': { value: 409 } } } });
  assert.equal(collector.derived[0]?.confirmation, undefined);
});

test('a stored reading is validated in the same way, and its quotes must occur in the visible document', () => {
  const quote = 'A thing that is free is lent.';
  const expect = { answer: [{ at: '/code', equals: 409 }] };
  const request = [{ op: 'replace', path: '/thing', value: 'axe' }];
  const entry = { quote, claim: 'so', base: 1, request, expect };
  const { reading, dropped } = validReading(
    {
      derived: [
        entry,
        { ...entry, quote: 'A thing that is green is lent.' },
        { ...entry, quote: `${quote} … Nobody wrote this.` },
        { ...entry, base: 9 },
        { claim: 'none' },
        { ...entry, expect: { alike: { to: 'nobody' } } },
      ],
    },
    lending,
  );
  assert.deepEqual(
    reading.derived.map((one) => one.quote),
    [quote, quote],
  );
  assert.deepEqual(dropped.map(({ reason }) => reason).sort(), ['alike', 'base', 'form', 'quote']);
  const hidden = subjectOf(lendingJob(`<!-- ${quote} -->\nA thing that is lent is refused.`));
  assert.deepEqual(
    validReading({ derived: [entry] }, hidden).dropped.map(({ reason }) => reason),
    ['quote'],
  );
});
