import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import type { Json } from '../../src/kernel/json.ts';
import { type Agreed, acting, integer, object, reading, refusalsOf, text } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

const truth = { type: 'boolean' };

/** Rooms that are taken, and of which the guest is told by mail. */
const rooms = (rule: string): Agreed => ({
  rules: `A room is looked up with \`findRoom\`; one that nobody knows is NO_ROOM. It is taken with \`takeRoom\`, and the guest is told of it with \`mailGuest\`: result TAKEN with slip, mailed true. If findRoom or takeRoom fails: OUT_OF_ORDER, mailed false. mailed is false in refusals as well.\n\n- ${rule}`,
  request: object({ ref: text, room: text }),
  response: object({ ref: text, result: { enum: ['TAKEN', 'NO_ROOM', 'OUT_OF_ORDER'] }, mailed: truth, slip: text }, [
    'slip',
  ]),
  cases: [
    [
      { ref: 'g-1', room: 'R-112' },
      { ref: 'g-1', result: 'TAKEN', mailed: true, slip: 'S-7740' },
    ],
    [
      { ref: 'g-2', room: 'R-999' },
      { ref: 'g-2', result: 'NO_ROOM', mailed: false },
    ],
  ],
  tools: [
    reading('findRoom', object({ room: text }), { type: ['object', 'null'] }, [[{ room: 'R-112' }, { beds: 2 }]], null),
    acting('takeRoom', object({ room: text }), object({ slip: text }), [], { slip: 'S-7740' }),
    acting('mailGuest', object({ slip: text }), { type: 'null' }, [], null),
  ],
});
const taking = (unmailed: string) => `export async function handle({ ref, room }, { call }) {
  let slip;
  try {
    if ((await call.findRoom({ room })) === null) return { ref, result: 'NO_ROOM', mailed: false };
    ({ slip } = await call.takeRoom({ room }));
  } catch { return { ref, result: 'OUT_OF_ORDER', mailed: false }; }
  try { await call.mailGuest({ slip }); } catch { return ${unmailed}; }
  return { ref, result: 'TAKEN', mailed: true, slip };
}`;
const kept = "{ ref, result: 'TAKEN', mailed: false, slip }";
const lost = "{ ref, result: 'OUT_OF_ORDER', mailed: false }";

for (const rule of [
  'If mailGuest fails, the room is taken all along: result TAKEN, and mailed false.',
  'If `mailGuest` fails: the answer stays TAKEN, with mailed false.',
  'The mailing fails: this does not matter, mailed is false then.',
  'Mailing fails: that is harmless, the guest still has result TAKEN.',
])
  test(`what an answer has although a tool fails is not lost: ${rule}`, async () => {
    assert.deepEqual(await refusalsOf(rooms(rule), taking(kept), sandbox), []);
    assert.match(
      (await refusalsOf(rooms(rule), taking(lost), sandbox)).join('\n'),
      /^failing-tools: case 1, where mailGuest fails/m,
    );
  });

for (const rule of [
  'If mailGuest fails and the room is TAKEN by now, it is up to the provider what is told.',
  'If mailGuest fails, the result may be TAKEN.',
  'If mailGuest fails, the guest is not told that it is TAKEN.',
  'If mailGuest fails, the result is TAKEN only where the guest has no phone.',
])
  test(`what a sentence leaves open, or denies, may be lost: ${rule}`, async () => {
    assert.deepEqual(await refusalsOf(rooms(rule), taking(lost), sandbox), []);
  });

test('that one tool is not called again even if it fails says nothing of the others', async () => {
  const rule = 'takeRoom MUST NOT be called twice, even if it fails.';
  const handler = taking(kept).replace(
    '(await call.findRoom({ room })) === null',
    '(await call.findRoom({ room }).catch(() => ({ beds: 1 }))) === null',
  );
  const agreed = rooms(rule);
  assert.match(
    (
      await refusalsOf(
        { ...agreed, rules: agreed.rules.replace('OUT_OF_ORDER, mailed false', 'OUT_OF_ORDER') },
        handler,
        sandbox,
      )
    ).join('\n'),
    /case 1, where findRoom fails: the answer has none of OUT_OF_ORDER/,
  );
});

