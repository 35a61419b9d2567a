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

const items = { type: 'array', items: text };

/** Seeds that a bank hands out, where it has them. */
const seeds = (rule: string): Agreed => ({
  rules: `The bag of the sort is looked up with \`bagOf\`. None there: state "unknown". Fewer grams left than wanted: state "scarce". Else the grams are taken out with \`takeOut\`, and it is answered with state "given", the \`slip\` that \`takeOut\` tells and the shelves of the bag. If a tool fails: state "later". ${rule}`,
  request: object({ ref: text, sort: text, grams: { type: 'integer', minimum: 1 } }),
  response: object(
    { ref: text, state: { enum: ['given', 'unknown', 'scarce', 'later'] }, slip: text, shelves: items, note: text },
    ['slip', 'shelves', 'note'],
  ),
  tools: [
    reading(
      'bagOf',
      object({ sort: text }),
      {
        ...(object({ left: integer, shelves: items, donor: text, vaultSecret: text }) as object),
        type: ['object', 'null'],
      },
      [
        [{ sort: 'emmer' }, { left: 700, shelves: ['K7', 'K9'], donor: 'Ilse Kranz', vaultSecret: 'vs-90817263' }],
        [{ sort: 'dinkel' }, { left: 35, shelves: ['M2', 'M3'], donor: 'Orhan Sever', vaultSecret: 'vs-55443322' }],
      ],
      null,
    ),
    acting('takeOut', object({ sort: text, grams: integer }), object({ slip: text }), [
      [{ sort: 'emmer', grams: 240 }, { slip: 'SL-4417' }],
      [{ sort: 'dinkel', grams: 30 }, { slip: 'SL-6120' }],
    ]),
  ],
  cases: [
    [
      { ref: 's-1', sort: 'emmer', grams: 240 },
      { ref: 's-1', state: 'given', slip: 'SL-4417', shelves: ['K7', 'K9'] },
    ],
    [
      { ref: 's-2', sort: 'dinkel', grams: 30 },
      { ref: 's-2', state: 'given', slip: 'SL-6120', shelves: ['M2', 'M3'] },
    ],
    [
      { ref: 's-3', sort: 'dinkel', grams: 240 },
      { ref: 's-3', state: 'scarce' },
    ],
    [
      { ref: 's-4', sort: 'teff', grams: 30 },
      { ref: 's-4', state: 'unknown' },
    ],
  ],
});
const giving = ({
  before = '',
  beforeAct = '',
  afterAct = '',
  more = '',
}) => `export async function handle(request, { call }) {
  const { ref: given, sort, grams } = Object(request);
  const ref = typeof given === 'string' ? given : '';
  try {
    const bag = await call.bagOf({ sort });
    if (bag === null) return { ref, state: 'unknown' };
    ${before}
    if (bag.left < grams) return { ref, state: 'scarce' };
    ${beforeAct}
    const { slip } = await call.takeOut({ sort, grams });
    ${afterAct}
    return { ref, state: 'given', slip, shelves: bag.shelves${more} };
  } catch { return { ref, state: 'later' }; }
}`;

for (const rule of [
  'Grams are taken out exactly once.',
  'takeOut is called once, with what is wanted.',
  'takeOut wird genau einmal aufgerufen.',
  'takeOut est appelé une seule fois.',
  'takeOut se llama una sola vez.',
  'takeOut 只调用一次。',
  'takeOut は一度だけ呼ぶ。',
])
  test(`what is done once is not done twice where a case is a little other: ${rule}`, async () => {
    assert.deepEqual(await refusalsOf(seeds(rule), giving({}), sandbox), []);
    for (const [twice, what] of [
      ["if (slip === '') await call.takeOut({ sort, grams });", 'with takeOut telling ""'],
      ['if (bag.shelves.length > 2) await call.takeOut({ sort, grams: 1 });', 'with bagOf telling \\["K7'],
      ['if (grams > 600) await call.takeOut({ sort, grams: 600 });', 'with \\d+ at /grams of the request'],
      ['if (sort.length > 60) await call.takeOut({ sort, grams: 1 });', 'with "emmeremmer'],
    ]) {
      const refusals = (await refusalsOf(seeds(rule), giving({ afterAct: twice }), sandbox)).join('\n');
      assert.match(refusals, new RegExp(`rare-worlds: case \\d, ${what}.*: takeOut acts 2 times`));
    }
  });

