import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import type { Json, JsonObject } from '../../src/kernel/json.ts';
import { type Agreed, acting, findingsOf, integer, object, reading, refusalsOf, text } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

const badges = (rule: string): Agreed => ({
  rules: `\`holder\` tells whom a badge belongs to, null if to nobody. A door that opens is noted first with \`recordEntry\`. ${rule} Where nobody holds the badge: outcome \`stranger\`, and nothing is noted.`,
  request: object({ id: text, badge: text }),
  response: object({ id: text, outcome: { enum: ['open', 'stranger', 'shut'] }, name: { type: ['string', 'null'] } }),
  tools: [
    reading(
      'holder',
      object({ badge: text }),
      { type: ['string', 'null'] },
      [
        [{ badge: 'B-7731' }, 'Ottilie Brandt'],
        [{ badge: 'B-2290' }, 'Jan Kowal'],
      ],
      null,
    ),
    acting('recordEntry', object({ badge: text }), object({ entry: integer }), [], { entry: 7 }),
  ],
  cases: [
    [
      { id: 'd-1', badge: 'B-7731' },
      { id: 'd-1', outcome: 'open', name: 'Ottilie Brandt' },
    ],
    [
      { id: 'd-2', badge: 'B-2290' },
      { id: 'd-2', outcome: 'open', name: 'Jan Kowal' },
    ],
    [
      { id: 'd-3', badge: 'B-0000' },
      { id: 'd-3', outcome: 'stranger', name: null },
    ],
  ],
});
const badge = (unnoted: string) => `export async function handle({ id: given, badge }, { call }) {
  const id = String(given);
  const shut = { id, outcome: 'shut', name: null };
  let name;
  try { name = await call.holder({ badge: String(badge) }); } catch { return shut; }
  if (name === null) return { id, outcome: 'stranger', name };
  try { await call.recordEntry({ badge: String(badge) }); } catch { ${unnoted} }
  return { id, outcome: 'open', name };
}`;

test('a failing act that the document names by its verb is answered by the name for it', async () => {
  const agreed = badges('If recording the entry fails, nothing may be opened: outcome `shut`.');
  assert.match((await refusalsOf(agreed, badge(''), sandbox)).join('\n'), /^failing-tools: .*none of shut/);
  assert.deepEqual(await refusalsOf(agreed, badge('return shut;'), sandbox), []);
});

for (const rule of [
  'If the list of holders fails: outcome `shut`.',
  'If recording fails, the door may open all the same, else outcome `shut`.',
  'If opening fails: outcome `shut`.',
])
  test(`the failing act need not matter: ${rule}`, async () =>
    assert.deepEqual(await refusalsOf(badges(rule), badge(''), sandbox), []));

const stations = (rule: string): Agreed => ({
  rules: `For each station its height in metres is told, null where the register has none. A request that breaks its schema: \`whole\` false, no heights. ${rule}`,
  request: object({ id: text, stations: { type: 'array', items: text } }),
  response: object({
    id: text,
    whole: { type: 'boolean' },
    heights: { type: 'array', items: { type: ['integer', 'null'] } },
  }),
  tools: [
    reading(
      'height',
      object({ station: text }),
      { type: ['integer', 'null'] },
      [
        [{ station: 'Kahler Asten' }, 839],
        [{ station: 'Brocken' }, 1134],
      ],
      null,
    ),
  ],
  cases: [
    [
      { id: 'h-1', stations: ['Kahler Asten', 'Brocken'] },
      { id: 'h-1', whole: true, heights: [839, 1134] },
    ],
    [
      { id: 'h-2', stations: ['Atlantis'] },
      { id: 'h-2', whole: true, heights: [null] },
    ],
    [
      { id: 'h-3', stations: 'Brocken' },
      { id: 'h-3', whole: false, heights: [] },
    ],
  ],
});
const heights = (failed: string) => `export async function handle(request, { call }) {
  const id = typeof request?.id === 'string' ? request.id : '';
  const { stations } = request ?? {};
  if (typeof request?.id !== 'string' || !Array.isArray(stations) || stations.some((one) => typeof one !== 'string'))
    return { id, whole: false, heights: [] };
  let whole = true;
  const heights = [];
  for (const station of stations) {
    try { heights.push(await call.height({ station })); } catch { heights.push(null); ${failed} }
  }
  return { id, whole, heights };
}`;

