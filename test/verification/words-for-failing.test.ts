import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import type { JsonObject } from '../../src/kernel/json.ts';
import { type Agreed, acting, findingsOf, integer, object, reading, refusalsOf, text } from './agreed.ts';

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
  'Falla cualquiera de las herramientas: 503.',
  'Se falhar uma das ferramentas o código é 503.',
  'Se fallisce uno degli strumenti il codice è 503.',
  "Si l'un des outils ne répond pas, le code est 503.",
  'Wenn eines der Werkzeuge versagt, ist der Code 503.',
])
  test(`of several tools any may fail: ${rule}`, async () => {
    assert.deepEqual(await refusalsOf(seats(rule), taking('503'), sandbox), []);
    assert.match((await refusalsOf(seats(rule), taking('409'), sandbox)).join('\n'), /takeSeat fails: .*none of 503/);
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
  test(`refused, or warned of: ${what}`, async () =>
    assert.match((await findingsOf(fields, handler, sandbox)).join('\n'), finding));

test('a table that has failing in its head says so of each of its tools', async () => {
  const rule = '\n\n| tool | answer when it fails |\n|---|---|\n| `readSeat` | code 503 |\n| `takeSeat` | code 502 |\n';
  assert.deepEqual(await refusalsOf(seats(rule), taking('502'), sandbox), []);
  assert.match((await refusalsOf(seats(rule), taking('503'), sandbox)).join('\n'), /takeSeat fails: .*none of 502/);
});

test('a value in quotes says nothing of what fails', async () => {
  const checks: Agreed = {
    rules:
      'A gauge is read with `readGauge`. Up to 50 the status is `pass`, above that `fail`, and below zero `error` with the reason `BROKEN`. `reason` is null for `pass` and `fail`. If `readGauge` fails, the status is `error` and the reason `DOWN`.',
    request: object({ ref: text, gauge: text }),
    response: object({ ref: text, status: { enum: ['pass', 'fail', 'error'] }, reason: { type: ['string', 'null'] } }),
    cases: [
      [
        { ref: 'g-1', gauge: 'G-4' },
        { ref: 'g-1', status: 'fail', reason: null },
      ],
      [
        { ref: 'g-2', gauge: 'G-9' },
        { ref: 'g-2', status: 'pass', reason: null },
      ],
      [
        { ref: 'g-3', gauge: 'G-6' },
        { ref: 'g-3', status: 'error', reason: 'BROKEN' },
      ],
    ],
    tools: [
      {
        ...(reading('readGauge', object({ gauge: text }), integer, [
          [{ gauge: 'G-4' }, 71],
          [{ gauge: 'G-9' }, 12],
          [{ gauge: 'G-6' }, -1],
        ]) as JsonObject),
        description: 'What a gauge says, null where there is none.',
      },
      reading('readOwner', object({ gauge: text }), text, [], 'Mira'),
    ],
  };
  const gauging = `export async function handle({ ref, gauge }, { call }) {
  try {
    const value = await call.readGauge({ gauge });
    return value < 0 ? { ref, status: 'error', reason: 'BROKEN' } : { ref, status: value > 50 ? 'fail' : 'pass', reason: null };
  } catch { return { ref, status: 'error', reason: 'DOWN' }; }
}`;
  assert.deepEqual(await refusalsOf(checks, gauging, sandbox), []);
});

for (const rule of ['if it fails, nothing changes.', 'if it fails, the rest goes on.'])
  test(`what is given back in any case is so after a failure that changes nothing: ${rule}`, async () => {
    const doses: Agreed = {
      rules: `A pump is claimed with \`claimPump\`. The grower is then told with \`notifyGrower\`; ${rule} As the last step the pump is given back with \`freePump\`. If another tool fails, the code is 503.`,
      request: object({ ref: text, pump: text }),
      response: object({ ref: text, code: integer }),
      cases: [
        [
          { ref: 'd-1', pump: 'P-7' },
          { ref: 'd-1', code: 200 },
        ],
      ],
      tools: ['claimPump', 'notifyGrower', 'freePump'].map((name) =>
        acting(name, object({ pump: text }), { type: 'boolean' }, [], true),
      ),
    };
    const dosing = `export async function handle({ ref, pump }, { call, log }) {
  try {
    await call.claimPump({ pump });
    await call.notifyGrower({ pump }).catch(() => log('not told'));
    await call.freePump({ pump });
    return { ref, code: 200 };
  } catch { return { ref, code: 503 }; }
}`;
    assert.deepEqual(await refusalsOf(doses, dosing, sandbox), []);
  });

/** Units of which the first that can be held is, and a list for who gets none. */
const units: Agreed = {
  rules:
    'Units are read with `searchUnits`. Each is held in turn with `holdUnit`: if that says `held` false, or fails, the next one is tried. Where none is held, the request is put on the list with `joinList`, and the code is 202. If the units cannot be read, the code is 503.',
  request: object({ ref: text, kind: text }),
  response: object({ ref: text, code: integer, unit: text }, ['unit']),
  cases: [
    [
      { ref: 'u-1', kind: 'A-neg' },
      { ref: 'u-1', code: 200, unit: 'U-3307' },
    ],
    [
      { ref: 'u-2', kind: 'B-pos' },
      { ref: 'u-2', code: 202 },
    ],
  ],
  tools: [
    reading(
      'searchUnits',
      object({ kind: text }),
      { type: 'array', items: text },
      [[{ kind: 'A-neg' }, ['U-3307']]],
      [],
    ),
    acting('holdUnit', object({ unit: text }), object({ held: { type: 'boolean' } }), [], { held: true }),
    acting('joinList', object({ kind: text }), object({ place: integer }), [], { place: 4 }),
  ],
};
const holding = (then: string) => `export async function handle({ ref, kind }, { call }) {
  let units;
  try { units = await call.searchUnits({ kind }); } catch { return { ref, code: 503 }; }
  for (const unit of units) {
    try { if ((await call.holdUnit({ unit })).held) return { ref, code: 200, unit }; } catch { ${then} }
  }
  try { await call.joinList({ kind }); } catch { return { ref, code: 503 }; }
  return { ref, code: 202 };
}`;

test('who tries something else after a failure is answered as that has it', async () => {
  assert.deepEqual(await refusalsOf(units, holding(''), sandbox), []);
});

test('a request that is refused by what one of two reads tells stays so where the other one fails', async () => {
  const scans: Agreed = {
    rules:
      'The register is read with `readRegister` and the record with `readRecord`, in any order. A device that the register does not allow is denied with `MODALITY`, whatever the record holds.\n\n| system | code |\n|---|---|\n| `readRegister` fails | `REGISTER_DOWN` |\n| `readRecord` fails | `RECORD_DOWN` |\n\nThe answer is `error` with that code.\n',
    request: object({ ref: text, device: text }),
    response: object({ ref: text, outcome: { enum: ['done', 'denied', 'error'] }, code: text }, ['code']),
    cases: [
      [
        { ref: 'm-1', device: 'CT' },
        { ref: 'm-1', outcome: 'done' },
      ],
      [
        { ref: 'm-2', device: 'MRI' },
        { ref: 'm-2', outcome: 'denied', code: 'MODALITY' },
      ],
    ],
    tools: [
      reading('readRegister', object({ device: text }), { type: 'boolean' }, [[{ device: 'CT' }, true]], false),
      reading('readRecord', object({ device: text }), { type: 'boolean' }, [], true),
    ],
  };
  const scanning = (denied: string) => `export async function handle({ ref, device }, { call }) {
  const [register, record] = await Promise.allSettled([call.readRegister({ device }), call.readRecord({ device })]);
  if (register.status === 'rejected') return { ref, outcome: 'error', code: 'REGISTER_DOWN' };
  ${denied}
  if (record.status === 'rejected') return { ref, outcome: 'error', code: 'RECORD_DOWN' };
  return { ref, outcome: 'done' };
}`;
  const deny = "if (!register.value) return { ref, outcome: 'denied', code: 'MODALITY' };";
  assert.deepEqual(await refusalsOf(scans, scanning(deny), sandbox), []);
});

for (const rule of [
  'If reading breaks: 503. If the taking breaks it is 502.',
  'The look-up breaks: 503. If `takeSeat` fails: 502.',
  'Should the seat not be readable, the code is 503. It is taken with `takeSeat`.\n- Doesn’t work: 502, done.',
  '| Step | If it goes wrong | Then |\n|---|---|---|\n| Read the seat, at once | breaks | 503 |\n| Take the seat | breaks | 502 |',
])
  test(`things break, do not work, or stand in a row: ${rule.slice(0, 60)}`, async () => {
    assert.deepEqual(await refusalsOf(seats(rule), taking('502'), sandbox), []);
    assert.match((await refusalsOf(seats(rule), taking('503'), sandbox)).join('\n'), /takeSeat fails: .*none of .*502/);
    assert.match(
      (await refusalsOf(seats(rule), taking('502').replace('503', '502'), sandbox)).join('\n'),
      /readSeat fails: .*none of .*503/,
    );
  });

test('what breaks a rule has not failed', async () => {
  const rule = 'A seat that breaks the row is 409 as well. If a tool fails: 503.';
  assert.deepEqual(await refusalsOf(seats(rule), taking('503'), sandbox), []);
});
