import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { type Agreed, integer, object, reading, refusalsOf, text } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

const purse = object({ owner: text, spent: integer, ceiling: integer, since: text });
const spending = (rule: string): Agreed => ({
  rules: `The provider reads the purse with \`readPurse\`. ${rule} Otherwise the answer is \`paid\`.`,
  request: object({ purse: text, amount: { type: 'integer', minimum: 1 }, day: text }),
  response: object({ result: { enum: ['paid', 'TOO_MUCH', 'TOO_EARLY'] } }),
  tools: [
    reading('readPurse', object({ purse: text }), purse, [
      [{ purse: 'P-4' }, { owner: 'Ida', spent: 210, ceiling: 900, since: '2026-03-04' }],
      [{ purse: 'P-8' }, { owner: 'Ole', spent: 35, ceiling: 60, since: '2026-03-09' }],
    ]),
  ],
  cases: [
    [{ purse: 'P-4', amount: 340, day: '2026-04-11' }, { result: 'paid' }],
    [{ purse: 'P-8', amount: 777, day: '2026-04-12' }, { result: 'TOO_MUCH' }],
    [{ purse: 'P-8', amount: 12, day: '2026-05-20' }, { result: 'paid' }],
  ],
});
const paying = (refused: string) => `export async function handle({ purse, amount, day }, { call }) {
  const { spent, ceiling, since } = await call.readPurse({ purse });
  ${refused}
  return { result: 'paid' };
}`;
const tooMuch = (condition: string) => paying(`if (${condition}) return { result: 'TOO_MUCH' };`);

for (const [rule, right, wrong] of [
  [
    'What was spent plus the amount does not exceed the ceiling, else `TOO_MUCH`. The ceiling may be reached exactly.',
    'spent + amount > ceiling',
    'spent + amount >= ceiling',
  ],
  ['If the amount is more than the ceiling, the result is `TOO_MUCH`.', 'amount > ceiling', 'amount >= ceiling'],
  ['The amount must be less than the ceiling, otherwise `TOO_MUCH`.', 'amount >= ceiling', 'amount > ceiling'],
  ['If the amount is at least the ceiling, the result is `TOO_MUCH`.', 'amount >= ceiling', 'amount > ceiling'],
  [
    'Ist `amount` größer als `ceiling`, so lautet das Ergebnis bei dieser Buchung `TOO_MUCH`. Genau `ceiling` ist erlaubt.',
    'amount > ceiling',
    'amount >= ceiling',
  ],
  ['El amount no debe superar el ceiling; si no, `TOO_MUCH`.', 'amount > ceiling', 'amount >= ceiling'],
  ['如果 amount 大于 ceiling，返回 `TOO_MUCH`。', 'amount > ceiling', 'amount >= ceiling'],
] as const)
  test(`equal amounts are answered as the document has it: ${rule}`, async () => {
    assert.deepEqual(await refusalsOf(spending(rule), tooMuch(right), sandbox), []);
    assert.match((await refusalsOf(spending(rule), tooMuch(wrong), sandbox)).join('\n'), /limits: .*TOO_MUCH, though/);
  });

const days =
  'If the amount is above the ceiling, the result is `TOO_MUCH`. The day must lie after the day in `since`. Otherwise, so on the same day too: `TOO_EARLY`.';

test('equal days are answered as the document has it', async () => {
  const dated = (early: string) =>
    paying(`if (amount > ceiling) return { result: 'TOO_MUCH' }; if (${early}) return { result: 'TOO_EARLY' };`);
  assert.deepEqual(await refusalsOf(spending(days), dated('day <= since'), sandbox), []);
  assert.match((await refusalsOf(spending(days), dated('day < since'), sandbox)).join('\n'), /limits: .*no TOO_EARLY/);
});

const seats = (rule: string): Agreed => ({
  ...spending(`${rule}`),
  tools: [
    reading('readPurse', object({ purse: text }), object({ spent: integer, ceiling: integer }), [
      [{ purse: 'P-4' }, { spent: 2, ceiling: 9 }],
      [{ purse: 'P-8' }, { spent: 6, ceiling: 6 }],
    ]),
  ],
  cases: [
    [{ purse: 'P-4', amount: 3, day: '2026-04-11' }, { result: 'paid' }],
    [{ purse: 'P-8', amount: 3, day: '2026-04-12' }, { result: 'TOO_MUCH' }],
  ],
});

for (const [rule, refused] of [
  // The one that is asked for is spent as well.
  ['The spent units must not be more than the ceiling, else `TOO_MUCH`.', 'spent + 1 > ceiling'],
  [
    'The amount together with a fee of 1 must not be more than the ceiling, else `TOO_MUCH`.',
    'amount + 1 > ceiling || spent >= ceiling',
  ],
  ['The amount must not be above what is remaining of the ceiling, else `TOO_MUCH`.', 'amount > ceiling - spent'],
  [
    'If the amount and what was spent are more than the ceiling or equal to it, the result is `TOO_MUCH`.',
    'amount + spent >= ceiling',
  ],
] as const)
  test(`what is compared may be more than is named: ${rule}`, async () => {
    assert.deepEqual(await refusalsOf(seats(rule), tooMuch(refused), sandbox), []);
  });