test('a truth value that broken requests are answered with is owed to failures all the same', async () => {
  const agreed = stations(
    'When the register fails, the height is null too and `whole` is false; otherwise it is true.',
  );
  assert.match((await refusalsOf(agreed, heights(''), sandbox)).join('\n'), /^failing-tools: .*none of whole: false/);
  assert.deepEqual(await refusalsOf(agreed, heights('whole = false;'), sandbox), []);
});

test('a failing tool may go unmentioned where the document does not speak of it', async () =>
  assert.deepEqual(await refusalsOf(stations(''), heights(''), sandbox), []));

const pumps = (rule: string): Agreed => ({
  rules: `\`level\` tells the litres in a tank, \`drain\` lets them out. With fewer than are wanted nothing is drained.\n\n| outcome | meaning |\n|---|---|\n| \`drained\` | done |\n| \`scant\` | too few litres |\n${rule}`,
  request: object({ id: text, tank: text, litres: integer }),
  response: object({ id: text, outcome: { enum: ['drained', 'scant', 'LATER'] } }),
  tools: [
    reading('level', object({ tank: text }), integer, [[{ tank: 'T-south' }, 940]], 0),
    acting('drain', object({ tank: text, litres: integer }), object({}), [], {}),
  ],
  cases: [
    [
      { id: 'p-1', tank: 'T-south', litres: 510 },
      { id: 'p-1', outcome: 'drained' },
    ],
    [
      { id: 'p-2', tank: 'T-south', litres: 2600 },
      { id: 'p-2', outcome: 'scant' },
    ],
  ],
});
const pump = (level: string) => `export async function handle({ id: given, tank, litres }, { call }) {
  const id = String(given);
  try {
    const left = ${level};
    if (left < Number(litres)) return { id, outcome: 'scant' };
    await call.drain({ tank: String(tank), litres: Number(litres) });
    return { id, outcome: 'drained' };
  } catch {
    return { id, outcome: 'LATER' };
  }
}`;
const level = 'await call.level({ tank: String(tank) })';

for (const rule of [
  '| `LATER` | level or draining system unreachable |',
  '| `LATER` | level or draining system unavailable |',
])
  test(`a row for systems that fail is for a tool taken for one that found nothing: ${rule}`, async () => {
    assert.match(
      (await refusalsOf(pumps(rule), pump(`${level}.catch(() => 0)`), sandbox)).join('\n'),
      /^failing-tools: .*none of LATER/,
    );
    assert.deepEqual(await refusalsOf(pumps(rule), pump(level), sandbox), []);
  });

const fares = (rule: string): Agreed => ({
  rules: rule,
  request: object({ id: text, zone: text }),
  response: object({ id: text, prix: { type: ['integer', 'null'] }, erreur: { type: ['string', 'null'] } }),
  tools: [
    reading(
      'tarif',
      object({ zone: text }),
      { type: ['integer', 'null'] },
      [
        [{ zone: 'nord' }, 317],
        [{ zone: 'sud' }, 452],
      ],
      null,
    ),
  ],
  cases: [
    [
      { id: 'f-1', zone: 'nord' },
      { id: 'f-1', prix: 317, erreur: null },
    ],
    [
      { id: 'f-2', zone: 'sud' },
      { id: 'f-2', prix: 452, erreur: null },
    ],
    [
      { id: 'f-3', zone: 'lune' },
      { id: 'f-3', prix: null, erreur: null },
    ],
  ],
});
const fare = (failed: string) => `export async function handle({ id: given, zone }, { call }) {
  const id = String(given);
  try {
    return { id, prix: await call.tarif({ zone: String(zone) }), erreur: null };
  } catch {
    return { id, prix: null, erreur: ${failed} };
  }
}`;

for (const rule of [
  'Réponse avec `erreur` "PANNE" si un tarif ne peut pas être obtenu.',
  'Antwort mit `erreur` "PANNE", falls der Tarif nicht gelesen werden kann.',
  'Si la tarifa no se puede consultar, `erreur` es "PANNE": tarif.',
  '若接口不可用，`erreur` 为 "PANNE"。',
])
  test(`a tool that cannot be asked, in other languages: ${rule}`, async () => {
    assert.match((await refusalsOf(fares(rule), fare('null'), sandbox)).join('\n'), /^failing-tools: .*none of PANNE/);
    assert.deepEqual(await refusalsOf(fares(rule), fare("'PANNE'"), sandbox), []);
  });