test('the very same act twice is one too many, whatever the document says, and another is not', async () => {
  const again = (grams: string) => giving({ beforeAct: `if (grams < 5) await call.takeOut({ sort, grams${grams} });` });
  assert.match(
    (await refusalsOf(seeds(''), again(''), sandbox)).join('\n'),
    /rare-worlds: .*: takeOut is asked the same twice/,
  );
  assert.deepEqual(await refusalsOf(seeds(''), again(': grams + 1'), sandbox), []);
});

test('what is done once for each item may be done as often as there are items', async () => {
  const labels = (rule: string): Agreed => ({
    rules: `Labels are printed with \`printLabel\`. ${rule} It is answered with state "printed" and the numbers that \`printLabel\` tells. If it fails: state "later".`,
    request: object({ ref: text, names: items }),
    response: object({ ref: text, state: { enum: ['printed', 'later'] }, numbers: items }, ['numbers']),
    tools: [
      acting('printLabel', object({ name: text }), object({ number: text }), [
        [{ name: 'Odile' }, { number: 'LB-4417' }],
        [{ name: 'Bertil' }, { number: 'LB-6120' }],
      ]),
    ],
    cases: [
      [
        { ref: 'l-1', names: ['Odile'] },
        { ref: 'l-1', state: 'printed', numbers: ['LB-4417'] },
      ],
      [
        { ref: 'l-2', names: ['Bertil'] },
        { ref: 'l-2', state: 'printed', numbers: ['LB-6120'] },
      ],
    ],
  });
  const printing = `export async function handle({ ref, names }, { call }) {
    try {
      const numbers = [];
      for (const name of names) numbers.push((await call.printLabel({ name })).number);
      return { ref, state: 'printed', numbers };
    } catch { return { ref, state: 'later' }; }
  }`;
  for (const rule of ['printLabel is called exactly once.', 'printLabel is called exactly once for each name.', ''])
    assert.deepEqual(await refusalsOf(labels(rule), printing, sandbox), []);
});

test('what one item of a list had no need of says nothing of the others', async () => {
  const lines: Agreed = {
    rules:
      'The lines are booked with `bookLine`, exactly once, but for those of nothing: noop. If it fails: failed. The results are told in the order of the lines.',
    request: object({ ref: text, lines: { type: 'array', items: object({ account: text, amount: integer }) } }),
    response: object({ ref: text, results: items }),
    tools: [acting('bookLine', object({ account: text, amount: integer }), object({}), [], {})],
    cases: [
      [
        {
          ref: 'k-1',
          lines: [
            { account: 'AC-410', amount: 0 },
            { account: 'AC-411', amount: 25 },
          ],
        },
        { ref: 'k-1', results: ['noop', 'booked'] },
      ],
      [
        { ref: 'k-2', lines: [{ account: 'AC-412', amount: 31 }] },
        { ref: 'k-2', results: ['booked'] },
      ],
    ],
  };
  const booking = `export async function handle({ ref, lines }, { call }) {
    const results = [];
    for (const { account, amount } of Array.isArray(lines) ? lines : [])
      results.push(amount === 0 ? 'noop' : await call.bookLine({ account, amount }).then(() => 'booked', () => 'failed'));
    return { ref: String(ref), results };
  }`;
  assert.deepEqual(await refusalsOf(lines, booking, sandbox), []);
});

test('an act whose slip nobody gets is in vain where the answer is one without it', async () => {
  const early = giving({ before: 'if (bag.left <= 30) await call.takeOut({ sort, grams: 1 });' });
  assert.match(
    (await refusalsOf(seeds(''), early, sandbox)).join('\n'),
    /rare-worlds: .*: takeOut acts, and it is answered as without that/,
  );
});

test('what is never told is not told where a case is a little other', async () => {
  const rule = 'The donor must never be part of an answer.';
  assert.deepEqual(await refusalsOf(seeds(rule), giving({}), sandbox), []);
  const few = giving({ more: ', ...(bag.shelves.length === 1 ? { note: bag.donor } : {})' });
  assert.match((await refusalsOf(seeds(rule), few, sandbox)).join('\n'), /^leaks: .*the answer tells "donor"/m);
  assert.deepEqual(await refusalsOf(seeds(''), few, sandbox), []);
  const secret = giving({ more: ', ...(grams < 3 ? { note: bag.vaultSecret } : {})' });
  assert.match((await refusalsOf(seeds(''), secret, sandbox)).join('\n'), /leaks: .*tells "vaultSecret"/);
});

