import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { mechanicalTables } from '../../scripts/mechanical-tables.ts';
import { type Agreed, acting, object, reading, refusalsOf, subjectOf, text } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

const time = { type: 'string', pattern: '^([01]\\d|2[0-3]):[0-5]\\d$' };
const span = object({ from: time, to: time });
const spans = (...list: [string, string][]) => list.map(([from, to]) => ({ from, to }));

/** The times of a day that are free, worked out from those that are not. */
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

test('who names no tool is refused where several have examples for a case', async () => {
  const lists: Agreed = {
    rules:
      'x-flow:\n  - findContact\n  - savePending\n\nresponses:\n  202: the message is fine\n  503: findContact or savePending failed',
    request: object({ id: text, email: text }),
    response: object({ id: text, code: { enum: [202, 503] } }),
    cases: ['ada@example.org', 'ben@example.org', 'cyd@example.org'].map((email, at) => [
      { id: `n-${at}`, email },
      { id: `n-${at}`, code: 202 },
    ]),
    tools: [
      reading(
        'findContact',
        object({ email: text }),
        { type: 'boolean' },
        [[{ email: 'ada@example.org' }, true]],
        false,
      ),
      acting('savePending', object({ email: text }), { type: 'boolean' }, [[{ email: 'ada@example.org' }, true]], true),
    ],
  };
  const none = 'export function handle({ id }) { return { id: String(id), code: 202 }; }';
  assert.match((await refusalsOf(lists, none, sandbox)).join('\n'), /^tables: .*findContact and savePending/m);
  const other = { ...lists, tools: (lists.tools ?? []).map((tool) => ({ ...(tool as object), examples: [] })) };
  assert.doesNotMatch((await refusalsOf(other, none, sandbox)).join('\n'), /^tables: .*examples of/m);
});