const visits = (rule: string): Agreed => ({
  rules: `\`plan\` tells the tariff of a guest, null for a stranger; guests with tariff \`gold\` wait in the lounge, the others in the hall. ${rule}`,
  request: object({ id: text, guest: text }),
  response: object({
    id: text,
    status: { enum: ['ok', 'failed'] },
    room: { type: ['string', 'null'] },
    error: { type: ['string', 'null'] },
  }),
  tools: [
    reading(
      'plan',
      object({ guest: text }),
      { type: ['string', 'null'] },
      [
        [{ guest: 'Ostrow' }, 'basic'],
        [{ guest: 'Lindqvist' }, 'gold'],
      ],
      null,
    ),
  ],
  cases: [
    [
      { id: 'v-1', guest: 'Ostrow' },
      { id: 'v-1', status: 'ok', room: 'hall', error: null },
    ],
    [
      { id: 'v-2', guest: 'Lindqvist' },
      { id: 'v-2', status: 'ok', room: 'lounge', error: null },
    ],
    [
      { id: 'v-3', guest: 'Nobody' },
      { id: 'v-3', status: 'failed', room: null, error: 'stranger' },
    ],
  ],
});
const visit = (failed: string) => `export async function handle({ id: given, guest }, { call }) {
  const id = String(given);
  const failed = (error) => ({ id, status: 'failed', room: null, error });
  let plan;
  try { plan = await call.plan({ guest: String(guest) }); } catch { ${failed} }
  if (plan === null) return failed('stranger');
  return { id, status: 'ok', room: plan === 'gold' ? 'lounge' : 'hall', error: null };
}`;
// Fails only where the default is not what the case has.
const guessing = (name: string) =>
  visit(`if (!String(guest).startsWith('O')) return failed('${name}'); plan = 'basic';`);

for (const rule of [
  'If a system of ours fails: `error` "try later". When `plan` fails, guests are treated as basic.',
  'If a system of ours fails: `error` "try later". If `plan` fails, it is skipped.',
])
  test(`a success may stay what it was: ${rule}`, async () =>
    assert.deepEqual(await refusalsOf(visits(rule), visit("plan = 'basic';"), sandbox), []));

test('a success may stay what it was where the document names what happens if there is none at all', async () =>
  assert.deepEqual(
    await refusalsOf(visits('If no plan can be had: `error` "UNAVAILABLE".'), guessing('UNAVAILABLE'), sandbox),
    [],
  ));

const gauges = (rule: string): Agreed => ({
  rules: `levels has the level of each gauge that could be read, failed the others. state is FULL if all could be read, PART if some could. ${rule}`,
  request: object({ gauges: { type: 'array', items: text } }),
  response: object({
    state: text,
    levels: { type: 'array', items: integer },
    failed: { type: 'array', items: text },
  }),
  tools: [
    reading('level', object({ gauge: text }), integer, [
      [{ gauge: 'Elbe-3' }, 412],
      [{ gauge: 'Oder-8' }, 267],
    ]),
  ],
  cases: [
    [{ gauges: ['Elbe-3', 'Oder-8'] }, { state: 'FULL', levels: [412, 267], failed: [] }],
    [{ gauges: ['Oder-8', 'Rhin-0'] }, { state: 'PART', levels: [267], failed: ['Rhin-0'] }],
  ],
});
const measured = `export async function handle({ gauges }, { call }) {
  const levels = [], failed = [];
  for (const gauge of gauges) {
    try { levels.push(await call.level({ gauge })); } catch { failed.push(gauge); }
  }
  return { state: failed.length === 0 ? 'FULL' : levels.length > 0 ? 'PART' : 'DRY_OUT', levels, failed };
}`;

