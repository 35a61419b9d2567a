import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { type Agreed, integer, number, object, reading, refusalsOf, text } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

const order = object({ id: text, amount: number, state: text });

const match = object({ home: text, away: text, goals: integer, against: integer });
const row = object({ rank: integer, team: text, points: integer });

const honest: readonly [why: string, agreed: Agreed, handler: string][] = [
  [
    'the rank in one row is none of the whole, though it may be as great as the number of items',
    {
      rules:
        'The table has one row for each team of the results, most points first, then by name. Who has as many points as the team before has its rank; the rank of the next is its position (1, 2, 2, 4). A win has 3 points, a draw 1.',
      request: object({ results: { type: 'array', items: match } }),
      response: object({ table: { type: 'array', items: row } }),
      cases: [
        [
          {
            results: [
              { home: 'Rovers', away: 'United', goals: 2, against: 1 },
              { home: 'Albion', away: 'Rovers', goals: 0, against: 0 },
              { home: 'United', away: 'Albion', goals: 3, against: 0 },
            ],
          },
          {
            table: [
              { rank: 1, team: 'Rovers', points: 4 },
              { rank: 2, team: 'United', points: 3 },
              { rank: 3, team: 'Albion', points: 1 },
            ],
          },
        ],
        [
          {
            results: [
              { home: 'Wolves', away: 'Bears', goals: 1, against: 1 },
              { home: 'Hawks', away: 'Lions', goals: 4, against: 2 },
            ],
          },
          {
            table: [
              { rank: 1, team: 'Hawks', points: 3 },
              { rank: 2, team: 'Bears', points: 1 },
              { rank: 2, team: 'Wolves', points: 1 },
              { rank: 4, team: 'Lions', points: 0 },
            ],
          },
        ],
      ],
    },
    `export function handle({ results }) {
  const points = new Map();
  const add = (team, more) => points.set(team, (points.get(team) ?? 0) + more);
  for (const { home, away, goals, against } of results) {
    add(home, goals > against ? 3 : goals === against ? 1 : 0);
    add(away, against > goals ? 3 : goals === against ? 1 : 0);
  }
  const table = [...points].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).map(([team, own]) => ({ rank: 0, team, points: own }));
  table.forEach((own, index) => { own.rank = index > 0 && table[index - 1].points === own.points ? table[index - 1].rank : index + 1; });
  return { table };
}`,
  ],
  [
    'which items come first may be decided by comparing their ids',
    {
      rules:
        'The orders of a customer, greatest amount first; orders of one amount by id, ascending. `size` orders from page `page` on; `total` counts all. `orders(customer)` has them in any order.',
      request: object({ id: text, customer: text, page: integer, size: integer }),
      response: object({ id: text, orders: { type: 'array', items: order }, total: integer }),
      cases: [
        [
          { id: 'q1', customer: 'sun hardware', page: 1, size: 3 },
          {
            id: 'q1',
            orders: [
              { id: 'p-100', amount: 120, state: 'sent' },
              { id: 'p-101', amount: 120, state: 'open' },
              { id: 'p-103', amount: 35.5, state: 'done' },
            ],
            total: 5,
          },
        ],
        [
          { id: 'q2', customer: 'new', page: 4, size: 3 },
          { id: 'q2', orders: [], total: 0 },
        ],
      ],
      tools: [
        reading('orders', object({ customer: text }), { type: 'array', items: order }, [
          [
            { customer: 'sun hardware' },
            [
              { id: 'p-104', amount: 35.5, state: 'sent' },
              { id: 'p-101', amount: 120, state: 'open' },
              { id: 'p-103', amount: 35.5, state: 'done' },
              { id: 'p-102', amount: 9.99, state: 'open' },
              { id: 'p-100', amount: 120, state: 'sent' },
            ],
          ],
          [{ customer: 'new' }, []],
        ]),
      ],
    },
    `export async function handle({ id, customer, page, size }, { call }) {
  const all = (await call.orders({ customer: String(customer) }))
    .sort((a, b) => b.amount - a.amount || a.id.localeCompare(b.id));
  return { id: String(id), orders: all.slice((page - 1) * size, page * size), total: all.length };
}`,
  ],
  [
    'the last day of a month stays a day when tools tell other ones',
    {
      rules:
        'A voucher from `voucher(number)` is valid from its first to its last day. With a valid one `code` is OK and `discount` the smaller of its value and the amount. E404: no such voucher, E410: not valid on `day`; `discount` is 0 with both.',
      request: object({ id: text, number: text, amount: integer, day: { type: 'string', format: 'date' } }),
      response: object({ id: text, code: { enum: ['OK', 'E404', 'E410'] }, discount: integer }),
      cases: [
        [
          { id: 'a-1', number: 'SPRING25', amount: 12345, day: '2025-03-30' },
          { id: 'a-1', code: 'OK', discount: 3000 },
        ],
        [
          { id: 'a-2', number: 'MINUS500', amount: 320, day: '2025-03-02' },
          { id: 'a-2', code: 'OK', discount: 320 },
        ],
        [
          { id: 'a-3', number: 'SPRING25', amount: 320, day: '2025-04-01' },
          { id: 'a-3', code: 'E410', discount: 0 },
        ],
        [
          { id: 'a-4', number: 'NOBODY01', amount: 320, day: '2025-03-05' },
          { id: 'a-4', code: 'E404', discount: 0 },
        ],
      ],
      tools: [
        reading(
          'voucher',
          object({ number: text }),
          { type: ['object', 'null'], properties: { value: integer, first: text, last: text } },
          [
            [{ number: 'SPRING25' }, { value: 3000, first: '2025-03-01', last: '2025-03-31' }],
            [{ number: 'MINUS500' }, { value: 500, first: '2025-03-01', last: '2025-03-31' }],
          ],
          null,
        ),
      ],
    },
    `export async function handle({ id: given, number, amount, day }, { call }) {
  const id = String(given);
  const voucher = await call.voucher({ number: String(number) });
  if (voucher === null) return { id, code: 'E404', discount: 0 };
  if (day < voucher.first || day > voucher.last) return { id, code: 'E410', discount: 0 };
  return { id, code: 'OK', discount: Math.min(voucher.value, amount) };
}`,
  ],
];

for (const [why, agreed, handler] of honest)
  test(`not refused: ${why}`, async () => assert.deepEqual(await refusalsOf(agreed, handler, sandbox), []));
