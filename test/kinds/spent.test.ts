import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { jobIdOf } from '../../queues/index.ts';
import { markedJob, soundReply, startRig, until } from '../system/harness.ts';

const rig = await startRig();
after(() => rig.close());
await rig.worker();

test('the spending of a job is stored in Redis, and counts in the next delivery', async () => {
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

test('after a worker handed a job back, the report has the usage of all deliveries', async (t) => {
  const other = await startRig();
  t.after(() => other.close());
  const prices = { PROTOSMITH_PRICE_INPUT: '1', PROTOSMITH_PRICE_OUTPUT: '1000' };
  const first = await other.worker({ ...prices, PROTOSMITH_DRAIN_MS: '0' });
  let stuck = true;
  const wrong = '```ts\nexport const handle = () => 1;\n```';
  for (const mark of ['spent-twice', 'spent-in-vain'])
    other.answer(mark, (nth) =>
      nth === 1 ? { kind: 'reply', text: wrong } : stuck ? { kind: 'stall' } : { kind: 'reply', text: soundReply },
    );
  const patient = { timeoutMs: 300_000 };
  const twice = await other.submit(markedJob('spent-twice', patient));
  const inVain = await other.submit(markedJob('spent-in-vain', patient));
  await until(
    () => ['spent-twice', 'spent-in-vain'].every((mark) => other.questions(mark).length > 1),
    'both to be asked again',
  );
  first.signal('SIGTERM');
  await first.ended;
  await other.connection.set(other.keys.cancel(inVain), '1');
  stuck = false;
  await other.worker(prices);

  const { verdict, report } = await other.outcome(twice);
  assert.equal(verdict, 'generated');
  const { inputTokens, outputTokens, costUsd } = report.usage;
  const spent = await other.connection.hgetall(other.keys.spent(twice));
  assert.equal(inputTokens + outputTokens, Number(spent.tokens));
  assert.ok(outputTokens > report.attempts.reduce((sum, { usage }) => sum + usage.outputTokens, 0));
  assert.ok(Math.abs((costUsd ?? 0) - (inputTokens + 1_000 * outputTokens) / 1e6) < 1e-9, `${costUsd} US dollars`);

  const cancelled = await other.outcome(inVain);
  assert.equal(cancelled.findings[0]?.code, 'JOB_CANCELLED');
  assert.ok(cancelled.report.usage.outputTokens > 0);
  assert.ok((cancelled.report.usage.costUsd ?? 0) > 0);
});
