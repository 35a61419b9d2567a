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

/** Visits that are saved; a refused one as well, where the rules have it so. */
const visits = (rules: string, tells: boolean): Agreed => ({
  rules,
  request: object({ ref: text, badge: text }),
  response: object({ ref: text, result: { enum: ['ADMITTED', 'REJECTED', 'ERROR'] }, visit: text }, ['visit']),
  cases: [
    [
      { ref: 'r-1', badge: 'B-7741' },
      { ref: 'r-1', result: 'ADMITTED', visit: 'V-20031' },
    ],
    [
      { ref: 'r-2', badge: 'B-0009' },
      { ref: 'r-2', result: 'REJECTED', ...(tells ? { visit: 'V-20032' } : {}) },
    ],
  ],
  tools: [
    reading('findBadge', object({ badge: text }), { type: 'boolean' }, [[{ badge: 'B-7741' }, true]], false),
    acting(
      'saveVisit',
      object({ badge: text, result: text }),
      object({ visit: text }),
      [
        [{ badge: 'B-7741', result: 'ADMITTED' }, { visit: 'V-20031' }],
        [{ badge: 'B-0009', result: 'REJECTED' }, { visit: 'V-20032' }],
      ],
      { visit: 'V-20099' },
    ),
  ],
});
const guard = (tells: boolean) => `export async function handle(request, { call }) {
  const ref = String(request.ref), badge = String(request.badge);
  try {
    const result = (await call.findBadge({ badge })) ? 'ADMITTED' : 'REJECTED';
    const { visit } = await call.saveVisit({ badge, result });
    return { ref, result, ...(${tells} || result === 'ADMITTED' ? { visit } : {}) };
  } catch { return { ref, result: 'ERROR' }; }
}`;
const docs: [string, boolean][] = [
  [
    'A badge that `findBadge` knows is ADMITTED, another one REJECTED. Every visit is saved with `saveVisit`, also a rejected one. If a tool fails, the result is ERROR.',
    true,
  ],
  [
    'A badge that `findBadge` knows is ADMITTED, another one REJECTED. Every visit is saved with `saveVisit`, whatever the result. If a tool fails, the result is ERROR.',
    true,
  ],
  [
    'A badge that `findBadge` knows is ADMITTED, another one REJECTED. Each visit is saved with `saveVisit(badge, result)`. If a tool fails, the result is ERROR. `visit` is given only with ADMITTED.',
    false,
  ],
  [
    '- If `findBadge` does not know the badge, the visit is REJECTED.\n- Otherwise it is ADMITTED.\n\nThe visit is saved with `saveVisit` in any case. `visit` is given only with ADMITTED. If a tool fails, the result is ERROR.',
    false,
  ],
  [
    '- If `findBadge` knows the badge, the visit is saved with `saveVisit` and the result is `ADMITTED`.\n- Otherwise it is saved as well and the result is `REJECTED`.\n\n`visit` is given only with ADMITTED. If a tool fails, the result is ERROR.',
    false,
  ],
];
for (const [rules, tells] of docs)
  test(`what the document has done whatever the answer is may be done in a refusal: ${rules.slice(75, 175)}`, async () =>
    assert.deepEqual(await refusalsOf(visits(rules, tells), guard(tells), sandbox), []));

test('what no sentence has done in a refusal is not done there', async () => {
  const rules =
    'A badge that `findBadge` knows is ADMITTED, another one REJECTED. A visit that is admitted is saved with `saveVisit`. `visit` is given only with ADMITTED. If a tool fails, the result is ERROR.';
  const { tools = [], ...rest } = visits(rules, false);
  const examples: [Json, Json][] = ['B-7741', 'B-0009'].map((badge, index) => [
    { badge },
    { visit: `V-2003${index + 1}` },
  ]);
  const plain = {
    ...rest,
    tools: [...tools.slice(0, 1), acting('saveVisit', object({ badge: text }), object({ visit: text }), examples)],
  };
  const saves = guard(false).replace('{ badge, result })', '{ badge })');
  assert.match((await refusalsOf(plain, saves, sandbox)).join('\n'), /side-effects: case 2/);
});

