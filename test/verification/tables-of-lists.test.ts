import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { mechanicalTables } from '../../scripts/mechanical-tables.ts';
import { type Agreed, object, refusalsOf, subjectOf, text } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

const time = { type: 'string', pattern: '^([01]\\d|2[0-3]):[0-5]\\d$' };
const span = object({ from: time, to: time });
const spans = (...list: [string, string][]) => list.map(([from, to]) => ({ from, to }));

/** The free times of a day, computed from the taken ones. */
const freeTimes: Agreed = {
  rules: 'The free times of a day, in order, from its busy ones, which come in any order and may overlap.',
  request: object({ id: text, day: span, busy: { type: 'array', items: span } }),
  response: object({ id: text, free: { type: 'array', items: span } }),
  cases: [
    [
      { id: 'd1', day: { from: '08:00', to: '17:00' }, busy: spans(['13:00', '14:30'], ['08:30', '10:00']) },
      { id: 'd1', free: spans(['08:00', '08:30'], ['10:00', '13:00'], ['14:30', '17:00']) },
    ],
    [
      { id: 'd2', day: { from: '09:00', to: '12:00' }, busy: spans(['09:45', '11:00'], ['11:00', '12:00']) },
      { id: 'd2', free: spans(['09:00', '09:45']) },
    ],
    [
      { id: 'd3', day: { from: '10:00', to: '15:00' }, busy: spans(['11:00', '15:00'], ['10:00', '11:00']) },
      { id: 'd3', free: [] },
    ],
  ],
};

const working = `export async function handle({ id, day, busy }) {
  const free = [];
  let at = String(day?.from);
  for (const { from, to } of [...(Array.isArray(busy) ? busy : [])].sort((a, b) => (a?.from < b?.from ? -1 : 1))) {
    if (from > at) free.push({ from: at, to: from });
    if (to > at) at = to;
  }
  if (at < day?.to) free.push({ from: at, to: day.to });
  return { id: String(id), free };
}`;

test('no table of lists passes, whatever it answers to others', async () => {
  assert.deepEqual(await refusalsOf(freeTimes, working, sandbox), []);
  const tables = mechanicalTables(subjectOf(freeTimes));
  assert.ok(tables.length > 2);
  for (const { name, source } of tables) assert.notDeepEqual(await refusalsOf(freeTimes, source, sandbox), [], name);
});
