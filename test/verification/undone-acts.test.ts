import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { type Agreed, acting, object, refusalsOf, text } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

const seat = object({ seat: text });

/** A theatre that holds each seat of an order and prints the tickets. */
const theatre = (sentences: string): Agreed => ({
  rules: `Each seat is held, and then the tickets are printed: state is DONE, with the number of the print.\n${sentences}`,
  request: object({ seats: { type: 'array', minItems: 1, items: text } }),
  response: object({ state: { enum: ['DONE', 'FAILED'] }, print: text }, ['print']),
  cases: [
    [{ seats: ['stalls-14', 'stalls-15'] }, { state: 'DONE', print: 'PR-7741' }],
    [{ seats: ['circle-02', 'circle-03'] }, { state: 'DONE', print: 'PR-8306' }],
  ],
  tools: [
    acting('holdSeat', seat, object({ hold: text }), [
      [{ seat: 'stalls-14' }, { hold: 'HD-301' }],
      [{ seat: 'stalls-15' }, { hold: 'HD-302' }],
      [{ seat: 'circle-02' }, { hold: 'HD-417' }],
      [{ seat: 'circle-03' }, { hold: 'HD-418' }],
    ]),
    acting('printTickets', object({ holds: { type: 'array', items: text } }), object({ print: text }), [
      [{ holds: ['HD-301', 'HD-302'] }, { print: 'PR-7741' }],
      [{ holds: ['HD-417', 'HD-418'] }, { print: 'PR-8306' }],
    ]),
    acting('releaseHold', object({ hold: text }), object({ released: { type: 'boolean' } }), [
      [{ hold: 'HD-301' }, { released: true }],
      [{ hold: 'HD-302' }, { released: true }],
      [{ hold: 'HD-417' }, { released: true }],
      [{ hold: 'HD-418' }, { released: true }],
    ]),
  ],
});

const rule =
  'If a seat cannot be held because holdSeat fails, the holds already made are released and state is `FAILED`.\nIf printTickets fails, all holds are released and state is `FAILED`.';

const boxOffice = (release: string) => `export async function handle({ seats }, { call }) {
  const holds = [];
  try {
    for (const seat of seats) holds.push((await call.holdSeat({ seat })).hold);
    return { state: 'DONE', print: (await call.printTickets({ holds })).print };
  } catch {
    ${release}
    return { state: 'FAILED' };
  }
}`;

const all = 'await Promise.allSettled(holds.map((hold) => call.releaseHold({ hold })));';

test('what the document has undone where a tool fails is undone', async () => {
  assert.deepEqual(await refusalsOf(theatre(rule), boxOffice(all), sandbox), []);
  assert.match(
    (await refusalsOf(theatre(rule), boxOffice(''), sandbox)).join('\n'),
    /releaseHold is not called, though/,
  );
});

test('each of several acts is undone', async () => {
  const first = 'if (holds[0]) await call.releaseHold({ hold: holds[0] }).catch(() => undefined);';
  const refused = (await refusalsOf(theatre(rule), boxOffice(first), sandbox)).join('\n');
  assert.match(refused, /releaseHold is not called for each of 2 acts, though/);
});

test('undoing that fails as well does not escape', async () => {
  const escaping = 'for (const hold of holds) await call.releaseHold({ hold });';
  assert.match((await refusalsOf(theatre(rule), boxOffice(escaping), sandbox)).join('\n'), /failing-tools: .*throws/);
});

test('a name that says that something failed says nothing of how much did, nor what is released again of another try', async () => {
  const agreed = theatre('If printTickets fails, all holds are released again and state is `FAILED`.');
  const wrong = `export async function handle({ seats }, { call }) {
  const holds = [];
  for (const seat of seats) holds.push((await call.holdSeat({ seat })).hold);
  try {
    return { state: 'DONE', print: (await call.printTickets({ holds })).print };
  } catch {
    ${all}
    return { state: 'DONE' };
  }
}`;
  assert.match((await refusalsOf(agreed, wrong, sandbox)).join('\n'), /none of FAILED/);
});

