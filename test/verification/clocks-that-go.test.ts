import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { type Agreed, object, reading, refusalsOf, text } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

const agreed: Agreed = {
  rules: 'The provider looks the word up and answers with its meaning, and when it was asked and when it answered.',
  request: object({ word: text }),
  response: object({ meaning: text, askedAt: { type: 'integer' }, answeredAt: { type: 'integer' } }),
  cases: [[{ word: 'tree' }, { meaning: 'a tall plant', askedAt: 1768478400123, answeredAt: 1768478400456 }]],
  tools: [reading('look', text, text, [['tree', 'a tall plant']], 'nothing known')],
  loose: [
    { pointer: '/askedAt', as: 'time' },
    { pointer: '/answeredAt', as: 'time' },
  ],
};

const handler = (meaning: string) => `export async function handle({ word }: any, { call, now }: any) {
  const askedAt = now();
  const meaning = await call.look(word);
  const answeredAt = now();
  return { meaning: ${meaning}, askedAt, answeredAt };
}`;

test('a handler may tell the time before and after a call', async () => {
  assert.deepEqual(await refusalsOf(agreed, handler('meaning'), sandbox), []);
});

test('a handler is refused that answers otherwise as soon as a call takes time, as each does in a case too', async () => {
  for (const isLive of ['answeredAt > askedAt', 'Date.now() !== askedAt', 'now() - askedAt']) {
    const refusals = await refusalsOf(agreed, handler(`${isLive} ? meaning.slice(1) : meaning`), sandbox);
    assert.equal(refusals.length, 1, isLive);
    assert.match(refusals[0] ?? '', /^case 1: .*\/meaning/, isLive);
  }
});
