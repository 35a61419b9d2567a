import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { tryCandidate } from '../../scripts/try-candidate.ts';
import { checks } from '../../src/verification/checks.ts';
import { type Agreed, object, orderOf, reading, text } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

const agreed: Agreed = {
  rules:
    'The provider looks the word up and answers with its meaning. Where the look-up fails, it answers with code 500.',
  request: object({ word: text }),
  response: { type: 'object', properties: { meaning: text, code: { type: 'integer' } } },
  cases: [[{ word: 'tree' }, { meaning: 'a tall plant' }]],
  tools: [reading('look', text, text, [['tree', 'a tall plant']], 'nothing known')],
};

const handler = (more: string) => `export async function handle(request: any, context: any) {
  let meaning: string;
  try { meaning = await context.call.look(request.word); } catch { return { code: 500 }; }
  return meaning.endsWith('plant') ? { meaning } : { meaning${more} };
}`;

test('a candidate that floods all runs but those of the cases is refused, and not run any more', async () => {
  assert.deepEqual((await tryCandidate(orderOf(agreed), handler(''), sandbox)).refusedFor, []);
  const source = handler(', more: Array.from({ length: 300_000 }, () => ({}))');
  const { refusedFor, verification } = await tryCandidate(orderOf(agreed), source, sandbox);
  assert.equal(refusedFor.length, 1);
  assert.match(refusedFor[0] ?? '', /is no longer run: its runs return far more data than the cases/);
  assert.equal(verification?.reports.length, checks.length);
});

test('where cases are large, fewer runs are made, and the checks that get none say so', async () => {
  const plant = `${'tall, '.repeat(50_000)}plant`;
  const large: Agreed = {
    ...agreed,
    cases: [[{ word: 'tree' }, { meaning: plant }]],
    tools: [reading('look', text, text, [['tree', plant]], 'nothing known')],
  };
  const { refusedFor, verification } = await tryCandidate(orderOf(large), handler(''), sandbox);
  assert.deepEqual(refusedFor, []);
  assert.match(JSON.stringify(verification?.reports), /the budget of \d\d runs/);
});
