import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backoffMs, dispositionOf } from '../../queues/index.ts';

test('only what the platform failed at is tried again', () => {
  assert.equal(dispositionOf('PLATFORM_MODEL_DOWN'), 'retry');
  for (const code of ['JOB_INVALID', 'DOCUMENT_X', 'CANDIDATE_X', 'OPERATOR_X', 'DEFECT_X', undefined]) {
    assert.equal(dispositionOf(code), 'bury');
  }
});

test('the pause doubles up to 5 s, half of it by chance, unless the other side said how long', () => {
  assert.deepEqual(
    [1, 2, 3, 6, 60].map((delivery) => backoffMs(delivery, undefined, 1)),
    [250, 500, 1_000, 5_000, 5_000],
  );
  assert.deepEqual(
    [1, 6].map((delivery) => backoffMs(delivery, undefined, 0)),
    [125, 2_500],
  );
  assert.equal(backoffMs(1, 30_000), 30_000);
  assert.equal(backoffMs(9, 0), 0);
});
