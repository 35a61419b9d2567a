import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeReading } from '../../src/operator/documents/describe-reading.ts';

const report = { state: 'complete', units: 32, covered: 31, derived: 29, confirmed: 1, contested: 0 } as const;

test('a reading is told on one line: how much was read, what came of it, and what is missing', () => {
  assert.equal(describeReading(report), '31 of 32 sentences, 29 cases, 1 confirmed, 0 contested');
  assert.equal(
    describeReading({ ...report, state: 'partial', derived: 1, fault: 'the model fell silent' }),
    '31 of 32 sentences, 1 case, 1 confirmed, 0 contested; not all of it was run (the model fell silent)',
  );
  assert.equal(describeReading({ ...report, state: 'failed', fault: 'no model answers' }), 'none (no model answers)');
  assert.equal(describeReading({ ...report, state: 'failed' }), 'none (the answer was empty)');
  assert.equal(describeReading({ ...report, state: 'off' }), 'off');
});