for (const open of [
  'If printTickets fails, state is `FAILED`; holds may be released.',
  'If printTickets fails, state is `FAILED`, and no hold is released.',
  'If printTickets fails, state is `FAILED`, and the holds are released if the customer asks.',
  'If printTickets fails, state is `FAILED`.',
])
  test(`nothing need be undone: ${open}`, async () => {
    const agreed = theatre(`If holdSeat fails, state is \`FAILED\`.\n${open}`);
    assert.deepEqual(await refusalsOf(agreed, boxOffice(''), sandbox), []);
  });

/** A caterer that holds the kitchen and then charges an account. */
const caterer = (sentences: string): Agreed => ({
  rules: `The kitchen is held with holdKitchen, and then the account is charged with chargeAccount: state is DONE. If holdKitchen fails, state is \`FULL\`. There is one attempt only.\n${sentences}`,
  request: object({ order: text, account: text }),
  response: object({ order: text, state: { enum: ['DONE', 'FULL', 'UNPAID', 'STUCK'] }, note: text }, ['note']),
  cases: [
    [
      { order: 'ord-71', account: 'acc-north' },
      { order: 'ord-71', state: 'DONE' },
    ],
    [
      { order: 'ord-72', account: 'acc-fin' },
      { order: 'ord-72', state: 'DONE' },
    ],
  ],
  tools: [
    acting('holdKitchen', object({ order: text }), object({ hold: text }), [
      [{ order: 'ord-71' }, { hold: 'hold-607' }],
      [{ order: 'ord-72' }, { hold: 'hold-611' }],
    ]),
    acting('chargeAccount', object({ account: text, hold: text }), object({ charge: text }), [
      [{ account: 'acc-north', hold: 'hold-607' }, { charge: 'ch-1' }],
      [{ account: 'acc-fin', hold: 'hold-611' }, { charge: 'ch-2' }],
    ]),
    acting('releaseKitchen', object({ hold: text }), object({ released: { type: 'boolean' } }), []),
  ],
});

const kitchen = (unpaid: string) => `export async function handle({ order, account }, { call }) {
  let hold;
  try {
    hold = (await call.holdKitchen({ order })).hold;
  } catch {
    return { order, state: 'FULL' };
  }
  try {
    await call.chargeAccount({ account, hold });
  } catch {
    ${unpaid}
    return { order, state: 'UNPAID' };
  }
  return { order, state: 'DONE' };
}`;

const releasing = 'await call.releaseKitchen({ hold }).catch(() => undefined);';

for (const owed of [
  'If chargeAccount fails, give the kitchen free again and answer with state `UNPAID`.',
  '| What | state | Also |\n| --- | --- | --- |\n| `chargeAccount` fails | `UNPAID` | the kitchen is given back with `releaseKitchen` |',
  'If chargeAccount fails, state is `UNPAID`. Then the kitchen is released.',
  'If chargeAccount fails: `releaseKitchen`, then `UNPAID`.',
])
  test(`an act is undone in whatever words: ${owed}`, async () => {
    assert.deepEqual(await refusalsOf(caterer(owed), kitchen(releasing), sandbox), []);
    assert.match(
      (await refusalsOf(caterer(owed), kitchen(''), sandbox)).join('\n'),
      /releaseKitchen is not called, though/,
    );
  });

for (const open of [
  'If chargeAccount fails, state is `UNPAID`, with a free text in `note`.',
  'If chargeAccount fails, the order is cancelled: `UNPAID`.',
  'If chargeAccount fails, state is `UNPAID`; holds of the kitchen are released every night.',
  'If chargeAccount fails, state is `UNPAID`, and the hold is kept.',
  'If chargeAccount fails, state is `UNPAID`, and releaseKitchen is not called.',
  'If chargeAccount fails, state is `UNPAID`, and what holdKitchen told is not given back to anybody.',
])
  test(`nothing is said of undoing: ${open}`, async () => {
    assert.deepEqual(await refusalsOf(caterer(open), kitchen(''), sandbox), []);
  });

