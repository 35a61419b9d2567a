import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { type Agreed, integer, object, refusalsOf, text } from './agreed.ts';

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
  const why = await refusalsOf(all, reader(1), sandbox);
  assert.equal(why.length, 2);
  for (const one of why) assert.match(one, /^paging: .*the peer says that there are more pages/);
});

test('a requester may leave pages alone that its task does not want', async () => {
  for (const task of ['Tell the sum of the first page of all pages.', 'Tell the sum of what the archive answers.'])
    assert.deepEqual(await refusalsOf(ledger(task), reader(1), sandbox), []);
});
