import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { type Agreed, object, reading, refusalsOf, text } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

const seeds = (rules: string, [bad, none]: [string, string]): Agreed => ({
  rules: `A line asks what a seed costs, as in PRICE s-204; the answer is 3.45 EUR.\n\n${rules}`,
  cases: [
    ['PRICE s-204', '3.45 EUR'],
    ['PRICE s-209', '7.12 EUR'],
    ['COST s-204', bad],
    ['PRICE s-777', none],
  ],
  tools: [
    reading(
      'seedPrice',
      object({ seed: text }),
      { type: ['object', 'null'], properties: { euro: text } },
      [
        [{ seed: 's-204' }, { euro: '3.45' }],
        [{ seed: 's-209' }, { euro: '7.12' }],
      ],
      null,
    ),
  ],
});
const handler = ([bad, none]: [string, string], failed: string) => `export async function handle(request, { call }) {
  const [, seed] = /^PRICE (\\S+)$/.exec(request) ?? [];
  if (seed === undefined) return '${bad}';
  try {
    const price = await call.seedPrice({ seed });
    return price?.euro ? price.euro + ' EUR' : '${none}';
  } catch {
    return '${failed}';
  }
}`;

const lists: [rules: string, shown: [string, string], failed: string][] = [
  [
    '| Grund | wann |\n| --- | --- |\n| FORM | die Zeile ist nicht wie oben |\n| FEHLT | den Samen gibt es nicht |\n| STOERUNG | die Preise können nicht befragt werden |',
    ['FORM', 'FEHLT'],
    'STOERUNG',
  ],
  [
    '| answer | when |\n| --- | --- |\n| ERR,line | the line is not as above |\n| ERR,seed | we have no such seed |\n| ERR,prices | the prices cannot be read |',
    ['ERR,line', 'ERR,seed'],
    'ERR,prices',
  ],
  [
    'Errors:\n\n    ERR 10      any other line\n    ERR 11      no such seed\n    ERR 20      the price list does not answer\n',
    ['ERR 10', 'ERR 11'],
    'ERR 20',
  ],
  [
    '| motivo | quando |\n| --- | --- |\n| sintaxe | a linha não é como acima |\n| semente | não há tal semente |\n| avaria | o preçário falha |',
    ['erro sintaxe', 'erro semente'],
    'erro avaria',
  ],
  [
    'Fehler:\n- `FEHLER Zeile` – die Zeile ist nicht wie oben\n- `FEHLER Samen` – den Samen gibt es nicht\n- `FEHLER Preise` – das Werkzeug antwortet nicht',
    ['FEHLER Zeile', 'FEHLER Samen'],
    'FEHLER Preise',
  ],
  [
    "| code | cas |\n| --- | --- |\n| LIGNE | la ligne n'est pas comme ci-dessus |\n| GRAINE | pas de telle graine |\n| TARIF | le prix n'a pas pu être obtenu |",
    ['LIGNE', 'GRAINE'],
    'TARIF',
  ],
  [
    '| answer | when |\n| --- | --- |\n| ERR LINE | the request cannot be read |\n| ERR SEED | there is no such seed |\n| ERR PRICE | the price could not be looked up |',
    ['ERR LINE', 'ERR SEED'],
    'ERR PRICE',
  ],
];
for (const [rules, shown, failed] of lists)
  test(`a failing tool has the name that a list of lines has for it: ${failed}`, async () => {
    const agreed = seeds(rules, shown);
    assert.deepEqual(await refusalsOf(agreed, handler(shown, failed), sandbox), []);
    assert.match(
      (await refusalsOf(agreed, handler(shown, shown[1]), sandbox)).join('\n'),
      /^failing-tools: case 1, where seedPrice fails: the answer has none of /m,
    );
  });

test('a list of what may be asked has no names of failures', async () => {
  const agreed = seeds(
    '- `List up` asks whether our price list is down\n- `PRICE` asks for a price\n- `COST` is another word for it',
    ['PRICE not COST', 'no PRICE'],
  );
  const said: [string, string] = ['PRICE not COST', 'no PRICE'];
  const cases: typeof agreed.cases = [...agreed.cases, ['List up', 'PRICE COST']];
  const asked = handler(said, 'later').replace(
    '{ call }) {',
    "{ call }) {\n  if (request === 'List up') return 'PRICE COST';",
  );
  assert.deepEqual(await refusalsOf({ ...agreed, cases }, asked, sandbox), []);
});

test('a name in capitals with accents is one, and a system may have failed already', async () => {
  const agreed: Agreed = {
    ...seeds('- `SINTAXIS`: la línea no es una orden', ['SINTAXIS', 'NO HAY']),
    rules:
      'Precios de semillas: PRICE s-204 tiene la respuesta 3.45 EUR.\n\nSin tal semilla:\n- `NO HAY`\n\nA cualquier orden:\n- `SINTAXIS`: la línea no es una orden\n- `AVERÍA`: el sistema ha fallado en algún paso\n',
  };
  assert.deepEqual(await refusalsOf(agreed, handler(['SINTAXIS', 'NO HAY'], 'AVERÍA'), sandbox), []);
  assert.match(
    (await refusalsOf(agreed, handler(['SINTAXIS', 'NO HAY'], 'NO HAY'), sandbox)).join('\n'),
    /^failing-tools: .*has none of AVERÍA/m,
  );
});
