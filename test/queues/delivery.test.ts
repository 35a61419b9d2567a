import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '../../queues/index.ts';
import { deliveryOf, parseData, type StoredJob } from '../../queues/jobs/delivery.ts';
import type { Beginning, Outcomes } from '../../queues/jobs/outcomes.ts';
import { jobReader } from '../../src/pipeline/job-reader.ts';

const hourMs = 3_600_000;
const outcomes = {} as Outcomes;

/** What is known when processing starts, with Redis' clock an hour ahead. */
function beginning(more: Partial<Beginning> = {}): Beginning {
  const nowMs = Date.now() + hourMs;
  return { nowMs, outcome: null, cancelled: false, takenAtMs: nowMs - 5_000, dueMs: null, announced: [], ...more };
}

function storedJob(data: unknown, more: Partial<StoredJob> = {}): StoredJob {
  return { jobId: 'j', kind: 'generate', text: JSON.stringify(data), data, deliveries: 1, deaths: 0, ...more };
}

test('the moments of a delivery are those of the local clock, however far off that of Redis is', () => {
  const before = Date.now();
  const { takenAtMs, deadlineAtMs } = deliveryOf(storedJob({ timeoutMs: 20_000 }), beginning(), outcomes, jobReader);
  const after = Date.now();
  assert.ok(takenAtMs >= before - 5_000 && takenAtMs <= after - 5_000, `${takenAtMs - before}`);
  assert.equal(deadlineAtMs - takenAtMs, 20_000);
});

test('the first delivery has the number 1, even of a job that nobody was handed', () => {
  const numbers = [0, 1, 2].map(
    (deliveries) => deliveryOf(storedJob({}, { deliveries }), beginning(), outcomes, jobReader).delivery,
  );
  assert.deepEqual(numbers, [1, 1, 2]);
});

test('the size of a job is that of its text in bytes', () => {
  assert.equal(deliveryOf(storedJob('ä€'), beginning(), outcomes, jobReader).rawBytes, 7);
});

test('nothing is published for a job that is not worked on', async () => {
  const { publishNow } = deliveryOf(storedJob({}), beginning(), outcomes, jobReader);
  await assert.rejects(publishNow({} as never), { code: 'DEFECT_NOT_RUNNING' });
});

test('a text that is too large to be looked into, or no JSON, stays a text', () => {
  const large = `"${'x'.repeat(limits.parsedBytes.value)}"`;
  assert.equal(parseData(large), large);
  assert.equal(parseData('{"a":'), '{"a":');
  assert.deepEqual(parseData('{"a":1}'), { a: 1 });
});
