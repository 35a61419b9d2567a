import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { type Agreed, integer, number, object, reading, refusalsOf, text, warningsOf } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

const hall = (rule: string): Agreed => ({
  rules: `The price in cents is seats times 1190. ${rule}\n\nThe price is rounded to whole cents, half a cent up.`,
  request: object({ ref: text, seats: { type: 'integer', minimum: 1, maximum: 90 } }),
  response: object({ ref: text, price: integer }),
  cases: [
    [
      { ref: 'h-1', seats: 12 },
      { ref: 'h-1', price: 14_280 },
    ],
    [
      { ref: 'h-2', seats: 61 },
      { ref: 'h-2', price: 67_509 },
    ],
    [
      { ref: 'h-3', seats: 3 },
      { ref: 'h-3', price: 3570 },
    ],
  ],
});
/** What a handler is warned of for where its answers change. */
const edgesOf = async (agreed: Agreed, handler: string) =>
  (await warningsOf(agreed, handler, sandbox)).filter((warning) => warning.startsWith('thresholds: '));
const priced = (isLess: string) => `export function handle({ ref, seats }) {
  const price = seats * 1190;
  return { ref, price: Math.round(${isLess} ? price * 0.93 : price) };
}`;

for (const [rule, right, wrong] of [
  ['From 40 seats on (40 included) it is reduced by 7 percent.', 'seats >= 40', 'seats > 40'],
  ['Groups with 40 seats or more pay 7 percent less on the whole total.', 'seats >= 40', 'seats > 40'],
  ['At or above 40 seats it is reduced by 7 percent.', 'seats >= 40', 'seats > 40'],
  ['Above 40 seats it is reduced by 7 percent.', 'seats > 40', 'seats >= 40'],
  ['Ab 40 seats wird der Preis um 7 Prozent gesenkt.', 'seats >= 40', 'seats > 40'],
  ['Bei 40 seats oder mehr wird der Preis um 7 Prozent gesenkt.', 'seats >= 40', 'seats > 40'],
  ['Con 40 seats o más, el precio baja un 7 %.', 'seats >= 40', 'seats > 40'],
  ['A partir de 40 seats (40 incluidos) o preço desce 7 %.', 'seats >= 40', 'seats > 40'],
  ['seats 达到或超过 40 时优惠 7%。', 'seats >= 40', 'seats > 40'],
  ['seats 大于 40 时优惠 7%。', 'seats > 40', 'seats >= 40'],
] as const)
  test(`a price changes on the side of the number that the words put it on: ${rule}`, async () => {
    assert.deepEqual(await edgesOf(hall(rule), priced(right)), []);
    assert.match((await edgesOf(hall(rule), priced(wrong))).join(), /the answer changes/);
  });

test('a price that steps with every so many is held to no single step', async () => {
  const steps: Agreed = {
    ...hall('From 40 seats on the hall is opened by its owner. For each started 5 seats a steward costs 900 cents.'),
    cases: [
      [
        { ref: 'h-1', seats: 12 },
        { ref: 'h-1', price: 16_980 },
      ],
      [
        { ref: 'h-2', seats: 61 },
        { ref: 'h-2', price: 84_290 },
      ],
      [
        { ref: 'h-3', seats: 3 },
        { ref: 'h-3', price: 4470 },
      ],
    ],
  };
  const handler =
    'export function handle({ ref, seats }) { return { ref, price: seats * 1190 + Math.ceil(seats / 5) * 900 }; }';
  assert.deepEqual(await refusalsOf(steps, handler, sandbox), []);
});

const kiln = (rule: string): Agreed => ({
  rules: `The agent reads the kiln with \`readKiln\`. ${rule} Otherwise it is \`FIRE\`.`,
  request: object({ id: text, kiln: text }),
  response: object({ id: text, result: { enum: ['FIRE', 'HOLD'] } }),
  tools: [
    reading('readKiln', object({ kiln: text }), object({ kiln: text, heat: number, load: integer }), [
      [{ kiln: 'K-7' }, { kiln: 'K-7', heat: 311, load: 4 }],
      [{ kiln: 'K-9' }, { kiln: 'K-9', heat: 980, load: 4 }],
      [{ kiln: 'K-2' }, { kiln: 'K-2', heat: 120, load: 2 }],
    ]),
  ],
  cases: [
    [
      { id: 'k-1', kiln: 'K-7' },
      { id: 'k-1', result: 'FIRE' },
    ],
    [
      { id: 'k-2', kiln: 'K-9' },
      { id: 'k-2', result: 'HOLD' },
    ],
    [
      { id: 'k-3', kiln: 'K-2' },
      { id: 'k-3', result: 'FIRE' },
    ],
  ],
});
const held = (isHeld: string) => `export async function handle({ id, kiln }, { call }) {
  const { heat, load } = await call.readKiln({ kiln });
  return { id, result: ${isHeld} ? 'HOLD' : 'FIRE' };
}`;