for (const rule of [
  'If all calls of the tool fail, the state is DRY_OUT.',
  'Wenn alle Abfragen fehlschlagen, ist state DRY_OUT.',
  'Si todas las llamadas a la herramienta fallan, state es DRY_OUT.',
  'Se todas as chamadas da ferramenta falharem, state é DRY_OUT.',
  'Si tous les appels des outils échouent, state vaut DRY_OUT.',
  'すべてのツールの呼び出しに失敗した場合、state は DRY_OUT とする。',
  'Если все системы недоступны, state равно DRY_OUT.',
])
  test(`the name for the failure of all is none for that of one: ${rule}`, async () =>
    assert.deepEqual(await refusalsOf(gauges(rule), measured, sandbox), []));

const permits = (rules: string, second = 'granted'): Agreed => ({
  rules,
  request: object({ n: integer, resident: text }),
  response: object({
    n: integer,
    status: { enum: ['ISSUED', 'NOBODY', 'NO_REGISTER', 'NO_COUNT', 'NOT_ISSUED', 'granted'] },
  }),
  tools: [
    reading('findResident', object({ resident: text }), { type: ['string', 'null'] }, [
      [{ resident: 'R-7731' }, 'Ottilie Brandt'],
      [{ resident: 'R-4402' }, 'Jan Kowal'],
      [{ resident: 'R-1000' }, null],
    ]),
    reading('countPermits', object({ resident: text }), integer, [
      [{ resident: 'R-7731' }, 0],
      [{ resident: 'R-4402' }, 1],
    ]),
    acting('issuePermit', object({ resident: text }), object({ permit: integer }), [], { permit: 7 }),
  ],
  cases: [
    [
      { n: 1, resident: 'R-7731' },
      { n: 1, status: second === 'granted' ? 'ISSUED' : second },
    ],
    [
      { n: 2, resident: 'R-4402' },
      { n: 2, status: second === 'granted' ? 'ISSUED' : second },
    ],
    [
      { n: 3, resident: 'R-1000' },
      { n: 3, status: 'NOBODY' },
    ],
  ],
});
const permit = ([
  noRegister,
  noCount,
  notIssued,
]: string[]) => `export async function handle({ n: given, resident: who }, { call }) {
  const n = Number.isInteger(given) ? given : 0;
  const resident = String(who);
  let found;
  try { found = await call.findResident({ resident }); } catch { return { n, status: '${noRegister}' }; }
  if (found === null) return { n, status: 'NOBODY' };
  let count = 0;
  try { count = await call.countPermits({ resident }); } catch { ${noCount === '' ? '' : `return { n, status: '${noCount}' };`} }
  if (count > 1) return { n, status: 'NOBODY' };
  try { await call.issuePermit({ resident }); } catch { return { n, status: '${notIssued}' }; }
  return { n, status: 'ISSUED' };
}`;
const each = [
  'Nobody of that name: NOBODY. If `findResident` fails, status is NO_REGISTER; if `countPermits` fails, NO_COUNT; if `issuePermit` fails, NOT_ISSUED.',
  'Нет такого жителя: NOBODY. Сбой `findResident` — "NO_REGISTER"; сбой `countPermits` — "NO_COUNT"; сбой `issuePermit` — "NOT_ISSUED".',
  '没有该居民：NOBODY。findResident 失败：status 为 "NO_REGISTER"；countPermits 失败：status 为 "NO_COUNT"；issuePermit 失败：status 为 "NOT_ISSUED"。',
];
for (const rules of each)
  test(`each of several tools has the name of its own failure: ${rules.slice(0, 20)}`, async () => {
    const names = ['NO_REGISTER', 'NO_COUNT', 'NOT_ISSUED'];
    assert.deepEqual(await refusalsOf(permits(rules), permit(names), sandbox), []);
    const swapped = await refusalsOf(permits(rules), permit(['NO_REGISTER', 'NO_COUNT', 'NO_COUNT']), sandbox);
    assert.match(swapped.join('\n'), /^failing-tools: .*none of NOT_ISSUED/);
    const ignored = await refusalsOf(permits(rules), permit(['NO_REGISTER', '', 'NOT_ISSUED']), sandbox);
    assert.match(ignored.join('\n'), /^failing-tools: .*NO_COUNT/);
  });

