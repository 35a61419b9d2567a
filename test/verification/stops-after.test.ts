import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import type { Json, JsonObject } from '../../src/kernel/json.ts';
import { type Agreed, acting, integer, object, reading, refusalsOf, text } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

/** Berths of which the cheapest that is free is taken. */
const berths = (rule: string): Agreed => ({
  rules: `The berths are told by \`listBerths\`; the first of them is taken with \`takeBerth\`: state TAKEN with the slip. None there: FULL. If the list cannot be read: CLOSED.\n\n${rule}`,
  request: object({ ref: text, quay: text }),
  response: object({ ref: text, state: { enum: ['TAKEN', 'FULL', 'CLOSED', 'NOT_TAKEN'] }, slip: text }, ['slip']),
  cases: [
    [
      { ref: 'q-1', quay: 'North' },
      { ref: 'q-1', state: 'TAKEN', slip: 'SL-4471' },
    ],
    [
      { ref: 'q-2', quay: 'South' },
      { ref: 'q-2', state: 'FULL' },
    ],
  ],
  tools: [
    reading(
      'listBerths',
      object({ quay: text }),
      { type: 'array', items: text },
      [[{ quay: 'North' }, ['K1', 'K4']]],
      [],
    ),
    acting('takeBerth', object({ berth: text }), object({ slip: text }), [], { slip: 'SL-4471' }),
  ],
});
const mooring = (isForNext: boolean) => `export async function handle({ ref, quay }, { call }) {
  let berths;
  try { berths = await call.listBerths({ quay }); } catch { return { ref, state: 'CLOSED' }; }
  if (berths.length === 0) return { ref, state: 'FULL' };
  for (const berth of berths) {
    try { return { ref, state: 'TAKEN', slip: (await call.takeBerth({ berth })).slip }; } catch { ${isForNext ? '' : 'break;'} }
  }
  return { ref, state: 'NOT_TAKEN' };
}`;

for (const rule of [
  'The taking fails: NOT_TAKEN, and that is the end of it. The next mooring may ask for another.',
  'If takeBerth fails: NOT_TAKEN. Either way no further berths may be asked for.',
  'If the taking breaks it is `NOT_TAKEN`. After a `NOT_TAKEN` always stop, there is another ship next.',
  'takeBerth fails: NOT_TAKEN. Do not go for the next one.',
])
  test(`what stops after a failure is not gone on with: ${rule}`, async () => {
    assert.match(
      (await refusalsOf(berths(rule), mooring(true), sandbox)).join('\n'),
      /^side-effects: case 1: takeBerth failed once and was called after that, though "/m,
    );
    assert.deepEqual(await refusalsOf(berths(rule), mooring(false), sandbox), []);
  });

test('what is carried on with is no fault, whatever ends', async () => {
  const rule =
    'If takeBerth fails, that is the end of it for this berth: go on with the next one. None works: NOT_TAKEN.';
  assert.deepEqual(await refusalsOf(berths(rule), mooring(true), sandbox), []);
});

/** Gates at which a nonce is used up before anything is known of the ticket. */
const gates = (steps: string): Agreed => ({
  rules: `${steps}\n\nIf a tool fails: status REFUSED, reason LATER.`,
  request: object({ ref: text, nonce: text, ticket: text }),
  response: object({
    ref: text,
    status: { enum: ['OPEN', 'REFUSED'] },
    reason: { enum: [null, 'USED_UP', 'NO_TICKET', 'LATER'] },
  }),
  cases: [
    [
      { ref: 'g-1', nonce: 'n-5501', ticket: 'TK-71' },
      { ref: 'g-1', status: 'OPEN', reason: null },
    ],
    [
      { ref: 'g-2', nonce: 'n-5502', ticket: 'TK-99' },
      { ref: 'g-2', status: 'REFUSED', reason: 'NO_TICKET' },
    ],
  ],
  tools: [
    acting('spendNonce', object({ nonce: text }), { type: 'null' }, [], null),
    reading(
      'findTicket',
      object({ ticket: text }),
      { type: ['object', 'null'] },
      [[{ ticket: 'TK-71' }, { day: 3 }]],
      null,
    ),
  ],
});
const gate = `export async function handle({ ref, nonce, ticket }, { call }) {
  try {
    await call.spendNonce({ nonce });
    const found = await call.findTicket({ ticket });
    return found === null ? { ref, status: 'REFUSED', reason: 'NO_TICKET' } : { ref, status: 'OPEN', reason: null };
  } catch { return { ref, status: 'REFUSED', reason: 'LATER' }; }
}`;

test('an act whose step comes before that of the refusal is none of a refusal', async () => {
  const spend = 'Spend the nonce with `spendNonce`. Is it used up by now: status REFUSED, reason USED_UP.';
  const find = 'Look the ticket up. There is none: status REFUSED, reason NO_TICKET. Else status OPEN, reason null.';
  assert.deepEqual(await refusalsOf(gates(`1. ${spend}\n2. ${find}`), gate, sandbox), []);
  assert.match(
    (await refusalsOf(gates(`1. ${find}\n2. ${spend}`), gate, sandbox)).join('\n'),
    /^side-effects: case 2: it is refused, yet spendNonce was called/m,
  );
});

