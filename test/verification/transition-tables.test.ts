import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import type { Json } from '../../src/kernel/json.ts';
import { type Agreed, object, refusalsOf, text } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

const states = { enum: ['announced', 'arrived', 'refunded', 'rejected', 'cancelled'] };
const events = { enum: ['receive', 'accept', 'turn_down', 'cancel'] };

/** An agreement about returns, with a last column of the table of its own. */
const returns = (last = 'cancelled'): Agreed => ({
  rules: `| state | receive | accept | turn_down | cancel |
|---|---|---|---|---|
| announced | arrived | – | – | ${last} |
| arrived | – | refunded | rejected | – |
| rejected | – | – | – | cancelled |

A dash: the state of the answer is null.`,
  request: object({ parcel: text, state: states as Json, event: events as Json }),
  response: object({ parcel: text, next: { enum: [...states.enum, null] } }),
  cases: [
    [
      { parcel: 'P-1001', state: 'announced', event: 'receive' },
      { parcel: 'P-1001', next: 'arrived' },
    ],
    [
      { parcel: 'P-1002', state: 'arrived', event: 'accept' },
      { parcel: 'P-1002', next: 'refunded' },
    ],
    [
      { parcel: 'P-1003', state: 'refunded', event: 'cancel' },
      { parcel: 'P-1003', next: null },
    ],
  ],
});
const handler = (rejected: string, announced = 'cancelled') => `const next = {
  announced: { receive: 'arrived', cancel: '${announced}' },
  arrived: { accept: 'refunded', turn_down: 'rejected' },
  rejected: { ${rejected} },
};
export function handle({ parcel, state, event }) {
  return { parcel: String(parcel), next: next[state]?.[event] ?? null };
}`;

test('each cell of a table of states and events is asked for', async () => {
  assert.deepEqual(await refusalsOf(returns(), handler("cancel: 'cancelled'"), sandbox), []);
  assert.match(
    (await refusalsOf(returns(), handler(''), sandbox)).join(),
    /transitions: cancel takes rejected to cancelled/,
  );
});

test('a table that says more than states is not read', async () => {
  const agreed = returns('cancelled (before noon)');
  assert.deepEqual(await refusalsOf(agreed, handler('', 'rejected'), sandbox), []);
});
