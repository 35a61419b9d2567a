import assert from 'node:assert/strict';
import { test } from 'node:test';
import { metadataWith, traceparentIn, traceparentOf } from '../../queues/jobs/trace-context.ts';

const valid = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

test('a trace context is read from what BullMQ and we write, and from nothing else', () => {
  assert.equal(traceparentOf(valid), valid);
  for (const wrong of [
    undefined,
    7,
    '',
    `${valid}\n`,
    valid.toUpperCase(),
    valid.replace('00-', 'ff-'),
    valid.replace(/0af\w+/, '0'.repeat(32)),
    valid.replace(/b7ad\w+/, '0'.repeat(16)),
  ])
    assert.equal(traceparentOf(wrong), undefined, String(wrong));
  assert.equal(traceparentIn(JSON.stringify({ traceparent: valid })), valid);
  assert.equal(traceparentIn(metadataWith('a mark', valid)), valid);
  assert.equal(metadataWith('a mark', undefined), 'a mark');
  for (const wrong of [
    undefined,
    null,
    'a mark',
    '{',
    '{"traceparent":1}',
    `{"traceparent":"${valid}"`,
    '[]',
    '{'.repeat(9_999),
  ])
    assert.equal(traceparentIn(wrong), undefined, String(wrong));
});
