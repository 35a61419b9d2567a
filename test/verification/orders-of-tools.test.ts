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
const bills = (rule: string, told: string): Agreed => ({
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
          [{ konto: 'K-north' }, [middle, small, large]],
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
  const agreed = bills('Se ordenan por `betrag` de mayor a menor.', 'The bills of an account.');
  assert.deepEqual(
    (await refusalsOf(agreed, byPlace, sandbox)).filter((why) => why.startsWith('sorting')),
    [],
  );
  assert.match((await warningsOf(agreed, byPlace, sandbox)).join('\n'), /sorting: case 1: with the list of bills/);
});

for (const rule of ['Die Liste ist nicht sortiert.', 'Las facturas conservan el mismo orden de la cuenta.'])
  test(`no order is fixed: ${rule}`, async () => {
    const agreed = bills(`${rule} betrag`, 'The bills of an account, in any order.');
    assert.deepEqual(
      (await refusalsOf(agreed, byPlace, sandbox)).filter((why) => why.startsWith('sorting')),
      [],
    );
  });
