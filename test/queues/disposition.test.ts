import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backoffMs, dispositionOf } from '../../queues/index.ts';
import { codeOfThrown } from '../../queues/running/disposition.ts';

test('only what the platform failed at is tried again', () => {
  for (const code of ['PLATFORM_MODEL_DOWN', 'OPERATOR_REDIS_LOGIN', 'OPERATOR_MODEL_AUTH'])
    assert.equal(dispositionOf(code), 'retry');
  for (const code of ['JOB_INVALID', 'DOCUMENT_X', 'CANDIDATE_X', 'OPERATOR_X', 'DEFECT_X', undefined]) {
    assert.equal(dispositionOf(code), 'bury');
  }
});

test('the pause doubles up to 5 s, half of it by chance, unless the other side said how long', () => {
  assert.deepEqual(
    [0, 1, 2, 3, 6, 60, 6_000].map((delivery) => backoffMs(delivery, undefined, 1)),
    [250, 250, 500, 1_000, 5_000, 5_000, 5_000],
  );
  assert.deepEqual(
    [1, 6].map((delivery) => backoffMs(delivery, undefined, 0)),
    [125, 2_500],
  );
  assert.equal(backoffMs(1, 30_000), 30_000);
  assert.equal(backoffMs(9, 0), 0);
  assert.equal(backoffMs(1, -30_000), 0, 'a moment that has passed');
});

test('whatever is thrown without a code of ours is a defect', () => {
  for (const code of ['JOB_X', 'DOCUMENT_X', 'CANDIDATE_X', 'PLATFORM_X_2', 'OPERATOR_X', 'DEFECT_X'])
    assert.equal(codeOfThrown(Object.assign(new Error('x'), { code })), code);
  for (const code of ['ECONNREFUSED', 'PLATFORM_', 'PLATFORM_x', 'NO_PLATFORM_X', 'PLATFORM_X!', 7, undefined])
    assert.equal(codeOfThrown({ code }), 'DEFECT_UNCODED', String(code));
  for (const thrown of [undefined, null, 'PLATFORM_X', new TypeError('x')])
    assert.equal(codeOfThrown(thrown), 'DEFECT_UNCODED');
});
