import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import type { Json } from '../../src/kernel/json.ts';
import { type Agreed, acting, object, reading, refusalsOf, text } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

const states = ['draft', 'submitted', 'approved', 'archived'];
const state: Json = { enum: states };

/** Papers whose state a tool keeps; one that says its states itself, or whose answers alone do. */
const papers = (more = '', told: Json = state, saved: Json = { saved: true }): Agreed => ({
  rules: `- draft + submit -> submitted
- submitted + approve -> approved
- approved + archive -> archived

Any other event changes nothing: the state stays as it is and nothing is saved. ${more}`,
  request: object({ paper: text, event: { enum: ['submit', 'approve', 'archive'] } }),
  response: object({ paper: text, state: { enum: [...states, null] } }),
  cases: [
    [
      { paper: 'P-1001', event: 'submit' },
      { paper: 'P-1001', state: 'submitted' },
    ],
    [
      { paper: 'P-1002', event: 'approve' },
      { paper: 'P-1002', state: 'approved' },
    ],
    [
      { paper: 'P-1001', event: 'archive' },
      { paper: 'P-1001', state: 'draft' },
    ],
  ],
  tools: [
    reading('paperState', object({ paper: text }), object({ state: told }), [
      [{ paper: 'P-1001' }, { state: 'draft' }],
      [{ paper: 'P-1002' }, { state: 'submitted' }],
    ]),
    acting('saveState', object({ paper: text, state: text }), object({}), [], saved),
  ],
});
const handler = (rows: string, after = 'next') => `const moves = { draft: { submit: 'submitted' }, ${rows} };
export async function handle(request, { call }) {
  const paper = String(request.paper);
  const { state } = await call.paperState({ paper });
  const next = moves[state]?.[request.event];
  if (next === undefined) return { paper, state };
  const saved = await call.saveState({ paper, state: next });
  return { paper, state: ${after} };
}`;
const all = "submitted: { approve: 'approved' }, approved: { archive: 'archived' }";

for (const told of [state, text])
  test(`each transition is asked for of a tool that keeps the state, as ${JSON.stringify(told)}`, async () => {
    assert.deepEqual(await refusalsOf(papers('', told), handler(all), sandbox), []);
    assert.match(
      (await refusalsOf(papers('', told), handler("submitted: { approve: 'approved' }"), sandbox)).join('\n'),
      /^transitions: archive takes approved to archived/m,
    );
  });

test('an event that is not listed leaves the state that a tool keeps as it is', async () => {
  const more = "submitted: { approve: 'approved', submit: 'draft' }, approved: { archive: 'archived' }";
  assert.match(
    (await refusalsOf(papers(), handler(more), sandbox)).join('\n'),
    /^transitions: submit leaves submitted as it is/m,
  );
});

test('transitions of a kept state are left alone where more than state and event decides, or the act tells the state', async () => {
  const some = handler("submitted: { approve: 'approved' }");
  assert.deepEqual(await refusalsOf(papers('Until it is a year old, a paper is not archived.'), some, sandbox), []);
  const moving = papers('', state, { state: 'submitted' });
  const told = { ...moving, cases: [moving.cases[0], moving.cases[2]] as Agreed['cases'] };
  assert.deepEqual(await refusalsOf(told, handler(all, 'saved.state'), sandbox), []);
});
