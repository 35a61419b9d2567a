import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { REPAIR_HEADING } from '../../src/prompting/render-repair.ts';
import { startRig } from './harness.ts';
import {
  discountReading,
  discountSentence,
  faultyModule,
  faultyThenSound,
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
const worker = await rig.worker({ PROTOSMITH_READING: 'late', PROTOSMITH_PORT: '0' });

/** The readings and confirmations that the worker has counted, by result. */
async function counted(): Promise<string[]> {
  const { port } = await worker.logged(({ msg }) => msg === 'listening');
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return [...text.matchAll(/^protosmith_(readings|confirmations)_total\{result="(\w+)"\} ([1-9]\d*)$/gm)].map(
    ([, what, result, count]) => `${what} ${result} ${count}`,
  );
}

test('a candidate that breaks a sentence no case shows is found out, borne out by a second reader, and repaired', async () => {
  const mark = 'reading-in-time';
  play(rig, mark, {
    candidate: faultyThenSound,
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
  assert.deepEqual(await counted(), ['readings complete 1', 'confirmations confirmed 1']);
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
        { waitMs: 15_000 },
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
  const record = await recordBehind(rig, outcome);
  assert.equal(record.proof.reading?.complete, true);
  assert.equal(record.timeoutMs, 15_000, 'the wait that the reader names is kept with the handler');
  assert.ok((await counted()).includes('confirmations contested 1'));
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

test('where no cases were negotiated, derived ones judge, and the report says so', async () => {
  const mark = 'reading-alone';
  const input = { messageId: 'm-9', article: 'nail', pieces: 200 };
  play(rig, mark, {
    candidate: faultyThenSound,
    read: (_, question) => {
      const [first, ...others] = discountReading(question);
      return { kind: 'reply', text: lines([{ ...first, base: 0, set: { '': input } }, ...others]) };
    },
  });
  const { testCases: _, ...data } = orderJob(mark);
  const outcome = await rig.outcomeOf(data);
  assert.equal(outcome.verdict, 'generated', JSON.stringify(outcome.findings));
  const { verification, reading, cases, checks } = outcome.report;
  assert.deepEqual([verification, cases, reading?.complete, reading?.confirmed], ['derived', [], true, 1]);
  assert.equal(checks.find(({ name }) => name === 'derived-cases')?.result, 'passed');
  const again = await rig.outcomeOf({ ...data, negotiationId: `${mark}-2` });
  assert.deepEqual([again.verdict, again.report.reused, again.report.verification], ['generated', true, 'derived']);
});

test('questions to readers count into the budgets of a job', async () => {
  const mark = 'reading-budget-1';
  const faulty = () => moduleReply(faultyModule);
  // How much a reading and one module take; nothing is held against that, so that no more is asked for.
  play(rig, mark, { candidate: faulty, confirm: () => ({ kind: 'reply', text: 'I cannot say.' }) });
  const { usageByPurpose } = (await rig.outcomeOf(orderJob(mark))).report;
  const tokens = [usageByPurpose.read, usageByPurpose.generate].reduce(
    (sum, usage) => sum + (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0),
    0,
  );
  assert.ok((usageByPurpose.confirm?.inputTokens ?? 0) > 0);

  const budgets = { PROTOSMITH_MAX_COMPLETIONS: '2', PROTOSMITH_MAX_TOKENS: `${tokens + 1}` };
  for (const [name, value] of Object.entries(budgets)) {
    const other = await startRig();
    after(() => other.close());
    await other.worker({ PROTOSMITH_READING: 'late', [name]: value });
    // As long as the other, to the letter.
    const same = 'reading-budget-2';
    play(other, same, { candidate: faulty });
    const { report, verdict } = await other.outcomeOf(orderJob(same));
    const asked = other.questions(same).map(({ to }) => to);
    assert.deepEqual(asked.sort(), ['candidate', 'read'], `${name}: nothing is left for a second reader`);
    assert.equal(verdict, 'generated', 'what nobody bore out is not held against the candidate');
    assert.deepEqual([report.reading?.confirmed, report.reading?.complete], [0, false]);
  }
});
