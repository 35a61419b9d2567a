import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { type Agreed, integer, object, refusalsOf, text, warningsOf } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

const cursor = { type: ['string', 'null'] };

const ledger = (description: string): Agreed => ({
  rules: 'A question carries an id, an answer the id of its question. next is the cursor of the page that follows.',
  request: object({ id: text, account: text, cursor }),
  response: object({ id: text, cents: { type: 'array', items: integer }, next: cursor }),
  loose: [{ pointer: '/id', as: 'id' }],
  cases: [
    [
      { id: 'q-1', account: 'AC-4711', cursor: null },
      { id: 'q-1', cents: [-4_500, 3_250], next: null },
    ],
    [
      { id: 'q-2', account: 'AC-0815', cursor: null },
      { id: 'q-2', cents: [1_175], next: null },
    ],
  ],
  task: {
    description,
    inputSchema: object({ account: text }),
    outputSchema: object({ sum: integer }),
    examples: [
      { testCase: 1, input: { account: 'AC-4711' }, output: { sum: -1_250 } },
      { testCase: 2, input: { account: 'AC-0815' }, output: { sum: 1_175 } },
    ],
  },
});

const reader = (pages: number) => `export async function perform({ account }, { send, newId }) {
  let sum = 0, cursor = null;
  for (let page = 0; page < ${pages}; page += 1) {
    const id = newId();
    const answer = await send({ id, account, cursor });
    if (answer.id !== id) throw new Error('another answer');
    for (const one of answer.cents) sum += one;
    cursor = answer.next;
    if (cursor === null) break;
  }
  return { sum };
}`;

test('a requester reads on where its task wants all pages and the peer has more', async () => {
  const all = ledger('Tell the sum of an account over all pages.');
  assert.deepEqual(await refusalsOf(all, reader(9), sandbox), []);
  const why = await warningsOf(all, reader(1), sandbox);
  assert.equal(why.length, 1);
  for (const one of why) assert.match(one, /^paging: .*the peer says that there are more pages/);
});

test('a requester may leave pages alone that its task does not want', async () => {
  for (const task of ['Tell the sum of the first page of all pages.', 'Tell the sum of what the archive answers.'])
    assert.deepEqual(await refusalsOf(ledger(task), reader(1), sandbox), []);
});

test('a last page that came after others is followed by one more, whatever the cursor is called and where pages are counted', async () => {
  const moor = (asking: Record<string, unknown>, items: string[], told: Record<string, unknown>) =>
    [
      { moor: 'MR-31', ...asking },
      { items, ...told },
    ] as Agreed['cases'][number];
  const task = {
    description: 'The birds of a moor.',
    inputSchema: object({ moor: text }),
    outputSchema: object({ birds: { type: 'array', items: text } }),
    examples: [1, 2].map((testCase) => ({
      testCase,
      input: { moor: 'MR-31' },
      output: { birds: ['snipe-104', 'crane-207'] },
    })),
  };
  const items = { type: 'array', items: text };
  const byCursor: Agreed = {
    rules: 'The asker reads all pages: after is what next was.',
    request: object({ moor: text, after: cursor }),
    response: object({ items, next: cursor }),
    cases: [
      moor({ after: null }, ['snipe-104'], { next: 'c-7f1' }),
      moor({ after: 'c-7f1' }, ['crane-207'], { next: null }),
    ],
    task,
  };
  const byNumber: Agreed = {
    rules: 'Der Fragende liest alle Seiten.',
    request: object({ moor: text, seite: integer }),
    response: object({ items, seiten: integer }),
    cases: [moor({ seite: 1 }, ['snipe-104'], { seiten: 2 }), moor({ seite: 2 }, ['crane-207'], { seiten: 2 })],
    task,
  };
  const cursors = (most: number) => `export async function perform({ moor }, { send }) {
  const birds = [];
  let after = null;
  for (let page = 0; page < ${most}; page += 1) {
    const { items, next } = await send({ moor, after });
    birds.push(...items);
    after = next;
    if (after === null) break;
  }
  return { birds };
}`;
  const numbers = (most: string) => `export async function perform({ moor }, { send }) {
  const { items, seiten } = await send({ moor, seite: 1 });
  for (let seite = 2; seite <= ${most}; seite += 1) items.push(...(await send({ moor, seite })).items);
  return { birds: items };
}`;
  assert.deepEqual(await refusalsOf(byCursor, cursors(9), sandbox), []);
  assert.deepEqual(await refusalsOf(byNumber, numbers('seiten'), sandbox), []);
  for (const why of [
    await warningsOf(byCursor, cursors(2), sandbox),
    await warningsOf(byNumber, numbers('Math.min(2, seiten)'), sandbox),
  ])
    assert.match(why.join('\n'), /^paging: case 1: the peer says that there are more pages/m);
});
