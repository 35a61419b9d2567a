import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { JsonObject } from '../../src/kernel/json.ts';
import { borrowingJob, derived, foundBy, startJudging } from './rig.ts';

const bench = await startJudging();
after(() => bench.close());

/** The breaches of a requester, in short. */
async function borrowing(body: string, ...entries: JsonObject[]): Promise<[number, string][]> {
  const cases = derived(...entries);
  return foundBy(await bench.judge(body, borrowingJob(), cases), cases);
}

const numbersOf = (found: readonly [number, string][]) => [...new Set(found.map(([number]) => number))];

/** Sends requests until there is no further page. */
const borrower = `
  const ask = (thing) => context.send({ id: context.newId(), thing });
  try {
    let response = await ask(input.want);
    if (response.next) response = await ask(response.next);
    return { got: response.code === 200 };
  } catch (error) {
    if (error.code === 'TIMEOUT') return { got: (await ask(input.want)).code === 200 };
    return { got: false };
  }`;

test('a peer answers by its script, with the ids of the request; otherwise as in the base case', async () => {
  const got = (value: boolean) => ({ answer: [{ at: '/got', equals: value }] });
  const found = await borrowing(
    borrower,
    { peer: [{ response: { id: 'q-7f3a9c', code: 409, next: null } }], expect: got(false) },
    { peer: [{ patch: [{ op: 'replace', path: '/code', value: 500 }] }], expect: got(false) },
    { peer: [{ fail: 'FAILED' }], expect: { ...got(false), sends: { times: 1 } } },
    { peer: [{ fail: 'TIMEOUT' }, { patch: [] }], expect: { ...got(true), sends: { times: 2 } } },
    {
      peer: [{ when: [{ at: '/thing', equals: 'axe' }], fail: 'FAILED' }],
      expect: { answer: [{ sameAsBase: true }] },
    },
    {
      peer: [{ times: 1, patch: [{ op: 'replace', path: '/next', value: 'page-2' }] }, { patch: [] }],
      expect: { sends: [{ times: 2 }, { nth: 2, input: [{ at: '/thing', equals: 'page-2' }] }], ...got(true) },
    },
  );
  assert.deepEqual(found, []);
});

test('a peer echoes the id of the current request, as its base case does', async () => {
  const strict = `
  const id = context.newId();
  const response = await context.send({ id, thing: input.want });
  return { got: response.id === id && response.code === 200 };`;
  const got = (value: boolean) => ({ answer: [{ at: '/got', equals: value }] });
  const found = await borrowing(
    strict,
    { peer: [{ response: { id: 'q-7f3a9c', code: 200, next: null } }], expect: got(true) },
    { peer: [{ response: { id: 'somebody-else', code: 200, next: null } }], expect: got(false) },
  );
  assert.deepEqual(found, []);
});

test('sent requests are counted and checked, except for their loose places', async () => {
  const entries = [
    { expect: { sends: [{ times: 2 }] } },
    { expect: { sends: { input: [{ equals: { id: 'q-7f3a9c', thing: 'saw' } }] } } },
    { expect: { sends: { input: [{ at: '/thing', equals: 'axe' }] } } },
    { expect: { order: [['send', 'lend'], { last: 'send' }] } },
    { expect: { never: [{ value: 'saw', in: ['sends'] }] } },
  ];
  assert.deepEqual(numbersOf(await borrowing(borrower, ...entries)), [0, 2, 4]);
});

test('a peer response that breaks its schema never arrives, so that run proves nothing', async () => {
  const found = await borrowing(borrower, {
    peer: [{ patch: [{ op: 'remove', path: '/code' }] }],
    expect: { answer: [{ at: '/got', equals: true }] },
  });
  assert.deepEqual(found, []);
});

test('a task output that repeats an id of the handler matches the base case', async () => {
  const data = borrowingJob();
  const task = data.task as JsonObject & { examples: { output: JsonObject }[] };
  const ids = ['q-7f3a9c', 'q-81bd02'];
  const examples = task.examples.map((one, index) => ({ ...one, output: { ...one.output, asked: ids[index] ?? '' } }));
  const telling = { ...data, task: { ...task, outputSchema: { type: 'object' }, examples } } as unknown as JsonObject;
  const entries = derived({ peer: [{ patch: [] }], expect: { answer: [{ sameAsBase: true }] } });
  const body = (asked: string) => `
  const id = context.newId();
  await context.send({ id, thing: input.want });
  return { got: true, asked: ${asked} };`;
  assert.deepEqual((await bench.judge(body('id'), telling, entries)).broken, []);
  assert.equal((await bench.judge(body('"another"'), telling, entries)).broken.length, 1);
});