test('an act that tells the refusal is one of the refusal', async () => {
  const rules =
    'A badge that `findBadge` knows is ADMITTED, another one REJECTED. What is decided is kept, unless a tool fails, with `saveVisit`. `visit` is given only with ADMITTED. If a tool fails, the result is ERROR.';
  assert.deepEqual(await refusalsOf(visits(rules, false), guard(false), sandbox), []);
});

test('an act of which an example tells more than was asked is one of the refusal', async () => {
  const doors: Agreed = {
    rules:
      'The lock is read with `readLock`. The right pin gives `OPEN`, and the count of wrong tries becomes 0; a wrong one gives `DENIED`, and one more is counted. The lock is kept with `putLock`. If a tool fails, the result is `DOWN`.',
    request: object({ ref: text, lock: text, pin: text }),
    response: object({ ref: text, result: { enum: ['OPEN', 'DENIED', 'DOWN'] } }),
    cases: [
      [
        { ref: 'd-1', lock: 'L-4401', pin: '7301' },
        { ref: 'd-1', result: 'OPEN' },
      ],
      [
        { ref: 'd-2', lock: 'L-5512', pin: '7301' },
        { ref: 'd-2', result: 'DENIED' },
      ],
    ],
    tools: [
      reading('readLock', object({ lock: text }), object({ pin: text, wrong: integer }), [
        [{ lock: 'L-4401' }, { pin: '7301', wrong: 2 }],
        [{ lock: 'L-5512' }, { pin: '9958', wrong: 3 }],
      ]),
      acting(
        'putLock',
        object({ lock: text, wrong: integer }),
        object({ kept: { type: 'boolean' } }),
        [
          [{ lock: 'L-4401', wrong: 0 }, { kept: true }],
          [{ lock: 'L-5512', wrong: 4 }, { kept: true }],
        ],
        { kept: true },
      ),
    ],
  };
  const counting = (wrong: string) => `export async function handle({ ref, lock, pin }, { call }) {
  try {
    const is = await call.readLock({ lock });
    await call.putLock({ lock, wrong: ${wrong} });
    return { ref, result: is.pin === pin ? 'OPEN' : 'DENIED' };
  } catch { return { ref, result: 'DOWN' }; }
}`;
  assert.deepEqual(await refusalsOf(doors, counting('is.pin === pin ? 0 : is.wrong + 1'), sandbox), []);
  assert.match((await refusalsOf(doors, counting('0'), sandbox)).join('\n'), /side-effects: case 2/);
});

test('a table of which one row failed is no refusal of the others', async () => {
  const orders: Agreed = {
    rules:
      'A message is a table `ward,item`, the answer one of `item,result`, a row for each of its rows in their order. A row is read with `stockOf`: `null` gives `UNKNOWN`. All others are held with `hold`, and give `HELD`. A failing tool gives `FAILED` for its row.',
    cases: [
      ['ward,item\nW7,PH-4401\nW7,PH-9999', 'item,result\nPH-4401,HELD\nPH-9999,UNKNOWN'],
      ['ward,item\nW2,PH-4402\nW2,PH-4403', 'item,result\nPH-4402,HELD\nPH-4403,HELD'],
    ],
    tools: [
      reading(
        'stockOf',
        object({ item: text }),
        { type: ['integer', 'null'] },
        ['PH-4401', 'PH-4402', 'PH-4403'].map((item, index) => [{ item }, 40 + index]),
        null,
      ),
      acting('hold', object({ ward: text, item: text }), { type: 'boolean' }, [], true),
    ],
  };
  const holds = `export async function handle(message, { call }) {
  const rows = [];
  for (const row of String(message).split('\\n').slice(1)) {
    const [ward = '', item = ''] = row.split(',');
    try {
      if ((await call.stockOf({ item })) === null) rows.push(item + ',UNKNOWN');
      else {
        await call.hold({ ward, item });
        rows.push(item + ',HELD');
      }
    } catch { rows.push(item + ',FAILED'); }
  }
  return ['item,result', ...rows].join('\\n');
}`;
  assert.deepEqual(await refusalsOf(orders, holds, sandbox), []);
});

