import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
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