for (const rules of [
  `${each[0]} If countPermits fails, it may be taken for 0.`,
  'Nobody of that name: NOBODY. If `findResident` fails, status is NO_REGISTER. When `countPermits` has counted, `issuePermit` is called, and if that fails, status is NOT_ISSUED.',
  'Nobody of that name: NOBODY. If `findResident` fails, status is NO_REGISTER; if `issuePermit` fails, NOT_ISSUED; `countPermits` is best effort. If `countPermits` fails, go on as if it were 0.',
])
  test(`another name will do where a sentence makes up for the failure: ${rules.slice(-45)}`, async () =>
    assert.deepEqual(await refusalsOf(permits(rules), permit(['NO_REGISTER', '', 'NOT_ISSUED']), sandbox), []));

test('codes of a list are the names of what fails by the verbs of the tools', async () => {
  const rules =
    'Answers: ISSUED, or NOBODY where nobody has that name.\n\n| status | when |\n| --- | --- |\n| NO_REGISTER | finding the resident failed |\n| NO_COUNT | counting failed |\n| NOT_ISSUED | issuing failed |\n';
  assert.deepEqual(await refusalsOf(permits(rules), permit(['NO_REGISTER', 'NO_COUNT', 'NOT_ISSUED']), sandbox), []);
  const swapped = await refusalsOf(permits(rules), permit(['NO_REGISTER', 'NOT_ISSUED', 'NOT_ISSUED']), sandbox);
  assert.match(swapped.join('\n'), /^failing-tools: .*none of NO_COUNT/);
});

const boxes: Agreed = {
  rules:
    '`ЯЩИК <число>` — заказ. Сначала `stockLeft` говорит, сколько осталось. Потом заказ оформляет `placeOrder`, и ответ — `ДА <номер>`.\n- `НЕТ запрос` — не такая строка\n- `НЕТ мало` — осталось меньше\n- `НЕТ сбой` — инструмент не ответил или вернул ошибку',
  tools: [
    reading('stockLeft', object({ of: text }), integer, [], 41),
    acting('placeOrder', object({ count: integer }), object({ number: text }), [
      [{ count: 17 }, { number: 'Ц-9105' }],
      [{ count: 23 }, { number: 'Ц-9106' }],
    ]),
  ],
  cases: [
    ['ЯЩИК 17\n', 'ДА Ц-9105\n'],
    ['ЯЩИК 23\n', 'ДА Ц-9106\n'],
    ['ЯЩИК 42\n', 'НЕТ мало\n'],
    ['ЯЩИК\n', 'НЕТ запрос\n'],
  ],
};
const order = (failed: string) => `export async function handle(request, { call }) {
  const count = Number(/\\d+/.exec(request)?.[0]);
  if (!(count > 0)) return 'НЕТ запрос\\n';
  let left;
  try { left = await call.stockLeft({ of: 'ящик' }); } catch { return 'НЕТ сбой\\n'; }
  if (left < count) return 'НЕТ мало\\n';
  try { return 'ДА ' + (await call.placeOrder({ count })).number + '\\n'; } catch { return ${JSON.stringify(failed)}; }
}`;

test('a text that begins as a success does is none where the act failed and the document names that', async () => {
  assert.deepEqual(await refusalsOf(boxes, order('НЕТ сбой\n'), sandbox), []);
  const refusals = await refusalsOf(boxes, order('ДА 0\n'), sandbox);
  assert.match(refusals.join(), /^failing-tools: case 1, where placeOrder fails: the answer has none of НЕТ сбой/);
});

/** Seats of a show: read with one tool, taken with another; a seat that is gone, and a failure, have their own results. */
const seats = (
  rule: string,
  response = object({ id: text, result: { enum: ['TAKEN', 'GONE', 'LATER'] } }),
): Agreed => ({
  rules: `\`freeSeats\` tells how many seats a show has, \`takeSeat\` takes one: result TAKEN. Without a seat: GONE, and no seat is taken.\n${rule}`,
  request: object({ id: text, show: text }),
  response,
  tools: [
    reading('freeSeats', object({ show: text }), integer, [
      [{ show: 'Medea-0412' }, 7],
      [{ show: 'Faust-0518' }, 0],
    ]),
    acting('takeSeat', object({ show: text }), { type: 'null' }, [], null),
  ],
  cases: [
    [
      { id: 's-1', show: 'Medea-0412' },
      { id: 's-1', result: 'TAKEN' },
    ],
    [
      { id: 's-2', show: 'Faust-0518' },
      { id: 's-2', result: 'GONE' },
    ],
  ],
});
const seating = (
  unread: string,
  untaken: string,
) => `export async function handle({ id: given, show: name }, { call }) {
  const id = String(given);
  const show = String(name);
  let free;
  try { free = await call.freeSeats({ show }); } catch { ${unread} }
  if (free === 0) return { id, result: 'GONE' };
  ${untaken}
  return { id, result: 'TAKEN' };
}`;
const later = "return { id, result: 'LATER' };";
const taking = (untaken: string) => `try { await call.takeSeat({ show }); } catch { ${untaken} }`;

