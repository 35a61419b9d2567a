import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { type Agreed, acting, object, refusalsOf, text } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

const berths = (tool: string, member: string): Agreed => ({
  rules: `A fresh text stands for the booking, which is stored with \`${tool}\`. The answer tells it.`,
  request: object({ id: text, boat: text }),
  response: object({ id: text, booking: text }),
  loose: [{ pointer: '/booking', as: 'id' }],
  tools: [acting(tool, object({ [member]: text, boat: text }), object({}), [], {})],
  cases: [
    [
      { id: 'b-1', boat: 'Seeschwalbe' },
      { id: 'b-1', booking: 'bk-000000000001' },
    ],
    [
      { id: 'b-2', boat: 'Wellenbrecher' },
      { id: 'b-2', booking: 'bk-000000000002' },
    ],
  ],
});
const berth = (tool: string, member: string, stored: string, told: string) =>
  `export async function handle({ id, boat }, { call, newId }) {
  const fresh = newId();
  await call.${tool}({ ${member}: ${stored}, boat: String(boat) });
  return { id: String(id), booking: ${told} };
}`;

for (const [tool, member] of [
  ['createBooking', 'number'],
  ['store_booking', 'id'],
] as const)
  test(`the answer tells the id of what ${tool} was given as ${member}`, async () => {
    const agreed = berths(tool, member);
    assert.match(
      (await refusalsOf(agreed, berth(tool, member, 'fresh', 'newId()'), sandbox)).join('\n'),
      /^acts: case 1: it answers with another booking/,
    );
    assert.deepEqual(await refusalsOf(agreed, berth(tool, member, 'fresh', 'fresh'), sandbox), []);
  });

for (const [why, tool, member, stored, told] of [
  ['the thing that is made is another', 'createEntry', 'number', 'fresh', 'newId()'],
  ['what the tool is told is not of the thing itself', 'createBooking', 'trace', 'fresh', 'newId()'],
  ['one is the other with something before it', 'createBooking', 'number', 'fresh', "'BK-' + fresh"],
  ['the tool is told more than the answer', 'createBooking', 'number', "'harbour-' + fresh", 'fresh'],
] as const)
  test(`two fresh ids are no fault: ${why}`, async () =>
    assert.deepEqual(await refusalsOf(berths(tool, member), berth(tool, member, stored, told), sandbox), []));
