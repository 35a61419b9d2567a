import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Behaviour } from '../../src/scripted-model/server.ts';
import {
  type Asked,
  codes,
  module,
  type Played,
  productJob,
  silence,
  soundBut,
  soundSource,
  startGeneration,
  withCaseText,
} from './rig.ts';
import { startWorkbench } from './workbench.ts';

const { play } = await startGeneration();
const bench = await startWorkbench();
after(() => bench.close());

const sound = module(soundSource);
const wrong = soundBut("status: { code: 404, message: 'Not Found' }", "status: { code: 200, message: 'OK' }");
const isTold = ({ prompt }: Asked) => prompt.includes('# What became of earlier answers');

/** Keeps the second lane silent, so that one lane can be observed. */
const alone = (answer: (asked: Asked) => Behaviour) => (asked: Asked) =>
  asked.nth > 1 && asked.purpose === 'fresh' && !isTold(asked) ? silence : answer(asked);

function bundled({ events }: Played): number {
  return events.filter((event) => event.type === 'stage' && event.stage === 'bundle').length;
}

test('a repeated module is not run again, and the next prompt says what was wrong with it', async () => {
  const answer = alone((asked) => (isTold(asked) ? sound : wrong));
  const played = await play(productJob(), answer, { repeats: true });
  assert.ok(played.tested);
  assert.equal(bundled(played), 2, 'the wrong one and the sound one');
  const again = played.report.attempts.find(({ message }) => message?.includes('the same module again'));
  assert.deepEqual([again?.result, again?.code], ['failed-cases', 'CANDIDATE_CASES_FAILED']);
  const told = played.asked.find(isTold)?.prompt ?? '';
  assert.ok(told.includes('written again unchanged') && told.includes('Test case 2 failed'));
  assert.ok(!told.includes('context.call.lookupProduct({'), 'without its code');
});

test('a model that always gives the same answer gets each question once, except the first of each lane', async () => {
  const played = await play(productJob(), () => wrong, { repeats: true });
  assert.equal(played.conclusion?.verdict, 'error');
  assert.equal(bundled(played), 1);
  const distinct = new Set(played.asked.map(({ prompt }) => prompt)).size;
  assert.deepEqual([distinct, played.asked.length], [5, 6]);
});

/** The product job, with a case that a sound module fails. */
const contested = withCaseText(productJob(), (text) =>
  text.replace('"code": 404', '"code": 410').replaceAll('404', '410'),
);

test('a repeated module is not another independent candidate against a case', async () => {
  const played = await play(contested, () => sound, { repeats: true });
  assert.deepEqual(codes(played), ['CANDIDATE_CASES_FAILED']);
  assert.ok(played.asked.every(({ purpose }) => purpose !== 'judge'));
});

test('a candidate whose prompt mentioned earlier answers is not independent', async () => {
  const rain: Behaviour = { kind: 'reply', text: 'It rains.' };
  const played = await play(contested, (asked) => (asked.nth <= 2 && !isTold(asked) ? rain : sound));
  assert.deepEqual(codes(played), ['CANDIDATE_CASES_FAILED']);
  assert.ok(played.asked.filter(isTold).length > 1);
  assert.ok(played.asked.every(({ purpose }) => purpose !== 'judge'));
});

test('a module whose trial ended with a platform error is tried again', async () => {
  const work = await bench.workOn(productJob());
  const lost = Promise.reject(new Error('the sandbox was lost'));
  lost.catch(() => undefined);
  work.modules.set(`${soundSource.trim()}\n`, lost);
  assert.equal((await bench.examine(soundSource, work)).kind, 'verified');
});

for (const [what, useless, told] of [
  ['that was no module', { kind: 'reply', text: 'It rains.' }, /no fenced block\. Wanted: one fenced ts block/],
  ['that was cut off', { ...sound, finishReason: 'length', text: sound.text.slice(0, -20) }, /give a shorter module/],
  ['that was withheld', { kind: 'reply', text: 'I', finishReason: 'content_filter' }, /was withheld/],
] satisfies [string, Behaviour, RegExp][])
  test(`after an answer ${what}, the next prompt says so`, async () => {
    const played = await play(
      productJob(),
      alone((asked) => (isTold(asked) ? sound : useless)),
    );
    assert.ok(played.tested);
    assert.match(played.asked.find(isTold)?.prompt ?? '', told);
  });

test('after a failed repair, the next repair prompt says what became of it', async () => {
  const lossy = soundBut("'OK'", "'Okay'");
  for (const [useless, told] of [
    [lossy, 'Test case 1 failed'],
    [{ kind: 'reply', text: 'It rains.' }, 'no fenced block'],
  ] satisfies [Behaviour, string][]) {
    const played = await play(
      productJob(),
      alone((asked) => (asked.nth === 1 ? wrong : isTold(asked) ? sound : useless)),
    );
    assert.ok(played.tested);
    const last = played.asked.find(isTold);
    assert.equal(last?.purpose, 'repair');
    assert.ok(last?.prompt.includes('Test case 2 failed') && last.prompt.includes(told), told);
  }
});

test('when two lanes write the same sound module at once, one wins and the other is aborted', async () => {
  const played = await play(productJob(), ({ nth }) => (nth === 1 ? wrong : sound), { repeats: true });
  assert.ok(played.tested);
  assert.deepEqual(played.report.attempts.map(({ result }) => result).sort(), ['aborted', 'failed-cases', 'verified']);
});
