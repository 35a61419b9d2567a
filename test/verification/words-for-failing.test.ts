import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { type Agreed, acting, integer, object, reading, refusalsOf, text } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

/** Seats that are read and taken, with what the document says of a failing tool. */
const seats = (rules: string): Agreed => ({
  rules: `A seat is read with \`readSeat\`; one that is taken already gives 409. It is then taken with \`takeSeat\`. ${rules}`,
  request: object({ ref: text, seat: text }),
  response: object({ ref: text, code: integer, ticket: text }, ['ticket']),
  cases: [
    [
      { ref: 's-1', seat: 'B-17' },
      { ref: 's-1', code: 200, ticket: 'T-90217' },
    ],
    [
      { ref: 's-2', seat: 'A-03' },
      { ref: 's-2', code: 409 },
    ],
  ],
  tools: [
    reading('readSeat', object({ seat: text }), { enum: ['free', 'taken'] }, [[{ seat: 'A-03' }, 'taken']], 'free'),
    acting('takeSeat', object({ seat: text }), object({ ticket: text }), [], { ticket: 'T-90217' }),
  ],
});
const taking = (failed: string) => `export async function handle({ ref, seat }, { call }) {
  try { if ((await call.readSeat({ seat })) === 'taken') return { ref, code: 409 }; } catch { return { ref, code: 503 }; }
  ${failed === '' ? '' : 'try {'}
    return { ref, code: 200, ticket: (await call.takeSeat({ seat })).ticket };
  ${failed === '' ? '' : `} catch { return { ref, code: ${failed} }; }`}
}`;

for (const rule of [
  'If a tool errors out, the code is 503.',
  'If an error occurs in a tool, the code is 503.',
  'Misslingt der Aufruf eines Werkzeugs, ist der Code 503.',
  'Bei einem Fehler eines Werkzeugs ist der Code 503.',
  'Si se produce un error en una herramienta, el código es 503.',
  "En cas d'échec d'un outil, le code est 503.",
  'Em caso de erro numa ferramenta, o código é 503.',
  '工具报错时，code 为 503。',
  'ツールを利用できない場合、コードは 503 とする。',
])
  test(`a failure that escapes is refused, in whatever words it is spoken of: ${rule}`, async () => {
    assert.deepEqual(await refusalsOf(seats(rule), taking('503'), sandbox), []);
    assert.match((await refusalsOf(seats(rule), taking(''), sandbox)).join('\n'), /takeSeat fails: it throws/);
  });

for (const rule of [
  'Si la lectura falla, 503. El asiento se toma con `takeSeat`. Si falla, responde 502.',
  'Scheitert das Lesen: 503. Der Platz wird mit `takeSeat` belegt. Schlägt das fehl, ist der Code 502.',
  "Si la lecture échoue, 503. La place est prise avec `takeSeat`. S'il échoue, le code est 502.",
  '读取失败时为 503。再调用 `takeSeat` 占座。如失败，code 为 502。',
])
  test(`a failure without a word for what fails is that of the tool of the sentence before: ${rule}`, async () => {
    assert.deepEqual(await refusalsOf(seats(rule), taking('502'), sandbox), []);
    assert.match((await refusalsOf(seats(rule), taking('409'), sandbox)).join('\n'), /takeSeat fails: .*none of 502/);
  });

/** An irrigation that a forecast may hold back. */
const fields: Agreed = {
  rules:
    'The soil is read with `readSoil`, the weather with `getForecast`. Below 30 the field is watered with `startWater`, and the doctor of the plants is paged with `pageDoctor`; `paged` is true when the page was sent, and false in every other case. A page that fails does not change the code. If the soil cannot be read, the code is 503. A forecast that cannot be read is not an error. In this case nothing is started and nobody is paged.',
  request: object({ ref: text, field: text }),
  response: object({ ref: text, code: integer, paged: { type: 'boolean' } }),
  cases: [
    [
      { ref: 'f-1', field: 'N-7' },
      { ref: 'f-1', code: 200, paged: true },
    ],
    [
      { ref: 'f-2', field: 'S-2' },
      { ref: 'f-2', code: 200, paged: false },
    ],
  ],
  tools: [
    reading('readSoil', object({ field: text }), integer, [
      [{ field: 'N-7' }, 12],
      [{ field: 'S-2' }, 55],
    ]),
    reading('getForecast', object({ field: text }), integer, [], 0),
    acting('startWater', object({ field: text }), { type: 'boolean' }, [], true),
    acting('pageDoctor', object({ field: text }), { type: 'boolean' }, [], true),
  ],
};
const watering = (unread: string, unpaged: string) => `export async function handle({ ref, field }, { call, log }) {
  let soil, rain = 0;
  try { soil = await call.readSoil({ field }); } catch { return { ref, code: 503, paged: false }; }
  try { rain = await call.getForecast({ field }); } catch { ${unread} }
  if (soil + rain >= 30) return { ref, code: 200, paged: false };
  try { await call.startWater({ field }); } catch { return { ref, code: 503, paged: false }; }
  try { await call.pageDoctor({ field }); } catch { ${unpaged} }
  return { ref, code: 200, paged: true };
}`;
const [still, unsent] = ['return { ref, code: 200, paged: false };', 'return { ref, code: 200, paged: false };'];

test('who keeps what is said of a failure that is none is left alone', async () => {
  assert.deepEqual(await refusalsOf(fields, watering(still, unsent), sandbox), []);
});

for (const [what, handler, finding] of [
  [
    'an act that the sentence behind has not done then',
    watering('rain = 0;', unsent),
    /startWater is called all the same/,
  ],
  [
    'a failure that is none',
    watering('return { ref, code: 503, paged: false };', unsent),
    /getForecast fails: .*not an error/,
  ],
  [
    'a member that is named after an act that failed',
    watering(still, "log('unpaged');"),
    /pageDoctor fails: .*paged true/,
  ],
] as const)
  test(`refused: ${what}`, async () => assert.match((await refusalsOf(fields, handler, sandbox)).join('\n'), finding));