test('undoing that fails has the name that the document gives it', async () => {
  const rules = `If chargeAccount fails, give the kitchen free again and answer with state \`UNPAID\`.`;
  const agreed = caterer(`${rules}\nIf releaseKitchen fails, state is \`STUCK\`.`);
  const stuck = 'try { await call.releaseKitchen({ hold }); } catch { return { order, state: "STUCK" }; }';
  assert.deepEqual(await refusalsOf(agreed, kitchen(stuck), sandbox), []);
  assert.match(
    (await refusalsOf(agreed, kitchen(releasing), sandbox)).join('\n'),
    /and then releaseKitchen: .*none of STUCK/,
  );
});

const depot: Agreed = {
  rules: `The lines are reserved one after another with \`reserveStock\`, and then shipped with \`createShipment\`. If something goes wrong on the way, all or nothing holds: every reservation made so far is undone with \`releaseStock\`, the last one first.

| result | when |
| --- | --- |
| SHIPPED | all lines are reserved and shipped |
| OUT_OF_STOCK | \`reserveStock\` resolves to null for a line |
| STOCK_DOWN | \`reserveStock\` fails |
| SHIPPING_DOWN | \`createShipment\` fails |`,
  request: object({ order: text, skus: { type: 'array', minItems: 1, items: text } }),
  response: object({ result: { enum: ['SHIPPED', 'OUT_OF_STOCK', 'STOCK_DOWN', 'SHIPPING_DOWN'] }, shipment: text }, [
    'shipment',
  ]),
  cases: [
    [
      { order: 'W-1', skus: ['LAMP', 'BULB'] },
      { result: 'SHIPPED', shipment: 'SH-31' },
    ],
    [{ order: 'W-2', skus: ['LAMP', 'SOFA'] }, { result: 'OUT_OF_STOCK' }],
    [{ order: 'W-3', skus: ['BULB'] }, { result: 'SHIPPING_DOWN' }],
  ],
  tools: [
    acting(
      'reserveStock',
      object({ sku: text }),
      { anyOf: [object({ reservation: text }), { type: 'null' }] },
      [
        [{ sku: 'LAMP' }, { reservation: 'RV-501' }],
        [{ sku: 'BULB' }, { reservation: 'RV-502' }],
      ],
      null,
    ),
    { ...(acting('releaseStock', object({ reservation: text }), { type: 'null' }, [], null) as object) },
    {
      ...(acting('createShipment', object({ order: text }), object({ shipment: text }), []) as object),
      examples: [
        { input: { order: 'W-1' }, output: { shipment: 'SH-31' } },
        { input: { order: 'W-3' }, error: 'carrier offline' },
      ],
    },
  ],
};

test('what takes back an act of the same run is not needless in a refusal, however the document asks for it', async () => {
  const shipping = (back: string) => `export async function handle({ order, skus }, { call }) {
  const held = [];
  const undo = async () => { ${back} };
  for (const sku of skus) {
    let got;
    try { got = await call.reserveStock({ sku }); } catch { await undo(); return { result: 'STOCK_DOWN' }; }
    if (got === null) { await undo(); return { result: 'OUT_OF_STOCK' }; }
    held.push(got.reservation);
  }
  try { return { result: 'SHIPPED', shipment: (await call.createShipment({ order })).shipment }; }
  catch { await undo(); return { result: 'SHIPPING_DOWN' }; }
}`;
  const back =
    'for (const reservation of held.reverse()) { try { await call.releaseStock({ reservation }); } catch {} }';
  assert.deepEqual(await refusalsOf(depot, shipping(back), sandbox), []);
});
