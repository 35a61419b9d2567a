import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startRig } from './harness.ts';
import { moduleReply, orderJob, play, questionsFor, recordBehind, soundModule } from './readings-rig.ts';

describe('an operator that wants no handler without its reading', async () => {
  const rig = await startRig();
  after(() => rig.close());
  await rig.worker({ PROTOSMITH_READING: 'required' });

  test('gets none where there is no reading', async () => {
    const mark = 'required-none';
    play(rig, mark, { candidate: () => moduleReply(soundModule), read: () => ({ kind: 'status', status: 401 }) });
    const { verdict, findings, handler } = await rig.outcomeOf(orderJob(mark));
    assert.deepEqual([verdict, handler], ['error', null]);
    assert.deepEqual(
      findings.filter(({ severity }) => severity === 'error').map(({ code }) => code),
      ['PLATFORM_READING_MISSING'],
    );
    assert.equal(questionsFor(rig, mark, 'candidate').length, 1);
  });

  test('gets one where there is', async () => {
    const mark = 'required-whole';
    play(rig, mark, { candidate: () => moduleReply(soundModule) });
    const outcome = await rig.outcomeOf(orderJob(mark));
    assert.equal(outcome.verdict, 'generated', JSON.stringify(outcome.findings));
    assert.deepEqual([outcome.report.reading?.state, outcome.report.reading?.complete], ['complete', true]);
  });
});

describe('an operator that wants no readings', async () => {
  const rig = await startRig();
  after(() => rig.close());
  await rig.worker({ PROTOSMITH_READING: 'off' });

  test('gets a handler, no reader is asked, and the report says so', async () => {
    const mark = 'reading-off';
    play(rig, mark, { candidate: () => moduleReply(soundModule) });
    const outcome = await rig.outcomeOf(orderJob(mark));
    assert.equal(outcome.verdict, 'generated', JSON.stringify(outcome.findings));
    const { reading, checks } = outcome.report;
    assert.deepEqual([reading?.state, reading?.complete, reading?.derived], ['off', false, 0]);
    assert.deepEqual(
      rig.questions(mark).map(({ to }) => to),
      ['candidate'],
    );
    const check = checks.find(({ name }) => name === 'derived-cases');
    assert.deepEqual([check?.result, check?.message], ['skipped', 'readings are off']);
    assert.equal((await recordBehind(rig, outcome)).proof.reading, undefined);
  });
});
