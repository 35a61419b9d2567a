import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import type { Json } from '../../src/kernel/json.ts';
import { type Agreed, acting, findingsOf, integer, object, reading, refusalsOf, text } from './agreed.ts';

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
  'If mailGuest fails the result is TAKEN all the same.',
  'After mailGuest has been called the result is TAKEN, whether mailGuest succeeds or fails; mailed says which.',
  'At last the guest is told with mailGuest.\n- Fails or is slow: mailed is false, the result stays TAKEN.',
  'Se mailGuest falhar, a resposta não muda, mas mailed é false.',
  '\n\n| What fails | Then |\n|---|---|\n| mailGuest | result TAKEN, as if it had gone out |',
])
  test(`what an answer has although a tool fails is not lost: ${rule}`, async () => {
    assert.deepEqual(await refusalsOf(rooms(rule), taking(kept), sandbox), []);
    assert.match(
      (await findingsOf(rooms(rule), taking(lost), sandbox)).join('\n'),
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

/** Stock that is counted and weighed by tools of one word each, and sold. */
const stock = (rule: string): Agreed => ({
  rules: `The pieces are told by \`count\`, and their weight by \`weigh\`. The answer has both and state fine.\n\n${rule}`,
  request: object({ ref: text, shelf: text }),
  response: object(
    { ref: text, state: { enum: ['fine', 'UNCOUNTED', 'UNWEIGHED'] }, pieces: integer, grams: integer },
    ['pieces', 'grams'],
  ),
  cases: [
    [
      { ref: 's-1', shelf: 'K-4' },
      { ref: 's-1', state: 'fine', pieces: 17, grams: 4020 },
    ],
  ],
  tools: [
    reading('count', object({ shelf: text }), integer, [[{ shelf: 'K-4' }, 17]]),
    reading('weigh', object({ shelf: text }), integer, [[{ shelf: 'K-4' }, 4020]]),
  ],
});
const counting = (
  counted: string,
  weighed: string,
) => `export async function handle({ ref: given, shelf: asked }, { call }) {
  const [ref, shelf] = [String(given), String(asked)];
  let pieces, grams;
  try { pieces = await call.count({ shelf }); } catch { ${counted} }
  try { grams = await call.weigh({ shelf }); } catch { ${weighed} }
  return { ref, state: 'fine', pieces, grams };
}`;
const failing = (state: string) => `return { ref, state: '${state}' };`;

for (const [rule, counted] of [
  ['| What fails | Answer |\n|---|---|\n| count | UNCOUNTED |\n| weigh | UNWEIGHED |', 'UNCOUNTED'],
  ['- Scheitert `count` oder `weigh`, lautet der Zustand `UNCOUNTED`.', 'UNCOUNTED'],
] as const)
  test(`what is said of a tool of one word, or of one behind another, is said of it: ${rule}`, async () => {
    const weighed = rule.includes('UNWEIGHED') ? 'UNWEIGHED' : counted;
    const sound = counting(failing(counted), failing(weighed));
    assert.deepEqual(await refusalsOf(stock(rule), sound, sandbox), []);
    assert.match(
      (await refusalsOf(stock(rule), counting(failing(counted), 'grams = 0;'), sandbox)).join('\n'),
      new RegExp(
        `has none of ${weighed}, (?:as the document has it where weigh fails|though the document names it for weigh|though ".*weigh)`,
      ),
    );
  });

/** Fares that a requester asks for, with what its task says of failures. */
const fares = (rule: string, results: readonly string[]): Agreed => ({
  rules: 'The peer tells the fare of a trip.',
  request: object({ trip: text }),
  response: object({ fare: integer }),
  cases: [[{ trip: 'T-31' }, { fare: 420 }]],
  tools: [
    reading('tripOf', object({ guest: text }), text, [[{ guest: 'Odile' }, 'T-31']]),
    ...(rule.includes('noteFare')
      ? [
          acting('noteFare', object({ guest: text, fare: integer }), { type: 'null' }, [
            [{ guest: 'Odile', fare: 420 }, null],
          ]),
        ]
      : []),
  ],
  task: {
    description: `Asks for the fare of the trip that tripOf tells: result known, with the fare. ${rule}`,
    inputSchema: object({ guest: text }),
    outputSchema: object(
      { result: results.length > 0 ? { enum: ['known', ...results] } : text, fare: integer, noted: truth },
      ['fare', 'noted'],
    ),
    examples: [{ testCase: 1, input: { guest: 'Odile' }, output: { result: 'known', fare: 420 } }],
  },
});
const asking = (lost: string, unnoted = '') => `export async function perform({ guest }, { call, send }) {
  let trip, fare;
  try { trip = await call.tripOf({ guest }); } catch { return { result: '${lost}' }; }
  try { ({ fare } = await send({ trip })); } catch { return { result: 'NO_FARE' }; }
  if (!Number.isInteger(fare)) return { result: 'NO_FARE' };
  ${unnoted === '' ? '' : `try { await call.noteFare({ guest, fare }); } catch { return ${unnoted}; }`}
  return { result: 'known', fare };
}`;

for (const [lost, unnoted, rule] of [
  [
    'NO_TRIP',
    'UNNOTED',
    'If tripOf fails: NO_TRIP, and nothing is asked. If noteFare fails: UNNOTED. Without an answer: NO_FARE.',
  ],
  [
    'no trip',
    'not noted',
    'If tripOf fails: "no trip", and nothing is asked. If noteFare fails: "not noted". Without an answer: NO_FARE.',
  ],
] as const)
  test(`what a requester's task reports where its own tool fails is reported: ${lost}`, async () => {
    const agreed = fares(rule, [lost, unnoted, 'NO_FARE']);
    assert.deepEqual(await refusalsOf(agreed, asking(lost, `{ result: '${unnoted}' }`), sandbox), []);
    assert.match(
      (await refusalsOf(agreed, asking(lost, `{ result: '${lost}' }`), sandbox)).join('\n'),
      /^failing-tools: case 1, where noteFare fails: /m,
    );
  });

test("what a requester's task has not matter does not matter, whatever else it says of failures", async () => {
  const agreed = fares(
    'It is noted with noteFare; if noteFare fails, the result stays the same. Without an answer it is NO_FARE.',
    [],
  );
  assert.deepEqual(await refusalsOf(agreed, asking('NO_FARE', "{ result: 'known', fare }"), sandbox), []);
  assert.match(
    (await findingsOf(agreed, asking('NO_FARE', "{ result: 'not known, error' }"), sandbox)).join('\n'),
    /^failing-tools: case 1, where noteFare fails: /m,
  );
});

test('a member that has the value which the sentence on its tool has is all that is owed, though the tool is described by a peer that fails', async () => {
  const rule =
    'It is noted with noteFare.\n- The ferry does not answer, or what it says is of no use: NO_FARE. Nothing is noted then.\n- `noteFare` fails: noted is false.';
  const { tools = [], ...rest } = fares(rule, ['NO_FARE']);
  const described = tools.map((tool) => {
    const { name, ...whole } = tool as { [name: string]: Json };
    return { ...whole, name, ...(name === 'noteFare' ? { description: 'Notes a fare of the ferry.' } : {}) } as Json;
  });
  const agreed = { ...rest, tools: described };
  assert.deepEqual(await refusalsOf(agreed, asking('NO_FARE', "{ result: 'known', fare, noted: false }"), sandbox), []);
});

test('nothing else is done where that is said of the tool of the sentence before', async () => {
  const agreed = stock(
    'Then the weight is told by `weigh`. If it fails, the state is UNWEIGHED and nothing else must be called.',
  );
  const labelled: Agreed = {
    ...agreed,
    rules: `${agreed.rules} Else the shelf is labelled with \`labelShelf\`, and if labelShelf fails, it does not matter.`,
    tools: [...(agreed.tools ?? []), acting('labelShelf', object({ shelf: text }), { type: 'null' }, [], null)],
  };
  const labelling = (weighed: string) =>
    counting(failing('UNCOUNTED'), weighed).replace(
      "return { ref, state: 'fine'",
      "await call.labelShelf({ shelf }).catch(() => null);\n  return { ref, state: 'fine'",
    );
  assert.deepEqual(await refusalsOf(labelled, labelling(failing('UNWEIGHED')), sandbox), []);
  const eager = labelling(`await call.labelShelf({ shelf }).catch(() => null); ${failing('UNWEIGHED')}`);
  assert.match(
    (await refusalsOf(labelled, eager, sandbox)).join('\n'),
    /case 1, where weigh fails: labelShelf is called all the same, though "If it fails/,
  );
  const allowed = {
    ...labelled,
    rules: labelled.rules.replace('must be called.', 'must be called unless the shelf is new.'),
  };
  assert.deepEqual(await refusalsOf(allowed, eager, sandbox), []);
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
