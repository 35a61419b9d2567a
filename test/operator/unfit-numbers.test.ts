import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unfitness } from '../../src/operator/shell/read-input.ts';

test('JSON from a person or a program may not have numbers that a double writes otherwise', () => {
  assert.match(
    unfitness('{"a":[1,9007199254740993]}') ?? '',
    /number 9007199254740993, which is read as 9007199254740992/,
  );
  assert.match(unfitness('{"a":1e400}') ?? '', /beyond the range/);
  assert.match(unfitness('-1e-400') ?? '', /read as 0|read as -0/);
  for (const fit of [
    '9007199254740992',
    '{"a":"9007199254740993"}',
    '[0.1000000000000000055, 1e23, 5e-324]',
    '{"a":1e400',
  ])
    assert.equal(unfitness(fit), undefined);
});
