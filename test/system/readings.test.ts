import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { REPAIR_HEADING } from '../../src/prompting/render-repair.ts';
import { startRig } from './harness.ts';
import {
  discountReading,
  discountSentence,
  faultyModule,
  lines,
  moduleReply,
  orderJob,
  placesAsked,
  play,
  questionsFor,
  recordBehind,
  soundModule,
} from './readings-rig.ts';

const rig = await startRig();
after(() => rig.close());
await rig.worker();

test('a candidate that breaks a sentence no case shows is found out, borne out by a second reader, and repaired', async () => {
  const mark = 'reading-in-time';
  play(rig, mark, {
    candidate: (nth, { prompt }) =>
      nth === 1
        ? moduleReply(faultyModule)
        : prompt.includes(REPAIR_HEADING)
          ? moduleReply(soundModule)
          : { kind: 'stall' },
  });
  const outcome = await rig.outcomeOf(orderJob(mark));
  assert.equal(outcome.verdict, 'generated', JSON.stringify(outcome.findings));
  const { report } = outcome;
  assert.deepEqual(
    report.attempts
      .filter(({ result }) => result !== 'aborted')
      .map(({ purpose, result }) => [purpose, result])
      .sort(),
    [
      ['confirm', 'confirmed'],
      ['generate', 'failed-checks'],
      ['generate', 'verified'],
      ['read', 'read'],
    ],
  );
  const { reading } = report;
  assert.ok(reading);
  const { state, complete, reader, units, covered, derived, dropped, confirmed, contested, questions, fault } = reading;
  assert.deepEqual(
    { state, complete, reader, derived, dropped, confirmed, contested, questions, fault },
    {
      state: 'complete',
      complete: true,
      reader: 'scripted',
      derived: 1,
      dropped: {},
      confirmed: 1,
      contested: 0,
      questions: [],
      fault: undefined,
    },
  );
  assert.ok(units > 5);
  assert.equal(covered, units, 'the reader spoke of all of them');
  assert.deepEqual(Object.keys(report.usageByPurpose).sort(), ['confirm', 'generate', 'read']);
  for (const usage of Object.values(report.usageByPurpose)) assert.ok(usage.inputTokens > 0 && usage.outputTokens > 0);

  const [repair] = questionsFor(rig, mark, 'candidate').filter(({ prompt }) => prompt.includes(REPAIR_HEADING));
  const facts = repair?.prompt.split(REPAIR_HEADING).at(-1) ?? '';
  assert.ok(facts.includes(discountSentence), facts);
  const [second] = questionsFor(rig, mark, 'confirm');
  assert.ok(second);
  const told = second.prompt;
  assert.ok(!told.includes('2160') && !told.includes('2400'), 'neither what is expected nor what came out');
  assert.ok(!told.includes('a tenth less from 100 pieces on'), 'nor what the first reader says');
  assert.ok(!told.includes('context.call'), 'nor any code');

  const { proof, provenance } = await recordBehind(rig, outcome);
  assert.equal(proof.reading?.complete, true);
  const [entry] = proof.reading.reading.derived;
  assert.deepEqual([entry?.quote, entry?.confirmation?.by], [discountSentence, 'scripted']);
  assert.deepEqual(entry?.confirmation?.answers['answer /total'], { value: 2160 });
  const derivedCheck = provenance.checks.find(({ name }) => name === 'derived-cases');
  assert.deepEqual([derivedCheck?.result, derivedCheck?.runs], ['passed', 1]);
});

test('a derived case that the second reader denies refuses nobody, and stands in the report as a warning', async () => {
  const mark = 'reading-contested';
  play(rig, mark, {
    candidate: () => moduleReply(soundModule),
    read: (_, question) => ({
      kind: 'reply',
      text: lines([
        { ...discountReading(question)[0], answer: { '/total': 2400 } },
        ...discountReading(question).slice(1),
      ]),
    }),
  });
  const outcome = await rig.outcomeOf(orderJob(mark));
  assert.equal(outcome.verdict, 'generated');
  const { reading, checks, attempts } = outcome.report;
  assert.equal(attempts.filter(({ purpose }) => purpose === 'generate').length, 1);
  assert.deepEqual([reading?.confirmed, reading?.contested, reading?.complete], [0, 1, true]);
  const check = checks.find(({ name }) => name === 'derived-cases');
  assert.equal(check?.result, 'warned');
  assert.match(check?.message ?? '', /2160/);
  assert.equal((await recordBehind(rig, outcome)).proof.reading?.complete, true);
});

test('of a second reader that says nothing nothing is held against a candidate, and the report says that not all was judged', async () => {
  const mark = 'reading-silent-second';
  play(rig, mark, {
    candidate: () => moduleReply(faultyModule),
    confirm: (_, question) => ({
      kind: 'reply',
      text: lines(placesAsked(question).map(({ world, place }) => ({ world, place, unclear: true }))),
    }),
  });
  const outcome = await rig.outcomeOf(orderJob(mark));
  assert.equal(outcome.verdict, 'generated');
  const { reading } = outcome.report;
  assert.deepEqual([reading?.confirmed, reading?.contested, reading?.complete], [0, 1, true]);
});

test('questions to readers count into the budget of a job', async () => {
  const other = await startRig();
  after(() => other.close());
  await other.worker({ PROTOSMITH_MAX_COMPLETIONS: '2' });
  const mark = 'reading-budget';
  // The reader and the first candidate are asked at the same moment; nothing is left for anybody else.
  play(other, mark, { candidate: () => moduleReply(faultyModule) });
  const { report, verdict } = await other.outcomeOf(orderJob(mark));
  assert.deepEqual(
    other
      .questions(mark)
      .map(({ to }) => to)
      .sort(),
    ['candidate', 'read'],
  );
  assert.equal(verdict, 'generated', 'what nobody bore out is not held against the candidate');
  assert.deepEqual([report.reading?.confirmed, report.reading?.complete], [0, false]);
});