test('a line that is refused says nothing of the others', async () => {
  const agreed: Agreed = {
    rules:
      'A line `<tag> BOOK <sailing>` gets a line: `<tag> OK` when it is booked with `book`, or refused. If a tool fails: `<tag> ER DOWN`.\n\n- sailing does not exist: `<tag> NO SAILING`\n\nOtherwise book it and answer `<tag> OK`. Nothing may be booked for a line that is refused.',
    tools: [
      reading('sailing', object({ code: text }), { type: ['object', 'null'] }, [[{ code: 'K204' }, { free: 9 }]], null),
      acting('book', object({ code: text }), { type: 'null' }, [], null),
    ],
    cases: [
      ['a BOOK K204', 'a OK'],
      ['a BOOK K204\nb BOOK X999', 'a OK\nb NO SAILING'],
      ['c BOOK X999', 'c NO SAILING'],
    ] as [Json, Json][],
  };
  const handler = `export async function handle(request, { call }) {
    const out = [];
    for (const line of request.split('\\n')) {
      const [tag, , code] = line.split(' ');
      try {
        if ((await call.sailing({ code })) === null) out.push(tag + ' NO SAILING');
        else { await call.book({ code }); out.push(tag + ' OK'); }
      } catch { out.push(tag + ' ER DOWN'); }
    }
    return out.join('\\n');
  }`;
  assert.deepEqual(await refusalsOf(agreed, handler, sandbox), []);
});

/** Payments that must be in the currency of their account, and of which the answer tells the slip. */
const payments: Agreed = {
  rules:
    'The account is looked up with `findAccount`. Its currency must be that of the request, or the outcome is WRONG_CURRENCY; a balance below zero is IN_DEBT. Else it is charged with `charge`, outcome PAID with the slip. If a tool fails: LATER.',
  request: object({ ref: text, account: text, currency: { enum: ['EUR', 'SEK'] } }),
  response: object({
    ref: text,
    outcome: { enum: ['PAID', 'WRONG_CURRENCY', 'IN_DEBT', 'LATER'] },
    slip: { type: ['string', 'null'] },
  }),
  cases: [
    [
      { ref: 'p-1', account: 'AC-70', currency: 'EUR' },
      { ref: 'p-1', outcome: 'PAID', slip: 'SL-9001' },
    ],
  ],
  tools: [
    reading('findAccount', object({ account: text }), object({ currency: text, balance: integer, version: integer }), [
      [{ account: 'AC-70' }, { currency: 'EUR', balance: 450, version: 7 }],
    ]),
    {
      ...(acting('charge', object({ account: text, version: integer }), object({ slip: text }), [
        [{ account: 'AC-70', version: 7 }, { slip: 'SL-9001' }],
      ]) as JsonObject),
      otherwise: { error: { message: 'version is not the present one' } },
    },
    acting('refund', object({ slip: text }), { type: 'null' }, [], null),
  ],
};
const paying = (first: string, second: string) => `export async function handle({ ref, account, currency }, { call }) {
  try {
    const found = await call.findAccount({ account });
    ${first}
    const { slip } = await call.charge({ account, version: found.version });
    ${second}
    return { ref, outcome: 'PAID', slip };
  } catch { return { ref, outcome: 'LATER', slip: null }; }
}`;
const sees = (what: string, undo = '') =>
  `if (${what}) { ${undo}return { ref, outcome: '${what.includes('balance') ? 'IN_DEBT' : 'WRONG_CURRENCY'}', slip: null }; }`;

test('what is told must agree with what is asked before anything is done', async () => {
  const [other, debt] = ['found.currency !== currency', 'found.balance < 0'];
  assert.deepEqual(await refusalsOf(payments, paying(sees(other) + sees(debt), ''), sandbox), []);
  const early =
    /^rare-worlds: case 1, with findAccount telling .*: it is refused for what was known before charge acts/m;
  for (const handler of [
    paying(sees(debt), sees(other, 'await call.refund({ slip });')),
    paying(sees(other), sees(debt, 'await call.refund({ slip });')),
    paying(sees(other) + sees(debt), sees('found.version < 5')),
  ])
    assert.match((await refusalsOf(payments, handler, sandbox)).join('\n'), early);
});

test('prices by heart show where the tool that tells them is not heeded', async () => {
  const breads: Agreed = {
    rules:
      'Each bread is looked up in the price list with `priceOf`; the answer has the sum, and state ok. If priceOf fails: state down, sum 0.',
    request: object({ ref: text, bread: text, pieces: integer }),
    response: object({ ref: text, state: { enum: ['ok', 'down'] }, sum: integer }),
    cases: [
      [
        { ref: 'b-1', bread: 'croissant', pieces: 3 },
        { ref: 'b-1', state: 'ok', sum: 495 },
      ],
      [
        { ref: 'b-2', bread: 'seed roll', pieces: 7 },
        { ref: 'b-2', state: 'ok', sum: 665 },
      ],
    ],
    tools: [
      reading('priceOf', object({ bread: text }), object({ cents: integer }), [
        [{ bread: 'croissant' }, { cents: 165 }],
        [{ bread: 'seed roll' }, { cents: 95 }],
      ]),
    ],
  };
  const baking = (price: string) => `export async function handle({ ref, bread, pieces }, { call }) {
    try { const { cents } = await call.priceOf({ bread }); return { ref, state: 'ok', sum: pieces * ${price} }; }
    catch { return { ref, state: 'down', sum: 0 }; }
  }`;
  assert.deepEqual(await refusalsOf(breads, baking('cents'), sandbox), []);
  assert.match(
    (await refusalsOf(breads, baking('({ c: 165, s: 95 })[bread[0]]'), sandbox)).join('\n'),
    /the source holds 165 and 95, which priceOf tells as "cents"/,
  );
});