/** Flats that are let: a deposit is taken and the keys are handed out. */
const flats = (told: Json, yes: Json, no: Json): Agreed => ({
  rules:
    'The flat is read with `readFlat`; the code of the request must be its doorCode, or it is denied. No key left: rejected. In both cases no deposit is taken. Then the deposit is taken with `takeDeposit`: declined where it is not covered. Else it is let. A deposit can be given back (`refundDeposit`). If a tool fails: failed.',
  request: object({ ref: text, flat: text, code: text }),
  response: object({ ref: text, state: { enum: ['let', 'denied', 'rejected', 'declined', 'failed'] } }),
  tools: [
    reading('readFlat', object({ flat: text }), object({ doorCode: text, keys: integer }), [
      [{ flat: 'F-31' }, { doorCode: '4417', keys: 3 }],
      [{ flat: 'F-32' }, { doorCode: '9020', keys: 5 }],
    ]),
    acting('takeDeposit', object({ ref: text }), object({ told }), [
      [{ ref: 'f-1' }, { told: yes }],
      [{ ref: 'f-2' }, { told: no }],
    ]),
    acting('refundDeposit', object({ ref: text }), object({ done: { const: true } }), [
      [{ ref: 'f-7' }, { done: true }],
    ]),
  ],
  cases: [
    [
      { ref: 'f-1', flat: 'F-31', code: '4417' },
      { ref: 'f-1', state: 'let' },
    ],
    [
      { ref: 'f-2', flat: 'F-32', code: '9020' },
      { ref: 'f-2', state: 'declined' },
    ],
  ],
});
const letting = (early: string, late: string) => `export async function handle({ ref, flat, code }, { call }) {
  try {
    const { doorCode, keys } = await call.readFlat({ flat });
    ${early}
    if (!(await call.takeDeposit({ ref })).told) return { ref, state: 'declined' };
    ${late}
    return { ref, state: 'let' };
  } catch { return { ref, state: 'failed' }; }
}`;
const refusing = (check: string, state: string, undo = '') =>
  `if (${check}) { ${undo} return { ref, state: '${state}' }; }`;
const [byCode, byKeys] = [
  ['code !== doorCode', 'denied'],
  ['keys < 1', 'rejected'],
] as const;
const undo = 'await call.refundDeposit({ ref });';

for (const [told, yes, no] of [
  [{ type: 'boolean' }, true, false],
  [{ type: ['string', 'null'] }, 'D-4410', null],
] as [Json, Json, Json][])
  test(`what is taken before a check that was due is taken too early, be it given back, and though the tool may decline: ${no}`, async () => {
    const agreed = flats(told, yes, no);
    const sound = letting(refusing(...byCode) + refusing(...byKeys), '');
    assert.deepEqual(await refusalsOf(agreed, sound, sandbox), []);
    for (const [late, change] of [
      [refusing(...byKeys, undo), 'readFlat telling 0 at /keys'],
      [refusing(...byCode, undo), 'readFlat telling "441" at /doorCode'],
    ] as const) {
      const early = late.includes('keys') ? refusing(...byCode) : refusing(...byKeys);
      assert.match(
        (await refusalsOf(agreed, letting(early, late), sandbox)).join('\n'),
        new RegExp(`rare-worlds: case 1, with ${change}: it is refused for what was known before takeDeposit acts`),
      );
    }
  });

test('what a tool lists twice may be acted on twice', async () => {
  const wards: Agreed = {
    rules:
      'The beds of the ward are listed with `bedsOf`, each once. Each is cleaned with `cleanBed`, and for one that cannot be cleaned `callHelp` is called. The answer tells how many were cleaned. If bedsOf fails: -1.',
    request: object({ ref: text, ward: text }),
    response: object({ ref: text, cleaned: integer }),
    tools: [
      reading(
        'bedsOf',
        object({ ward: text }),
        object({ beds: { type: 'array', items: object({ bed: text, floor: integer }) } }),
        [
          [
            { ward: 'W-4' },
            {
              beds: [
                { bed: 'b-71', floor: 1 },
                { bed: 'b-72', floor: 1 },
              ],
            },
          ],
          [
            { ward: 'W-5' },
            {
              beds: [
                { bed: 'b-81', floor: 2 },
                { bed: 'b-82', floor: 2 },
              ],
            },
          ],
        ],
      ),
      {
        ...(acting('cleanBed', object({ bed: text }), { type: 'null' }, [
          [{ bed: 'b-71' }, null],
          [{ bed: 'b-81' }, null],
          [{ bed: 'b-82' }, null],
        ]) as { [name: string]: Json }),
        otherwise: { error: { message: 'in use' } },
      },
      acting('callHelp', object({ bed: text }), { type: 'null' }, [[{ bed: 'b-72' }, null]]),
    ],
    cases: [
      [
        { ref: 'w-1', ward: 'W-4' },
        { ref: 'w-1', cleaned: 1 },
      ],
      [
        { ref: 'w-2', ward: 'W-5' },
        { ref: 'w-2', cleaned: 2 },
      ],
    ],
  };
  const cleaning = `export async function handle({ ref: given, ward }, { call }) {
    const ref = String(given);
    let beds;
    try { ({ beds } = await call.bedsOf({ ward: String(ward) })); } catch { return { ref, cleaned: -1 }; }
    let cleaned = 0;
    for (const { bed } of beds)
      try { await call.cleanBed({ bed }); cleaned += 1; } catch { await call.callHelp({ bed }).catch(() => null); }
    return { ref, cleaned };
  }`;
  assert.deepEqual(await refusalsOf(wards, cleaning, sandbox), []);
});

