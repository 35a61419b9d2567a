import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Assertion } from '../../src/contract/reading.ts';
import type { Json } from '../../src/kernel/json.ts';
import { assertionFault, satisfiesAll } from '../../src/readings/assertions.ts';

const answer: Json = {
  code: 200,
  name: 'Zoë',
  none: null,
  list: ['one', { sort: 'two', deep: { word: 'three' } }],
  text: 'first\r\nsecond\n',
  empty: {},
};

/** An assertion, and whether `answer` satisfies it. */
const table: [holds: boolean, assertion: Assertion][] = [
  [true, { at: '/code', equals: 200 }],
  [false, { at: '/code', equals: '200' }],
  [false, { at: '/gone', equals: null }],
  [true, { at: '/none', equals: null }],
  [true, { equals: answer }],
  [false, { equals: { code: 200 } }],
  [true, { at: '/text', equals: 'first\nsecond' }],
  [true, { at: '/list/1', equals: { deep: { word: 'three' }, sort: 'two' } }],
  [true, { at: '/code', notEquals: 404 }],
  [false, { at: '/code', notEquals: 200 }],
  [true, { at: '/gone', notEquals: 200 }],
  [true, { at: '/code', oneOf: [404, 200] }],
  [false, { at: '/code', oneOf: [404, 500] }],
  [true, { at: '/gone', absent: true }],
  [false, { at: '/none', absent: true }],
  [true, { at: '/none', present: true }],
  [false, { at: '/gone', present: true }],
  [true, { at: '/gone', absentOrNull: true }],
  [true, { at: '/none', absentOrNull: true }],
  [false, { at: '/code', absentOrNull: true }],
  [true, { at: '/gone', absentOrEquals: 1 }],
  [true, { at: '/code', absentOrEquals: 200 }],
  [false, { at: '/code', absentOrEquals: 1 }],
  [true, { at: '/name', contains: 'oë' }],
  [false, { at: '/name', contains: 'OË' }],
  [true, { at: '/list', contains: 'one' }],
  [true, { at: '/list', contains: 'three' }],
  [false, { at: '/list', contains: 'on' }],
  [true, { contains: 'code' }],
  [false, { at: '/gone', contains: 'x' }],
  [true, { at: '/name', notContains: 'x' }],
  [false, { at: '/list', notContains: 'one' }],
  [true, { at: '/code', lessOrEqual: 200 }],
  [false, { at: '/code', lessOrEqual: 199 }],
  [false, { at: '/name', lessOrEqual: 5 }],
  [true, { at: '/code', greaterOrEqual: 200 }],
  [false, { at: '/code', greaterOrEqual: 201 }],
  [false, { at: '/gone', greaterOrEqual: 0 }],
  [true, { at: '/name', length: 3 }],
  [true, { at: '/list', length: 2 }],
  [true, { at: '/empty', length: 0 }],
  [false, { at: '/code', length: 3 }],
  [true, { at: '/list', maxLength: 2 }],
  [false, { at: '/list', maxLength: 1 }],
  [false, { at: '/gone', maxLength: 9 }],
  [false, { sameAsBase: true }],
];

for (const [holds, assertion] of table) {
  test(`${JSON.stringify(assertion)} ${holds ? 'holds' : 'fails'}`, () => {
    const fault = assertionFault(assertion, answer);
    assert.equal(fault === undefined, holds, fault);
    assert.equal(satisfiesAll([assertion], answer), holds);
    if (!holds) assert.match(String(fault), /^wanted ./);
  });
}

test('an assertion with several conditions holds only if all of them do', () => {
  assert.equal(assertionFault({ at: '/code', present: true, lessOrEqual: 300, notEquals: 404 }, answer), undefined);
  assert.equal(assertionFault({ at: '/code', present: true, lessOrEqual: 100 }, answer), 'wanted at most 100');
});

test('the answer of the base case may differ at loose places and in ids that the handler created', () => {
  const base = { code: 200, id: 'x-1', at: '2026-01-15' };
  const loose = [{ pointer: '/at', as: 'time' as const }];
  const same = { sameAsBase: true } as const;
  const allowance = { base: [base], loose, replacements: [] };
  assert.equal(assertionFault(same, { ...base, at: '2026-01-16' }, allowance), undefined);
  assert.ok(assertionFault(same, { ...base, id: 'x-2' }, allowance));
  const replaced = { base: [base], loose: [], replacements: [{ from: 'x-1', to: 'x-2' }] };
  assert.equal(assertionFault(same, { ...base, id: 'x-2' }, replaced), undefined);
  assert.equal(assertionFault({ at: '/code', ...same }, { code: 200, id: 'other' }, allowance), undefined);
  const either = { base: [base, { ...base, id: 'x-3' }], loose, replacements: [] };
  assert.equal(assertionFault(same, { ...base, id: 'x-3' }, either), undefined, 'any of its answers will do');
});
