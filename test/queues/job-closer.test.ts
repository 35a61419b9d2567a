import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jobData, queueUnderTest, until } from './queue-under-test.ts';

test('a job whose end its owner cannot tell of ends all the same, and what failed is said', async (t) => {
  const { producer, consume, outcome, events } = await queueUnderTest(t);
  await consume({
    process: () => Promise.reject(Object.assign(new Error('it is wrong'), { code: 'OPERATOR_X' })),
    giveUp: () => {
      throw new TypeError('no words');
    },
  });
  await producer.submit('generate', jobData(), { jobId: 'mute' });
  const found = await outcome('mute');
  assert.deepEqual([found.verdict, found.messages], ['error', [{ action: 'codeGeneration', status: 'error' }]]);
  assert.match(JSON.stringify(found.findings), /OPERATOR_X.*it is wrong/);
  const said = events.filter(({ event }) => event === 'given-up');
  assert.deepEqual(
    said.map(({ jobId, code, message }) => [jobId, code, message]),
    [
      ['mute', 'OPERATOR_X', 'it is wrong'],
      ['mute', 'DEFECT_GIVE_UP', 'no words'],
    ],
  );
});

test('a job that is cancelled is told of as that, and one that is not as given up', async (t) => {
  const { producer, consume, outcome, events } = await queueUnderTest(t);
  await consume({
    process: ({ jobId }, signal) =>
      jobId === 'wrong'
        ? Promise.reject(Object.assign(new Error('it is wrong'), { code: 'JOB_X' }))
        : new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  });
  await producer.submit('generate', jobData(), { jobId: 'stopped' });
  await until(() => events.some(({ event }) => event === 'taken'));
  await producer.cancel('stopped');
  await producer.submit('generate', jobData(), { jobId: 'wrong' });
  await Promise.all(['stopped', 'wrong'].map((jobId) => outcome(jobId)));
  const ends = events.filter(({ event }) => ['cancelled', 'given-up'].includes(event));
  assert.deepEqual(ends.map(({ event, jobId }) => `${jobId} ${event}`).sort(), ['stopped cancelled', 'wrong given-up']);
});