test('of several things one may be refused and another done', async () => {
  const batches: Agreed = {
    rules:
      'The entries are handled one after the other. The stock is told by `getStock`; where nothing would be left the entry is rejected. Else it is written with `putStock`, once: done. If a tool fails, the entry is failed. The whole is rejected where an entry is.',
    request: object({ ref: text, entries: { type: 'array', items: object({ sku: text, delta: integer }) } }),
    response: object({ ref: text, status: { enum: ['done', 'rejected', 'failed'] }, states: items }),
    tools: [
      reading('getStock', object({ sku: text }), object({ left: integer }), [
        [{ sku: 'ASP-100' }, { left: 20 }],
        [{ sku: 'IBU-400' }, { left: 33 }],
      ]),
      acting('putStock', object({ sku: text, left: integer }), object({ written: { const: true } }), [
        [{ sku: 'ASP-100', left: 16 }, { written: true }],
        [{ sku: 'IBU-400', left: 21 }, { written: true }],
      ]),
    ],
    cases: [
      [
        {
          ref: 'b-1',
          entries: [
            { sku: 'ASP-100', delta: -4 },
            { sku: 'IBU-400', delta: -12 },
          ],
        },
        { ref: 'b-1', status: 'done', states: ['done', 'done'] },
      ],
    ],
  };
  const batching = `export async function handle({ ref: given, entries }, { call }) {
    const states = [];
    for (const { sku, delta } of Array.isArray(entries) ? entries : [])
      try {
        const left = (await call.getStock({ sku })).left + delta;
        if (left < 1) { states.push('rejected'); continue; }
        await call.putStock({ sku, left });
        states.push('done');
      } catch { states.push('failed'); }
    const status = ['rejected', 'failed'].find((state) => states.includes(state)) ?? 'done';
    return { ref: String(given), status, states };
  }`;
  assert.deepEqual(await refusalsOf(batches, batching, sandbox), []);
});

test('each line of a text may have its own act', async () => {
  const sheets: Agreed = {
    rules:
      'Each line of the request has a plate and a zone, parted by a semicolon. `feeOf` tells the fee of the zone. A fee of 0 is answered with the plate and `FREE`; any other is booked with `bookFee`, once: the plate and the fee. If a tool fails: the plate and `DOWN`. The lines of the answer are in the order of those of the request.',
    tools: [
      reading('feeOf', object({ zone: text }), integer, [
        [{ zone: 'A' }, 250],
        [{ zone: 'B' }, 0],
      ]),
      acting('bookFee', object({ plate: text, fee: integer }), { type: 'null' }, [], null),
    ],
    cases: [
      ['KA-17;A\nMU-20;B', 'KA-17;250\nMU-20;FREE'],
      ['HH-41;B\nBE-55;A', 'HH-41;FREE\nBE-55;250'],
    ],
  };
  const sheet = `export async function handle(request, { call }) {
    const lines = [];
    for (const line of request.split('\\n').filter((one) => one !== '')) {
      const [plate, zone = ''] = line.split(';');
      try {
        const fee = await call.feeOf({ zone });
        if (fee !== 0) await call.bookFee({ plate, fee });
        lines.push(plate + ';' + (fee === 0 ? 'FREE' : fee));
      } catch { lines.push(plate + ';DOWN'); }
    }
    return lines.join('\\n');
  }`;
  assert.deepEqual(await refusalsOf(sheets, sheet, sandbox), []);
});
