import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { REPAIR_HEADING } from '../../src/prompting/render-repair.ts';
import { startRig } from './harness.ts';
import { faultyModule, moduleReply, orderJob, play, questionsFor, recordBehind, soundModule } from './readings-rig.ts';

const rig = await startRig();
after(() => rig.close());
await Promise.all([
  rig.worker({ PROTOSMITH_READING: 'late', PROTOSMITH_CONCURRENCY: '1' }),
  rig.worker({ PROTOSMITH_READING: 'late', PROTOSMITH_CONCURRENCY: '1' }),
]);

describe('one reading serves all that need it', { concurrency: true }, () => {
  test('two workers with the same job at the same moment: one reads, one writes', async () => {
    const mark = 'shared-job';
    play(rig, mark, { candidate: () => moduleReply(soundModule) });
    const outcomes = await Promise.all(
      [1, 2].map((nth) => rig.outcomeOf(orderJob(mark, { negotiationId: `${mark}-${nth}` }))),
    );
    assert.deepEqual(
      outcomes.map(({ verdict }) => verdict),
      ['generated', 'generated'],
    );
    assert.equal(outcomes[0]?.handler?.digest, outcomes[1]?.handler?.digest);
    assert.deepEqual(
      outcomes.map(({ report }) => report.reading?.complete),
      [true, true],
    );
    assert.equal(questionsFor(rig, mark, 'read').length, 1);
    assert.equal(questionsFor(rig, mark, 'candidate').length, 1);
  });

  test('two workers that write handlers of their own for one agreement: one reads', async () => {
    const mark = 'shared-reading';
    play(rig, mark, { candidate: () => moduleReply(soundModule) });
    const jobs = ['one', 'other'].map((name) =>
      orderJob(mark, {
        negotiationId: `${mark}-${name}`,
        // Handlers are told apart by what their agreement builds on; its reader is not told of it.
        baseProtocols: { 'https://example.org/base': { content: `Base of ${name}.` } },
      }),
    );
    const outcomes = await Promise.all(jobs.map((job) => rig.outcomeOf(job)));
    assert.deepEqual(
      outcomes.map(({ verdict }) => verdict),
      ['generated', 'generated'],
      JSON.stringify(outcomes.map(({ findings }) => findings)),
    );
    assert.equal(questionsFor(rig, mark, 'candidate').length, 2, 'each has its own handler');
    assert.equal(questionsFor(rig, mark, 'read').length, 1);
    const records = await Promise.all(outcomes.map((outcome) => recordBehind(rig, outcome)));
    assert.deepEqual(
      records.map(({ proof }) => proof.reading?.complete),
      [true, true],
    );
    assert.deepEqual(records[0]?.proof.reading, records[1]?.proof.reading);
    assert.equal(outcomes.filter(({ report }) => report.usageByPurpose.read !== undefined).length, 1, 'and one pays');
  });

  test('one after the other: the second job finds the reading, and what a second reader said of it', async () => {
    const mark = 'shared-later';
    // Each job's first candidate breaks the same sentence.
    play(rig, mark, {
      candidate: (_, { prompt }) => moduleReply(prompt.includes(REPAIR_HEADING) ? soundModule : faultyModule),
    });
    const first = await rig.outcomeOf(orderJob(mark));
    assert.equal(first.report.reading?.confirmed, 1);
    const next = await rig.outcomeOf(
      orderJob(mark, {
        negotiationId: `${mark}-2`,
        baseProtocols: { 'https://example.org/base': { content: 'Base.' } },
      }),
    );
    assert.deepEqual([next.verdict, next.report.reused], ['generated', false]);
    assert.deepEqual([next.report.reading?.complete, next.report.reading?.confirmed], [true, 1]);
    assert.deepEqual(Object.keys(next.report.usageByPurpose), ['generate']);
    assert.equal(questionsFor(rig, mark, 'read').length, 1);
    assert.equal(questionsFor(rig, mark, 'confirm').length, 1);
  });
});
