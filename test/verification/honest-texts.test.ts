import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { type Agreed, integer, object, refusalsOf, text } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

const statement: Agreed = {
  rules:
    'A statement has lines of 40 characters. | columns | content | \n 1–8 the day, 9–20 the account (filled with blanks), 21–32 the cents (filled with zeros), 33 `C` or `D`, 34–40 a code. The answer has a line for each account in the order of their appearance: 1–12 the account, 13–16 the number of its lines, 17–28 the balance without its sign, 29 `C` or, below zero, `D`, 30–37 the last day of its lines, 38–40 `SUM`. A line that is none such: `ERR` and its number in four digits.',
  cases: [
    [
      '20240105ACME        000000012550CINV    \n20240107ACME        000000002000DFEE    \n20240106NORDBANK    000000000099DFEE    ',
      'ACME        0002000000010550C20240107SUM\nNORDBANK    0001000000000099D20240106SUM',
    ],
    ['20231231X1          000000000000DZERO   ', 'X1          0001000000000000C20231231SUM'],
    ['20231231X1          00000000000DZERO   ', 'ERR0001'],
  ],
};
const balances = `export function handle(text) {
  const accounts = new Map();
  for (const [index, line] of String(text).split('\\n').entries()) {
    const match = /^(\\d{8})(\\S.{11})(\\d{12})([CD])(.{7})$/.exec(line);
    if (!match) return 'ERR' + String(index + 1).padStart(4, '0');
    const [, day, name, cents, sign] = match;
    const { count, sum, last } = accounts.get(name) ?? { count: 0, sum: 0, last: '' };
    accounts.set(name, { count: count + 1, sum: sum + Number(sign + 1 ? (sign === 'C' ? cents : '-' + cents) : 0), last: day > last ? day : last });
  }
  return [...accounts].map(([name, { count, sum, last }]) => name + String(count).padStart(4, '0') + String(Math.abs(sum)).padStart(12, '0') + (sum < 0 ? 'D' : 'C') + last + 'SUM').join('\\n');
}`;

const invoice: Agreed = {
  rules:
    'A bill is text such as `bill 7: 3 x 1250, 1 x 15; tax 20`, cents and a tax of 5 or 20 per cent. The answer is `bill 7: net 3765, tax 753`, the tax rounded to whole cents. What is no such bill is answered `refused`.',
  cases: [
    ['bill 7: 3 x 1250, 1 x 15; tax 20', 'bill 7: net 3765, tax 753'],
    ['bill 8: 1 x 990, 2 x 15; tax 5', 'bill 8: net 1020, tax 51'],
    ['bill 9: tax 20', 'refused'],
  ],
};
const sums = `export function handle(text) {
  const bill = /^bill (\\d+): ((?:\\d+ x \\d+(?:, )?)+); tax (5|20)$/.exec(String(text));
  if (!bill) return 'refused';
  const net = [...bill[2].matchAll(/(\\d+) x (\\d+)/g)].reduce((sum, [, count, cents]) => sum + count * cents, 0);
  return 'bill ' + bill[1] + ': net ' + net + ', tax ' + Math.round((net * bill[3]) / 100);
}`;

const folders: Agreed = {
  rules: 'Lists the folders that are larger than limit, in the order of the request.',
  request: object({ limit: integer, folders: { type: 'array', items: object({ name: text, size: integer }) } }),
  response: object({ over: { type: 'array', items: text } }),
  cases: [
    [
      {
        limit: 100,
        folders: [
          { name: 'home', size: 261 },
          { name: 'old', size: 0 },
          { name: 'docs', size: 101 },
        ],
      },
      { over: ['home', 'docs'] },
    ],
    [{ limit: 0, folders: [{ name: 'empty', size: 0 }] }, { over: [] }],
  ],
};
const over = `export function handle({ limit, folders }) {
  return { over: (folders ?? []).filter(({ size }) => size > limit).map(({ name }) => String(name)) };
}`;

const honest: readonly [why: string, agreed: Agreed, handler: string][] = [
  ['fields at fixed places are no data of one piece', statement, balances],
  ['changed texts may all break a form that no schema tells', invoice, sums],
  ['a limit of zero that nothing goes beyond is no number of items', folders, over],
];
for (const [why, agreed, handler] of honest)
  test(`not refused: ${why}`, async () => assert.deepEqual(await refusalsOf(agreed, handler, sandbox), []));

test('lines of fixed places by heart are refused all the same', async () => {
  const byHeart = `const known = new Map(${JSON.stringify(statement.cases)});
export function handle(text) { return known.get(String(text)) ?? 'ERR0001'; }`;
  assert.notDeepEqual(await refusalsOf(statement, byHeart, sandbox), []);
});