for (const rule of [
  'any of our systems fails: `LATER`',
  'Fällt eines unserer Systeme aus, lautet result `LATER`.',
  'Si un de nos services échoue, result vaut `LATER`.',
  'Cuando falla una herramienta: `LATER`, salvo si falla `takeSeat`; si fallan todas, `GONE`.',
  'LATER  a call to our systems failed',
  '- `{id, result: "LATER"}` if a tool fails',
  'freeSeats 出错时 result 为 "LATER"。',
])
  test(`a tool whose failure has a name is not answered by that of something else: ${rule}`, async () => {
    assert.deepEqual(await refusalsOf(seats(rule), seating(later, taking(later)), sandbox), []);
    const gone = await refusalsOf(seats(rule), seating('free = 0;', taking(later)), sandbox);
    assert.match(gone.join('\n'), /^failing-tools: .*freeSeats fails: the answer has none of LATER/m);
  });

test('the one name for all failures is asked for under a heading, and where it is a word of its sentence', async () => {
  const results = object({ id: text, result: { enum: ['TAKEN', 'GONE', 'panne'] } });
  const panne = later.replace('LATER', 'panne');
  for (const [agreed, broken] of [
    [seats('**Failure.** If a tool fails: result `LATER`.'), later],
    [seats('En cas de panne d’un outil, `result` vaut "panne".', results), panne],
  ] as const) {
    assert.deepEqual(await refusalsOf(agreed, seating(broken, taking(broken)), sandbox), []);
    const taken = await refusalsOf(agreed, seating('free = 1;', taking(broken)), sandbox);
    assert.match(taken.join('\n'), /^failing-tools: case 1, where freeSeats fails: the answer has none of/m);
  }
});

test('what a rule for all failures makes an exception of has another answer', async () => {
  const rule = 'Cuando falla una herramienta: `LATER`, salvo si falla `takeSeat`, entonces `GONE`.';
  assert.deepEqual(
    await refusalsOf(seats(rule), seating(later, taking("return { id, result: 'GONE' };")), sandbox),
    [],
  );
});

for (const rule of ['`takeSeat` 出故障时 result 为 "LATER"。', 'If anything of ours breaks down: LATER.'])
  test(`an act that nobody waits for has failed all the same: ${rule}`, async () => {
    const unwaited = 'call.takeSeat({ show }).catch(() => null);';
    assert.match(
      (await refusalsOf(seats(rule), seating(later, unwaited), sandbox)).join('\n'),
      /^failing-tools: .*takeSeat fails/m,
    );
  });

test('a second try that fails as well does not escape', async () => {
  const agreed = seats('Failure codes: LATER. `takeSeat` is tried once more.');
  const twice = (last: string) =>
    seating(later, `await call.takeSeat({ show }).catch(() => call.takeSeat({ show }))${last};`);
  const sound = seating(later, `try { await call.takeSeat({ show }); } catch { ${taking(later)} }`);
  assert.deepEqual(await refusalsOf(agreed, sound, sandbox), []);
  assert.match(
    (await refusalsOf(agreed, twice(''), sandbox)).join('\n'),
    /^failing-tools: .*takeSeat fails: it throws/m,
  );
});

const codes = (rule: string, code: Json): Agreed => {
  const agreed = seats(`Codes are 1001 for done and 2306 for gone.\n${rule}`, object({ id: text, code }));
  const cases = agreed.cases.map(([asked, answer]) => {
    const { id = null, result } = answer as JsonObject;
    return [asked, { id, code: result === 'TAKEN' ? 1001 : 2306 }];
  });
  return { ...agreed, cases } as Agreed;
};

