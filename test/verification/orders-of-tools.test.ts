import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import type { Json } from '../../src/kernel/json.ts';
import { type Agreed, integer, object, reading, refusalsOf, text, warningsOf } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

const item = object({ nr: text, betrag: integer });
const [small, middle, large] = [
  { nr: 'r-418', betrag: 35 },
  { nr: 'r-220', betrag: 118 },
  { nr: 'r-307', betrag: 960 },
];
const bills = (rule: string, told: string, own: Json[] = [middle, small, large]): Agreed => ({
  rules: rule,
  request: object({ id: text, konto: text }),
  response: object({ id: text, liste: { type: 'array', items: item } }),
  tools: [
    {
      ...(reading(
        'bills',
        object({ konto: text }),
        { type: 'array', items: item },
        [
          [{ konto: 'K-north' }, own],
          [{ konto: 'K-south' }, [small]],
        ],
        [],
      ) as Record<string, Json>),
      description: told,
    },
  ],
  cases: [
    [
      { id: 'o-1', konto: 'K-north' },
      { id: 'o-1', liste: [large, middle, small] },
    ],
    [
      { id: 'o-2', konto: 'K-south' },
      { id: 'o-2', liste: [small] },
    ],
    [
      { id: 'o-3', konto: 'K-none' },
      { id: 'o-3', liste: [] },
    ],
  ],
});
const list = (order: string) => `export async function handle({ id, konto }, { call }) {
  const all = await call.bills({ konto: String(konto) });
  return { id: String(id), liste: ${order} };
}`;
const sorted = list('[...all].sort((a, b) => b.betrag - a.betrag)');
const byPlace = list('all.length === 3 ? [all[2], all[0], all[1]] : all');

for (const [rule, told] of [
  ['The list is sorted by `betrag`, largest first.', 'The bills of an account, in any order.'],
  ['Die Liste ist nach `betrag` absteigend sortiert.', 'Rechnungen eines Kontos, in beliebiger Reihenfolge.'],
  ['Se ordenan por `betrag` de mayor a menor.', 'Facturas de una cuenta, en cualquier orden.'],
  ['La liste est triée par `betrag` décroissant.', "Factures d'un compte, dans un ordre quelconque."],
  ['A lista é ordenada por `betrag`, do maior ao menor.', 'Faturas de uma conta, em qualquer ordem.'],
  ['列表按 `betrag` 降序排列。', '账户的账单，顺序不定'],
] as const)
  test(`a tool that tells its list in any order leaves the order to the handler: ${rule}`, async () => {
    const agreed = bills(rule, told);
    assert.match((await refusalsOf(agreed, byPlace, sandbox)).join('\n'), /sorting: case 1: with the list of bills/);
    assert.deepEqual(await refusalsOf(agreed, sorted, sandbox), []);
  });

test('a tool that says nothing of its order is warned of alone', async () => {
  const agreed = bills('Se ordenan por `betrag` de mayor a menor.', 'The bills of an account.', [small, middle, large]);
  const turned = list('[...all].reverse()');
  assert.deepEqual(
    (await refusalsOf(agreed, turned, sandbox)).filter((why) => why.startsWith('sorting')),
    [],
  );
  assert.match((await warningsOf(agreed, turned, sandbox)).join('\n'), /sorting: case 1: with the list of bills/);
});

test('a tool that tells what is sorted by neither rising nor falling has no order to rely on', async () => {
  const agreed = bills('Se ordenan por `betrag` de mayor a menor.', 'The bills of an account.');
  assert.match((await refusalsOf(agreed, byPlace, sandbox)).join('\n'), /sorting: case 1: with the list of bills/);
  assert.deepEqual(await refusalsOf(agreed, sorted, sandbox), []);
});

