import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { type Agreed, integer, object, reading, refusalsOf, text } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

const boat = object({ sail: text, points: integer, club: text });
const [gull, tern, rook] = [
  { sail: 'GER 41', points: 18, club: 'Kiel' },
  { sail: 'DEN 17', points: 31, club: 'Aarhus' },
  { sail: 'NED 88', points: 7, club: 'Hoorn' },
];
const shown = ({ sail, points }: typeof gull) => ({ sail, points });

const regatta = (rule: string): Agreed => ({
  rules: `\`listBoats\` gives the boats of a race in no particular order. ${rule}`,
  request: object({ id: text, race: text }),
  response: object({ id: text, boats: { type: 'array', items: object({ sail: text, points: integer }) } }),
  tools: [
    reading('listBoats', object({ race: text }), { type: 'array', items: boat }, [
      [{ race: 'west' }, [gull, tern, rook]],
      [{ race: 'east' }, [rook, gull]],
    ]),
  ],
  cases: [
    [
      { id: 'q-1', race: 'west' },
      { id: 'q-1', boats: [rook, gull, tern].map(shown) },
    ],
    [
      { id: 'q-2', race: 'east' },
      { id: 'q-2', boats: [rook, gull].map(shown) },
    ],
  ],
});
const ranked = (
  order: string,
  all = 'await call.listBoats({ race })',
) => `export async function handle({ id, race }, { call }) {
  const all = ${all};
  return { id, boats: [...all].sort((a, b) => ${order}).map(({ sail, points }) => ({ sail, points })) };
}`;
const byPoints = 'a.points - b.points';
const bySail = `${byPoints} || (a.sail < b.sail ? -1 : 1)`;

for (const rule of [
  'The boats are sorted by points, fewest first; boats with equal points are in ascending order of their sail.',
  'The boats are sorted by points (fewest first), then by sail in ascending order.',
  'Die Boote stehen nach `points` aufsteigend, bei gleichen `points` nach `sail` aufsteigend.',
  'Los barcos se ordenan por points; con los mismos points, por sail en orden ascendente.',
  '按 points 升序排列，points 相同时按 sail 升序排列。',
])
  test(`between items that are alike the document decides: ${rule}`, async () => {
    assert.deepEqual(await refusalsOf(regatta(rule), ranked(bySail), sandbox), []);
    const left = await refusalsOf(regatta(rule), ranked(byPoints), sandbox);
    assert.match(left.join('\n'), /sorting: .*differ in sail alone, it matters which comes first/);
  });

for (const rule of [
  'The boats are sorted by points, fewest first; boats with equal points are in the order in which the tool lists them, whatever their sail.',
  'Boats with the same points stay in the order they were received in, not by sail; else fewest points first.',
])
  test(`ties may be left to what comes first: ${rule}`, async () => {
    assert.deepEqual(await refusalsOf(regatta(rule), ranked(byPoints), sandbox), []);
  });

test('of two entries that are taken for one, either may count', async () => {
  const rule =
    'The boats are sorted by points, then by sail. A club that is listed more than once is told with its first boat.';
  const first =
    'await call.listBoats({ race }).then((all) => all.filter((one, at) => all.findIndex((other) => other.club === one.club) === at))';
  assert.deepEqual(await refusalsOf(regatta(rule), ranked(bySail, first), sandbox), []);
});

const quotes: Agreed = {
  rules:
    'The shop asks for prices.\n\n    PRICES <goods>\n\nThe answer has one line for each offer:\n\n    <seller> <days> <price>\n\nThe lowest price wins. At the same price the seller whose name comes first in the alphabet wins.',
  cases: [
    ['PRICES rope', 'MARLOW 4 18.20\nBRANDT 2 21.90\nKNOPF 9 30.00'],
    ['PRICES tar', 'ZIMMER 3 7.10\nADLER 5 9.95'],
  ],
  task: {
    description: 'Which seller has the lowest price.',
    inputSchema: object({ goods: text }),
    outputSchema: object({ seller: text }),
    examples: [
      { testCase: 1, input: { goods: 'rope' }, output: { seller: 'MARLOW' } },
      { testCase: 2, input: { goods: 'tar' }, output: { seller: 'ZIMMER' } },
    ],
  },
};
const buying = (order: string) => `export async function perform({ goods }, { send }) {
  const answer = await send('PRICES ' + goods);
  const all = String(answer).trim().split('\\n').map((line) => line.trim().split(/\\s+/));
  const [best] = all.sort((a, b) => ${order});
  return { seller: best[0] };
}`;

test('lines of the peer that are alike are told apart as the document has it', async () => {
  const price = 'Number(a[2]) - Number(b[2])';
  const sound = await refusalsOf(quotes, buying(`${price} || (a[0] < b[0] ? -1 : 1)`), sandbox);
  assert.doesNotMatch(sound.join('\n'), /sorting/);
  assert.match((await refusalsOf(quotes, buying(price), sandbox)).join('\n'), /sorting: .*differ in seller alone/);
});

test('rows of a text whose first line names their fields are told apart as well', async () => {
  const hours: Agreed = {
    rules:
      'The first line is `person;day;minutes`, each other line an entry. The answer has a line `person;minutes` for each person with the sum of the minutes, most first. Persons with the same sum are sorted by person.',
    cases: [
      ['person;day;minutes\nLUX;2;30\nBEN;2;40\nLUX;3;50', 'LUX;80\nBEN;40'],
      ['person;day;minutes\nKAI;2;15\nANN;2;70', 'ANN;70\nKAI;15'],
    ],
  };
  const adding = (order: string) => `export function handle(request) {
    const sums = new Map();
    for (const line of String(request).trim().split('\\n').slice(1)) {
      const [person, , minutes] = line.split(';');
      sums.set(person, (sums.get(person) ?? 0) + Number(minutes));
    }
    return [...sums].sort((a, b) => ${order}).map((one) => one.join(';')).join('\\n') || 'none';
  }`;
  assert.doesNotMatch(
    (await refusalsOf(hours, adding('b[1] - a[1] || (a[0] < b[0] ? -1 : 1)'), sandbox)).join('\n'),
    /sorting/,
  );
  assert.match(
    (await refusalsOf(hours, adding('b[1] - a[1]'), sandbox)).join('\n'),
    /sorting: .*differ in person alone/,
  );
});