for (const [rule, right, wrong] of [
  ['At 640 degrees of heat or more the result is `HOLD`.', 'heat >= 640', 'heat > 640'],
  [
    'From 200 up to, but not including, 640 the heat is normal. At a heat of 640 or more the result is `HOLD`.',
    'heat >= 640',
    'heat > 640',
  ],
  ['Liegt heat bei 640 Grad oder darüber, lautet das Ergebnis `HOLD`.', 'heat >= 640', 'heat > 640'],
  ['heat 超过 640 时结果为 `HOLD`；heat 恰好 640 时仍为 `FIRE`。', 'heat > 640', 'heat >= 640'],
] as const)
  test(`what a tool tells is compared as the document has it: ${rule}`, async () => {
    assert.deepEqual(await refusalsOf(kiln(rule), held(right), sandbox), []);
    assert.match((await refusalsOf(kiln(rule), held(wrong), sandbox)).join('\n'), /thresholds: .*the answer changes/);
  });

test('a sentence without a name that the tool has is only warned of', async () => {
  const rule = kiln('At 640 degrees or more nothing is fired, and the result is `HOLD`.');
  assert.deepEqual(await edgesOf(rule, held('heat >= 640')), []);
  assert.match((await edgesOf(rule, held('heat > 640'))).join(), /the answer changes/);
});

for (const rule of [
  'A kiln may have a load of at most 5 pots, the new one included; if it would have more, the result is `HOLD`.',
  'At most 5 pots may stand in the load of a kiln, else the result is `HOLD`.',
])
  test(`what is there and what comes to it are bounded together: ${rule}`, async () => {
    const full = held('load + 1 > 5 || heat > 900');
    assert.deepEqual(await refusalsOf(kiln(rule), full, sandbox), []);
  });

const copies: Agreed = {
  rules:
    'A side costs 10 cents, and the sides are sheets times copies. From 150 sides on there is a discount of 10 percent.',
  request: object({ sheets: integer, copies: integer }),
  response: object({ cents: integer }),
  cases: [
    [{ sheets: 12, copies: 2 }, { cents: 240 }],
    [{ sheets: 40, copies: 9 }, { cents: 3240 }],
    [{ sheets: 3, copies: 1 }, { cents: 30 }],
  ],
};
const copied = (isLess: string) => `export function handle({ sheets, copies }) {
  const sides = sheets * copies;
  return { cents: Math.round(sides * 10 * (${isLess} ? 0.9 : 1)) };
}`;

test('a number of what is worked out is met where all but one factor are one', async () => {
  assert.deepEqual(await edgesOf(copies, copied('sides >= 150')), []);
  assert.match((await edgesOf(copies, copied('sides > 150'))).join(), /the answer changes/);
});

const batch = (rule: string): Agreed => ({
  rules: `The answer counts the labels. ${rule}`,
  request: object({ id: text, labels: { type: 'array', items: text } }),
  response: object({ id: text, count: integer, problem: text }, ['count', 'problem']),
  cases: [
    [
      { id: 'b-1', labels: ['ash', 'elm', 'oak'] },
      { id: 'b-1', count: 3 },
    ],
    [
      { id: 'b-2', labels: ['fir'] },
      { id: 'b-2', count: 1 },
    ],
  ],
});

test('a list may be as long as the document has it', async () => {
  const counting = (isLong: string) =>
    `export function handle({ id, labels }) { return ${isLong} ? { id, problem: 'TOO_MANY' } : { id, count: labels.length }; }`;
  const agreed = batch('If it has more than 30 entries, the answer has the problem `TOO_MANY` and no count.');
  assert.deepEqual(await refusalsOf(agreed, counting('labels.length > 30'), sandbox), []);
  assert.match(
    (await refusalsOf(agreed, counting('labels.length >= 30'), sandbox)).join('\n'),
    /thresholds: .*the answer changes before the number of labels 30/,
  );
});

test('what is rounded to whole numbers leaps by one beside a number as well', async () => {
  const subsidy: Agreed = {
    rules: `The rent is subsidised by the income of the household, which \`incomeOf\` tells; what remains below a whole euro is dropped.

| income | part of the rent |
| --- | --- |
| up to 2000 euros | 50 % of the rent |
| above 2000 euros | 35 % of the rent |

If the tool fails, \`eligible\` is false.`,
    request: object({ id: text, rent: integer }),
    response: object({ id: text, eligible: { type: 'boolean' }, subsidy: integer }, ['subsidy']),
    cases: [
      [
        { id: 'R1008', rent: 2650 },
        { id: 'R1008', eligible: true, subsidy: 927 },
      ],
      [
        { id: 'R1019', rent: 4200 },
        { id: 'R1019', eligible: true, subsidy: 2100 },
      ],
    ],
    tools: [
      reading('incomeOf', object({ id: text }), object({ income: integer }), [
        [{ id: 'R1008' }, { income: 2730 }],
        [{ id: 'R1019' }, { income: 1400 }],
      ]),
    ],
  };
  const subsidised = `export async function handle({ id, rent }, { call }) {
  try {
    const { income } = await call.incomeOf({ id });
    return { id, eligible: true, subsidy: Math.floor((rent * (income <= 2000 ? 50 : 35)) / 100) };
  } catch {
    return { id, eligible: false };
  }
}`;
  assert.deepEqual(await refusalsOf(subsidy, subsidised, sandbox), []);
});