for (const [rule, code] of [
  ['When a tool fails: 2400.', integer],
  ['If one of them fails, code 2400 is answered.', { enum: [1001, 2306, 2400] }],
] satisfies [string, Json][])
  test(`a success is not told by its number where an act failed: ${rule}`, async () => {
    const numbered = (source: string) =>
      source.replaceAll(
        /result: '(\w+)'/g,
        (_, name) => `code: ${{ TAKEN: 1001, GONE: 2306, LATER: 2400 }[name as 'TAKEN']}`,
      );
    assert.deepEqual(await refusalsOf(codes(rule, code), numbered(seating(later, taking(later))), sandbox), []);
    assert.match(
      (
        await findingsOf(codes(rule, code), numbered(seating(later, taking('return { id, code: 1001, };'))), sandbox)
      ).join('\n'),
      /^failing-tools: /m,
    );
  });

test('that parts of a message do not matter says nothing of failures', async () => {
  for (const part of ['Unknown members are ignored.', 'A message may end with a line break; it is ignored.']) {
    const agreed = seats(`${part} If \`takeSeat\` fails: \`LATER\`.`);
    assert.match((await refusalsOf(agreed, seating(later, taking('')), sandbox)).join('\n'), /^failing-tools: /m);
  }
  const ignored = seats('If `takeSeat` fails: `LATER`. A failing takeSeat is ignored.');
  assert.deepEqual(await refusalsOf(ignored, seating(later, taking('')), sandbox), []);
});

/** Vouchers: read, debited, and a wrong PIN noted. */
const vouchers = (rule: string, outcomes: Json = text): Agreed => ({
  rules: `Ein Gutschein wird gelesen; bei falscher PIN wird der Fehlversuch vermerkt, sonst wird abgebucht.\n\n${rule}`,
  request: object({ nr: integer, gutschein: text, pin: text }),
  response: object({ nr: integer, art: text, grund: outcomes }, ['grund']),
  tools: [
    {
      ...(reading('gutscheinLesen', object({ gutschein: text }), object({ pin: text }), [
        [{ gutschein: 'GS-4471' }, { pin: '8093' }],
        [{ gutschein: 'GS-7020' }, { pin: '5526' }],
      ]) as JsonObject),
      description: 'Liest einen Gutschein.',
    },
    {
      ...(acting('abbuchen', object({ gutschein: text }), object({ ok: { type: 'boolean' } }), [], {
        ok: true,
      }) as JsonObject),
      description: 'Bucht einen Betrag vom Gutschein ab.',
    },
    {
      ...(acting('fehlversuchMerken', object({ gutschein: text }), integer, [], 1) as JsonObject),
      description: 'Vermerkt einen Fehlversuch zum Gutschein.',
    },
  ],
  cases: [
    [
      { nr: 1, gutschein: 'GS-4471', pin: '8093' },
      { nr: 1, art: 'ERLEDIGT' },
    ],
    [
      { nr: 2, gutschein: 'GS-7020', pin: '1111' },
      { nr: 2, art: 'ABGELEHNT', grund: 'PIN_FALSCH' },
    ],
  ],
});
const voucher = (
  unread: string,
  unnoted: string,
  undebited: string,
) => `export async function handle({ nr: given, gutschein, pin }, { call }) {
  const nr = Number.isInteger(given) ? given : 0;
  const failed = (grund) => ({ nr, art: 'FEHLER', grund });
  const asked = { gutschein: String(gutschein) };
  let told;
  try { told = await call.gutscheinLesen(asked); } catch { return failed('${unread}'); }
  if (told.pin !== pin) {
    try { await call.fehlversuchMerken(asked); } catch { ${unnoted === '' ? '' : `return failed('${unnoted}');`} }
    return { nr, art: 'ABGELEHNT', grund: 'PIN_FALSCH' };
  }
  try { await call.abbuchen(asked); } catch { return failed('${undebited}'); }
  return { nr, art: 'ERLEDIGT' };
}`;
const down =
  'Kann der Gutschein nicht gelesen werden oder schlägt das Abbuchen fehl, ist die Art FEHLER mit dem Grund `STOERUNG`.';

test('a sentence about two tools that fail says nothing of a third, whatever words it shares with its name', async () =>
  assert.deepEqual(await refusalsOf(vouchers(down), voucher('STOERUNG', '', 'STOERUNG'), sandbox), []));