test('items of one value are in any order among themselves, and their values are in one', async () => {
  const even = { nr: 'r-511', betrag: 118 };
  const agreed = bills('The list is sorted by `betrag`, largest first.', 'The bills of an account.', [
    middle,
    small,
    large,
    even,
  ]);
  agreed.cases[0] = [
    { id: 'o-1', konto: 'K-north' },
    { id: 'o-1', liste: [large, middle, even, small] },
  ];
  assert.deepEqual(await refusalsOf(agreed, sorted, sandbox), []);
  const placed = list('all.length === 4 ? [all[2], all[0], all[3], all[1]] : all');
  assert.match((await refusalsOf(agreed, placed, sandbox)).join('\n'), /sorting: case 1: with the list of bills/);
});

/** Runners that come in by heat, and lines that go out by time. */
const race: Agreed = {
  rules: 'There is a line for each runner, fastest first: the name and the seconds.',
  request: object({ runners: { type: 'array', items: object({ name: text, seconds: integer }) } }),
  response: object({ board: { type: 'array', items: text } }),
  cases: [
    [
      {
        runners: [
          { name: 'Okoro', seconds: 61 },
          { name: 'Lindt', seconds: 74 },
          { name: 'Baker', seconds: 58 },
        ],
      },
      { board: ['Baker 58', 'Okoro 61', 'Lindt 74'] },
    ],
    [{ runners: [{ name: 'Silva', seconds: 90 }] }, { board: ['Silva 90'] }],
    [{ runners: [] }, { board: [] }],
  ],
};

test('lines of an answer that are sorted do not depend on the order of the request', async () => {
  const racing = (order: string) => `
export function handle({ runners }: any) {
  const all = ${order};
  return { board: all.map(({ name, seconds }: any) => name + ' ' + seconds) };
}`;
  assert.deepEqual(await refusalsOf(race, racing('[...runners].sort((a, b) => a.seconds - b.seconds)'), sandbox), []);
  const placed = racing('runners.length === 3 ? [runners[2], runners[0], runners[1]] : runners');
  assert.match((await refusalsOf(race, placed, sandbox)).join('\n'), /sorting: .* turned round, the answer is another/);
});

/** Minutes to the next trams, in one line. */
const trams: Agreed = {
  rules:
    'A stop is asked for by its name. The answer is one line: the minutes that `trams` tells, sorted from the smallest to the largest, parted by blanks. A failing tool is answered with `closed`.',
  tools: [
    reading(
      'trams',
      object({ stop: text }),
      object({ minutes: { type: 'array', items: integer } }),
      [
        [{ stop: 'Oderplatz' }, { minutes: [9, 31, 17] }],
        [{ stop: 'Elbtor' }, { minutes: [4] }],
      ],
      { minutes: [] },
    ),
  ],
  cases: [
    ['Oderplatz', '9 17 31'],
    ['Elbtor', '4'],
  ],
};

test('neither does a text depend on the order of what a tool tells', async () => {
  const waiting = (order: string) => `
export async function handle(request: string, { call }: any) {
  try {
    const { minutes } = await call.trams({ stop: request.trim() });
    return ${order}.join(' ');
  } catch {
    return 'closed';
  }
}`;
  assert.deepEqual(await refusalsOf(trams, waiting('[...minutes].sort((a: number, b: number) => a - b)'), sandbox), []);
  const line = waiting('[...minutes].sort((a: number, b: number) => a - b)').replace(
    "join(' ')",
    "join(' ') + '\\r\\n'",
  );
  assert.deepEqual(await refusalsOf(trams, line, sandbox), []);
  const placed = waiting('(minutes.length === 3 ? [minutes[0], minutes[2], minutes[1]] : minutes)');
  assert.match(
    (await refusalsOf(trams, placed, sandbox)).join('\n'),
    /sorting: .* turned round, the answer is another/,
  );
});

for (const rule of ['Die Liste ist nicht sortiert.', 'Las facturas conservan el mismo orden de la cuenta.'])
  test(`no order is fixed: ${rule}`, async () => {
    const agreed = bills(`${rule} betrag`, 'The bills of an account, in any order.');
    assert.deepEqual(
      (await refusalsOf(agreed, byPlace, sandbox)).filter((why) => why.startsWith('sorting')),
      [],
    );
  });
