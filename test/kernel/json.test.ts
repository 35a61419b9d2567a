import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shapeOf } from '../../src/kernel/json.ts';

test('the shape of a value has its members and none of its data', () => {
  const value = { name: 'Ann', orders: [{ total: 7, paid: true }, { total: 8 }], note: null, tags: [] };
  assert.deepEqual(shapeOf(value), {
    name: '<string>',
    orders: [{ total: '<number>', paid: '<boolean>' }],
    note: null,
    tags: [],
  });
});
