import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { jobIdOf } from '../../queues/index.ts';
import { markedJob, soundReply, startRig } from '../system/harness.ts';

const rig = await startRig();
after(() => rig.close());
await rig.worker();

test('what a job spends stands in Redis, and counts when it is delivered again', async () => {
  rig.answer('spent-first', () => ({ kind: 'reply', text: soundReply }));
  const outcome = await rig.outcomeOf(markedJob('spent-first', { tenant: 'spent-first' }));
  const spent = await rig.connection.hgetall(rig.keys.spent(outcome.jobId));
  assert.equal(spent.completions, '1');
  assert.equal(spent.candidates, '1');
  const { inputTokens, outputTokens } = outcome.report.usage;
  assert.equal(Number(spent.tokens), inputTokens + outputTokens);
  assert.ok((await rig.connection.ttl(rig.keys.spent(outcome.jobId))) > 0);

  const job = markedJob('spent-again', { tenant: 'spent-again', negotiationId: 'spent-again' });
  await rig.connection.hset(rig.keys.spent(jobIdOf(job)), 'completions', 1_000);
  const again = await rig.outcomeOf(job);
  assert.deepEqual([again.verdict, again.findings[0]?.code], ['error', 'CANDIDATE_BUDGET']);
  assert.equal(rig.questions('spent-again').length, 0);
});
