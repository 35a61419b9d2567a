import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Prompt } from '../../src/contract/completion.ts';
import type { Json, JsonObject } from '../../src/kernel/json.ts';
import { lendingJob, startJudging } from './rig.ts';

const bench = await startJudging();
after(() => bench.close());

const data = lendingJob();
/** Lends whatever it is asked for. */
const careless = 'await context.call.lend({ thing: input.thing }); return { id: input.id, code: 200 };';

/** Worlds in which a thing is not free. */
const worlds = (count: number): JsonObject[] =>
  Array.from({ length: count }, (_, index) => ({
    of: [4],
    claim: `thing ${index} is refused`,
    base: 1,
    set: { '/id': `id-${index}` },
    tools: { find: { output: { state: 'lent' } } },
    answer: { '/code': 409 },
  }));

/** Answers every question about the code with one value, and leaves the others unclear. */
const says =
  (value: Json) =>
  ({ turns }: Prompt): JsonObject[] =>
    turns
      .map(({ text }) => text)
      .join('\n')
      .split(/^# World /m)
      .slice(1)
      .flatMap((section, index) =>
        [...section.matchAll(/^place (\d+): (.*)$/gm)].map(([, place, question = '']) => ({
          world: index + 1,
          place: Number(place),
          ...(question.includes('/code') ? { value } : { unclear: true }),
        })),
      );

const worldsIn = ({ turns }: Prompt) => [...(turns[0]?.text.matchAll(/^# World /gm) ?? [])].length;

test('a second reader is asked about eight worlds at once, until it was asked about all that broke', async () => {
  const { asked, confirmed, contested, isWhole } = await bench.judgeConfirmed(careless, data, worlds(20), says(200));
  assert.deepEqual(asked.map(worldsIn), [8, 8, 4]);
  assert.deepEqual([confirmed.length, contested.length, isWhole], [0, 20, true]);
});

test('once a broken case is confirmed, the others wait for the repair', async () => {
  const { asked, confirmed, contested, isWhole } = await bench.judgeConfirmed(careless, data, worlds(20), says(409));
  assert.equal(asked.length, 1);
  assert.deepEqual([confirmed.length, contested.length, isWhole], [8, 12, false]);
});

test('a silent second reader is not asked again and again, and nothing is confirmed', async () => {
  const { asked, confirmed, isWhole } = await bench.judgeConfirmed(careless, data, worlds(20), () => []);
  assert.deepEqual([asked.length, confirmed.length, isWhole], [1, 0, false]);
  const odd = await bench.judgeConfirmed(careless, data, worlds(2), () => [
    { world: 3, place: 1, value: 409 },
    { world: 1, place: 99, value: 409 },
    { world: 'constructor', place: '__proto__', value: 409 },
    { world: 1, place: 2 },
    { place: 2, value: 409 },
  ]);
  assert.deepEqual([odd.confirmed.length, odd.isWhole], [0, false]);
});

test('where the budget is used up, no second reader is asked and nothing is confirmed', async () => {
  const { asked, confirmed, contested } = await bench.judgeConfirmed(careless, data, worlds(200), says(200));
  assert.equal(asked.length, 20, 'all that the job has');
  assert.deepEqual([confirmed.length, contested.length], [0, 200]);
});
