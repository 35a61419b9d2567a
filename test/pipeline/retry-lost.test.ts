import assert from 'node:assert/strict';
import { test } from 'node:test';
import { retryLost } from '../../src/job/retry-lost.ts';
import { CodedError } from '../../src/kernel/errors.ts';

const never = new AbortController().signal;
const lost = new CodedError('PLATFORM_SANDBOX_LOST', 'Cannot run handler: lost');

/** How often work runs that fails this often, and its result. */
async function tried(failures: number, fault: Error, signal = never): Promise<[times: number, end: unknown]> {
  let times = 0;
  const end = await retryLost(async () => {
    times += 1;
    if (times <= failures) throw fault;
    return 'done';
  }, signal).catch((error: unknown) => error);
  return [times, end];
}

test('work whose cell was lost is retried, three times at most', async () => {
  assert.deepEqual(await tried(2, lost), [3, 'done']);
  assert.deepEqual(await tried(10, lost), [4, lost]);
});

test('work that failed otherwise, or was aborted, is not retried', async () => {
  const other = new CodedError('PLATFORM_REDIS_UNREACHABLE', 'Cannot reach Redis');
  assert.deepEqual(await tried(1, other), [1, other]);
  const plain = new TypeError('oops');
  assert.deepEqual(await tried(1, plain), [1, plain]);
  assert.deepEqual(await tried(1, lost, AbortSignal.abort(new Error('called off'))), [1, lost]);
});