test('an answer that a failure does not change is not that of a failure', async () => {
  const rule = `${down} Kann der Fehlversuch nicht vermerkt werden, bleibt es bei \`PIN_FALSCH\`.`;
  assert.deepEqual(await refusalsOf(vouchers(rule), voucher('STOERUNG', '', 'STOERUNG'), sandbox), []);
  const turned = await findingsOf(vouchers(rule), voucher('STOERUNG', 'STOERUNG', 'STOERUNG'), sandbox);
  assert.match(
    turned.join('\n'),
    /failing-tools: case 2, .*the answer has (?:FEHLER|STOERUNG), though "Kann der Fehlversuch/,
  );
});

test('a verdict that stands beside every name of a failure is none of them', async () => {
  const rule =
    'Kann der Gutschein nicht gelesen werden: Art `FEHLER`, Grund `NICHT_GELESEN`. Schlägt das Abbuchen fehl: Art `FEHLER`, Grund `NICHT_GEBUCHT`.';
  assert.deepEqual(await refusalsOf(vouchers(rule), voucher('NICHT_GELESEN', '', 'NICHT_GEBUCHT'), sandbox), []);
  const told = await refusalsOf(vouchers(rule), voucher('NICHT_GELESEN', '', 'kein Netz'), sandbox);
  assert.match(told.join('\n'), /failing-tools: case 1, .*none of NICHT_GEBUCHT/);
});

test('what fails is told by two signs of a Chinese description', async () => {
  const rule = '读取失败：原因为 NOT_READ。退款失败：原因为 NOT_PAID。';
  const { tools, ...agreed } = vouchers(rule);
  const [read, debit, note] = tools as JsonObject[];
  const chinese: Agreed = {
    ...agreed,
    tools: [
      { ...read, description: '读取礼券的密码。' },
      { ...debit, description: '向顾客退款。' },
      { ...note, description: '记下一次密码错误。' },
    ],
  };
  assert.deepEqual(await refusalsOf(chinese, voucher('NOT_READ', '', 'NOT_PAID'), sandbox), []);
  const swapped = await refusalsOf(chinese, voucher('NOT_READ', '', 'NOT_READ'), sandbox);
  assert.match(swapped.join('\n'), /failing-tools: case 1, .*none of NOT_PAID/);
});

test('a code behind a colon is the name of a failure where all answers have one', async () => {
  const coded = (rule: string): Agreed => ({
    ...vouchers(rule),
    response: object({ nr: integer, codigo: integer }),
    cases: [
      [
        { nr: 1, gutschein: 'GS-4471', pin: '8093' },
        { nr: 1, codigo: 200 },
      ],
      [
        { nr: 2, gutschein: 'GS-7020', pin: '1111' },
        { nr: 2, codigo: 403 },
      ],
    ],
  });
  const coding = (undebited: number) => `export async function handle({ nr: given, gutschein, pin }, { call }) {
  const nr = Number.isInteger(given) ? given : 0;
  const asked = { gutschein: String(gutschein) };
  try {
    const told = await call.gutscheinLesen(asked);
    await call.fehlversuchMerken(asked).catch(() => 0);
    if (told.pin !== pin) return { nr, codigo: 403 };
  } catch { return { nr, codigo: 502 }; }
  try { await call.abbuchen(asked); } catch { return { nr, codigo: ${undebited} }; }
  return { nr, codigo: 200 };
}`;
  const rule = 'Si falla `gutscheinLesen`: 502. Si falla `abbuchen`: 207, sin cargo.';
  assert.deepEqual(await refusalsOf(coded(rule), coding(207), sandbox), []);
  assert.match(
    (await refusalsOf(coded(rule), coding(500), sandbox)).join('\n'),
    /failing-tools: case 1, .*none of 207/,
  );
});

test('what any tool fails with holds for one of which no other sentence speaks', async () => {
  const rule =
    'If any tool fails, the reason is BROKEN. A failed call is never repeated. If `fehlversuchMerken` fails, the reason remains the PIN.';
  assert.deepEqual(await refusalsOf(vouchers(rule), voucher('BROKEN', '', 'BROKEN'), sandbox), []);
  const other = await refusalsOf(vouchers(rule), voucher('BROKEN', '', 'kein Netz'), sandbox);
  assert.match(other.join('\n'), /failing-tools: case 1, .*none of BROKEN/);
});
