import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { markedJob, soundReply, startRig } from '../system/harness.ts';

const key = 'sk-secret-0123456789abcdef';
const rig = await startRig();
after(() => rig.close());
const worker = await rig.worker({ OPENAI_API_KEY: key, PROTOSMITH_MAX_OUTPUT_TOKENS: '7777' });

test('the longest answer of a model is the operator’s to set', async () => {
  rig.answer('worker-length', () => ({ kind: 'reply', text: soundReply }));
  await rig.outcomeOf(markedJob('worker-length'));
  const [{ body } = assert.fail()] = rig.questions('worker-length');
  assert.deepEqual([body.max_tokens ?? body.max_completion_tokens], [7_777]);
});

test('why a model server gave no answer stands in the log, as a warning and without the key', async () => {
  rig.answer('worker-refused', () => ({
    kind: 'status',
    status: 401,
    body: { error: { message: `Incorrect API key provided: ${key}`, code: 'invalid_api_key' } },
  }));
  await rig.outcomeOf(markedJob('worker-refused'));
  const line = await worker.logged(({ msg, result }) => msg === 'attempted' && result === 'no-answer');
  assert.deepEqual([line.level, line.code], ['warn', 'OPERATOR_MODEL_AUTH']);
  assert.match(String(line.message), /status 401 .*wanted a key that is accepted \(OPENAI_API_KEY\)/);
  assert.ok(!worker.output().includes(key));
});

test('what is wrong with a candidate stays out of it', async () => {
  const wrong = soundReply.replace("'Success'", "'Sucsess'");
  rig.answer('worker-wrong', (nth) => ({ kind: 'reply', text: nth === 1 ? wrong : soundReply }));
  await rig.outcomeOf(markedJob('worker-wrong'));
  const line = await worker.logged(({ msg, result }) => msg === 'attempted' && result === 'failed-cases');
  assert.deepEqual([line.level, line.code, line.message], ['info', undefined, undefined]);
});