/** Coaches whose seats are paid for, and given back where no seat is had. */
const coaches = (otherwise: Json): Agreed => ({
  rules:
    'The fare is charged with `chargeFare`; declined: DECLINED. Then a seat is placed with `placeSeat`: BOOKED with seat. When placing fails, the fare is refunded with refundFare and the answer is NO_SEAT. If the refund fails as well, it is MONEY_OWED. If charging fails: DOWN.',
  request: object({ ref: text, coach: text }),
  response: object(
    { ref: text, result: { enum: ['BOOKED', 'DECLINED', 'NO_SEAT', 'MONEY_OWED', 'DOWN'] }, seat: text },
    ['seat'],
  ),
  cases: [
    [
      { ref: 'c-1', coach: 'K-4' },
      { ref: 'c-1', result: 'BOOKED', seat: '17A' },
    ],
    [
      { ref: 'c-2', coach: 'K-9' },
      { ref: 'c-2', result: 'NO_SEAT' },
    ],
  ],
  tools: [
    acting('chargeFare', object({ ref: text }), object({ charge: text }), [
      [{ ref: 'c-1' }, { charge: 'ch-4401' }],
      [{ ref: 'c-2' }, { charge: 'ch-4402' }],
    ]),
    acting('placeSeat', object({ coach: text }), object({ seat: text }), [[{ coach: 'K-4' }, { seat: '17A' }]]),
    {
      ...(acting('refundFare', object({ charge: text }), object({ done: integer }), [
        [{ charge: 'ch-4402' }, { done: 1 }],
      ]) as { [name: string]: Json }),
      ...(otherwise === null ? {} : { otherwise }),
    },
  ],
});
const booking = (undoing: string) => `export async function handle({ ref, coach }, { call }) {
  let charge;
  try { ({ charge } = await call.chargeFare({ ref })); } catch { return { ref, result: 'DOWN' }; }
  try { return { ref, result: 'BOOKED', seat: (await call.placeSeat({ coach })).seat }; } catch {}
  ${undoing}
}`;
const undone =
  "try { await call.refundFare({ charge }); return { ref, result: 'NO_SEAT' }; } catch { return { ref, result: 'MONEY_OWED' }; }";

for (const [name, otherwise] of [
  ['has an answer to one thing alone', null],
  ['fails for all else', { error: { message: 'acquirer timeout' } }],
] as const)
  test(`an undoing that ${name} does what it is asked for where another tool fails`, async () => {
    assert.deepEqual(await refusalsOf(coaches(otherwise), booking(undone), sandbox), []);
    assert.match(
      (
        await refusalsOf(
          coaches(otherwise),
          booking(undone.replace("'NO_SEAT'", "coach.endsWith('9') ? 'NO_SEAT' : 'DOWN'")),
          sandbox,
        )
      ).join('\n'),
      /case 1, where placeSeat fails: the answer has none of NO_SEAT/,
    );
  });

test('an undoing of which no example shows that it works may fail beside another tool', async () => {
  const { cases, tools = [], ...rest } = coaches({ error: { message: 'acquirer timeout' } });
  const failing = tools.map((tool) => ({ ...(tool as { [name: string]: Json }) }));
  const agreed: Agreed = {
    ...rest,
    cases: cases.slice(0, 1),
    tools: failing.map((tool) => (tool.name === 'refundFare' ? { ...tool, examples: [] } : tool)),
  };
  assert.deepEqual(await refusalsOf(agreed, booking(undone), sandbox), []);
});

test('what is undone by a tool that is named behind the failure is undone', async () => {
  const lazy = `if (ref.length < 9) return { ref, result: 'NO_SEAT' };\n  ${undone}`;
  assert.match(
    (await refusalsOf(coaches(null), booking(lazy), sandbox)).join('\n'),
    /^failing-tools: case 1, where placeSeat fails: refundFare is not called, though "When placing fails/m,
  );
});