const offers: Agreed = {
  rules:
    '- If the lot is open, the offer is recorded with `recordOffer` and the outcome is `noted`.\n- If the lot is sold, the outcome is `sold`.\n- Otherwise the offer is recorded nowhere and the outcome is `gone`.\n\nIf a tool fails, the outcome is `failed`.',
  request: object({ ref: text, lot: text }),
  response: object({ ref: text, outcome: { enum: ['noted', 'gone', 'sold', 'failed'] } }),
  cases: [
    [
      { ref: 'r-1', lot: 'lot-771' },
      { ref: 'r-1', outcome: 'noted' },
    ],
    [
      { ref: 'r-2', lot: 'lot-880' },
      { ref: 'r-2', outcome: 'gone' },
    ],
    [
      { ref: 'r-3', lot: 'lot-990' },
      { ref: 'r-3', outcome: 'sold' },
    ],
  ],
  tools: [
    reading(
      'lotState',
      object({ lot: text }),
      text,
      [
        [{ lot: 'lot-771' }, 'open'],
        [{ lot: 'lot-990' }, 'sold'],
      ],
      'none',
    ),
    acting('recordOffer', object({ lot: text }), object({}), [], {}),
  ],
};
test('what an item has done is done with its answer, whatever a later one says of it', async () => {
  const handler = `export async function handle(request, { call }) {
    const ref = String(request.ref), lot = String(request.lot);
    try {
      const state = await call.lotState({ lot });
      if (state === 'sold') return { ref, outcome: 'sold' };
      if (state !== 'open') return { ref, outcome: 'gone' };
      await call.recordOffer({ lot });
      return { ref, outcome: 'noted' };
    } catch { return { ref, outcome: 'failed' }; }
  }`;
  assert.deepEqual(await refusalsOf(offers, handler, sandbox), []);
});

test('what is not done with an answer of these values may be done with one that has another of them', async () => {
  const events: Agreed = {
    rules:
      'The session is read with `readSession`. Each event is kept with `keepEvent`. If there is no session, `refusal` is `NO_SESSION`. Nothing is kept then: `points` is null and `suspended` is false. A failing tool: `refusal` is `DOWN`, `points` null and `suspended` false.',
    request: object({ session: text, event: text }),
    response: object({
      refusal: { type: ['string', 'null'] },
      points: { type: ['integer', 'null'] },
      suspended: { type: 'boolean' },
    }),
    cases: [
      [
        { session: 'S-2', event: 'noise' },
        { refusal: null, points: 3, suspended: false },
      ],
      [
        { session: 'S-9', event: 'noise' },
        { refusal: 'NO_SESSION', points: null, suspended: false },
      ],
    ],
    tools: [
      reading('readSession', object({ session: text }), { type: 'boolean' }, [[{ session: 'S-2' }, true]], false),
      acting('keepEvent', object({ session: text, event: text }), { type: 'boolean' }, [], true),
    ],
  };
  const keeping = `export async function handle({ session, event }, { call }) {
  const refused = (refusal) => ({ refusal, points: null, suspended: false });
  try {
    if (!(await call.readSession({ session }))) return refused('NO_SESSION');
    await call.keepEvent({ session, event });
    return { refusal: null, points: 3, suspended: false };
  } catch { return refused('DOWN'); }
}`;
  assert.deepEqual(await refusalsOf(events, keeping, sandbox), []);
});
