import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { type Agreed, acting, object, reading, refusalsOf, text } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

const tables = (rule: string): Agreed => ({
  rules: `A table for so many guests is offered, by its number: state is "fine". ${rule}`,
  request: object({ ref: text, hall: text, guests: { type: 'integer', minimum: 1, maximum: 12 } }),
  response: object({ ref: text, state: { enum: ['fine', 'broken', 'later'] }, table: { type: ['integer', 'null'] } }),
  tools: [
    reading('tableIn', object({ hall: text }), { type: 'integer' }, [
      [{ hall: 'Linden' }, 4417],
      [{ hall: 'Ahorn' }, 6120],
    ]),
  ],
  cases: [
    [
      { ref: 't-1', hall: 'Linden', guests: 3 },
      { ref: 't-1', state: 'fine', table: 4417 },
    ],
    [
      { ref: 't-2', hall: 'Ahorn', guests: 5 },
      { ref: 't-2', state: 'fine', table: 6120 },
    ],
  ],
});
const offering = (most: string) => `export async function handle({ ref, hall, guests } = {}, { call }) {
  const answer = (state, table = null) => ({ ref: typeof ref === 'string' ? ref : '', state, table });
  if (typeof ref !== 'string' || typeof hall !== 'string' || !Number.isInteger(guests) || guests < 1${most}) return answer('broken');
  try { return answer('fine', await call.tableIn({ hall })); } catch { return answer('later'); }
}`;

for (const rule of [
  'A request that does not conform to the schema: state is "broken".',
  'Entspricht die Anfrage nicht dem Schema, ist state "broken".',
  'Une demande qui ne respecte pas le schéma : state vaut « broken ».',
  'Si la solicitud no cumple el esquema, state es "broken".',
  'Запрос не соответствует схеме: state равно "broken".',
  '请求不符合模式时 state 为 "broken"。',
  'リクエストがスキーマに合わない場合、state は "broken"。',
])
  test(`a value beyond a bound of the schema is no success: ${rule}`, async () => {
    assert.deepEqual(await refusalsOf(tables(rule), offering(' || guests > 12'), sandbox), []);
    const refusals = await refusalsOf(tables(rule), offering(''), sandbox);
    assert.match(refusals.join('\n'), /schema-bounds: case 1: with guests 13/);
  });

test('a bound of the schema need not be kept where nothing is said of broken requests', async () =>
  assert.deepEqual(await refusalsOf(tables(''), offering(''), sandbox), []));

test('what is said of broken requests is meant of the schema where a case has one that breaks it', async () => {
  const said = tables('Malformed requests: state "broken".');
  const shown: Agreed = {
    ...said,
    cases: [
      ...said.cases,
      [
        { ref: 't-3', hall: 7, guests: 5 },
        { ref: 't-3', state: 'broken', table: null },
      ],
    ],
  };
  assert.deepEqual(await refusalsOf(said, offering(''), sandbox), []);
  assert.deepEqual(await refusalsOf(shown, offering(' || guests > 12'), sandbox), []);
  assert.match((await refusalsOf(shown, offering(''), sandbox)).join('\n'), /schema-bounds: case 1: with guests 13/);
});

test('“参数错误” is a name of all that breaks a bound of the schema where a case has it for one', async () => {
  const tons = { type: 'number', minimum: 0 };
  const agreed: Agreed = {
    rules:
      '水费 fee 为每吨 3 元。用水量为负数或月份不在 1 至 12 之间的，code 为 400，message 为“参数错误”，fee 为 null。',
    request: object({ tons, month: { type: 'integer', minimum: 1, maximum: 12 } }),
    response: object({ code: { type: 'integer' }, message: text, fee: { type: ['number', 'null'] } }),
    cases: [
      [
        { tons: 12, month: 3 },
        { code: 200, message: '成功', fee: 36 },
      ],
      [
        { tons: 431, month: 7 },
        { code: 200, message: '成功', fee: 1293 },
      ],
      [
        { tons: -4, month: 7 },
        { code: 400, message: '参数错误', fee: null },
      ],
    ],
  };
  const fee = (bad: string) => `export function handle({ tons, month }) {
  if (${bad}) return { code: 400, message: '参数错误', fee: null };
  return { code: 200, message: '成功', fee: tons * 3 };
}`;
  assert.deepEqual(await refusalsOf(agreed, fee('tons < 0 || month < 1 || month > 12'), sandbox), []);
  assert.match((await refusalsOf(agreed, fee('tons < 0'), sandbox)).join('\n'), /schema-bounds: case 1: with month 13/);
});

/** Rounds that are ordered for a table, by a tool that knows nothing of other orders. */
const rounds = (rule: string): Agreed => ({
  rules: `The drinks of a round are ordered with \`orderAll\`: state is "fine", with its number. If a tool fails: state "later". ${rule}`,
  request: object({
    ref: text,
    drinks: { type: 'array', items: text, minItems: 1 },
    seat: { type: 'integer', maximum: 40 },
  }),
  response: object({ ref: text, state: { enum: ['fine', 'broken', 'later'] }, order: text }, ['order']),
  tools: [
    acting(
      'orderAll',
      object({ drinks: { type: 'array', items: text }, seat: { type: 'integer' } }),
      object({ order: text }),
      [
        [{ drinks: ['cider', 'stout'], seat: 31 }, { order: 'OR-4417' }],
        [{ drinks: ['tonic'], seat: 8 }, { order: 'OR-6120' }],
      ],
    ),
  ],
  cases: [
    [
      { ref: 'r-1', drinks: ['cider', 'stout'], seat: 31 },
      { ref: 'r-1', state: 'fine', order: 'OR-4417' },
    ],
    [
      { ref: 'r-2', drinks: ['tonic'], seat: 8 },
      { ref: 'r-2', state: 'fine', order: 'OR-6120' },
    ],
  ],
});
const ordering = (broken: string) => `export async function handle(request, { call }) {
  const { ref: given, drinks, seat } = Object(request);
  const ref = typeof given === 'string' ? given : '';
  const isRound = Array.isArray(drinks) && drinks.every((drink) => typeof drink === 'string');
  if (typeof given !== 'string' || !isRound || !Number.isInteger(seat)${broken}) return { ref, state: 'broken' };
  try {
    const { order } = await call.orderAll({ drinks, seat });
    return { ref, state: 'fine', order };
  } catch { return { ref, state: 'later' }; }
}`;
const schema = 'A request that breaks the schema: state "broken".';

for (const [broken, what] of [
  [' || seat > 40', 'drinks \\[\\]'],
  [' || drinks.length === 0', 'seat 41'],
] as const)
  test(`a request that breaks the schema is not acted on, whatever the tool knows of it: ${what}`, async () => {
    assert.deepEqual(await refusalsOf(rounds(schema), ordering(' || seat > 40 || drinks.length === 0'), sandbox), []);
    assert.match(
      (await refusalsOf(rounds(schema), ordering(broken), sandbox)).join('\n'),
      new RegExp(`schema-bounds: case 1: with ${what}`),
    );
    assert.deepEqual(await refusalsOf(rounds(''), ordering(broken), sandbox), []);
  });

/** Seats that are held for a party, by what the schema alone has for its members. */
const parties = (rule: string): Agreed => ({
  rules: `The seats of a party are held with \`holdSeats\`: state is "fine", with the number of the hold. If a tool fails: state "later". ${rule}`,
  request: object({
    ref: text,
    code: { type: 'string', pattern: '^[A-Z]{3}[0-9]{2}$' },
    host: { type: 'string', minLength: 2, maxLength: 9 },
    seats: { type: 'array', items: { type: 'integer', minimum: 1 }, uniqueItems: true },
    deposit: { type: 'number', exclusiveMinimum: 0 },
  }),
  response: object({ ref: text, state: { enum: ['fine', 'malformed', 'later'] }, hold: text }, ['hold']),
  tools: [
    acting(
      'holdSeats',
      object({ code: text, host: text, seats: { type: 'array', items: {} }, deposit: {} }),
      object({ hold: text }),
      [
        [{ code: 'KLM20', host: 'Odile', seats: [31, 32], deposit: 25.5 }, { hold: 'HO-4417' }],
        [{ code: 'PQR75', host: 'Bertil', seats: [8], deposit: 12 }, { hold: 'HO-6120' }],
      ],
    ),
  ],
  cases: [
    [
      { ref: 'p-1', code: 'KLM20', host: 'Odile', seats: [31, 32], deposit: 25.5 },
      { ref: 'p-1', state: 'fine', hold: 'HO-4417' },
    ],
    [
      { ref: 'p-2', code: 'PQR75', host: 'Bertil', seats: [8], deposit: 12 },
      { ref: 'p-2', state: 'fine', hold: 'HO-6120' },
    ],
  ],
});
const rulesOfParties = {
  code: "typeof code === 'string'",
  shape: '/^[A-Z]{3}[0-9]{2}$/.test(code)',
  host: "typeof host === 'string'",
  short: 'host.length >= 2',
  long: 'host.length <= 9',
  list: 'Array.isArray(seats)',
  whole: 'seats.every(Number.isInteger)',
  positive: "seats.every((seat) => typeof seat !== 'number' || seat > 0)",
  unlike: 'new Set(seats).size === seats.length',
  number: "typeof deposit === 'number'",
  paid: 'Number(deposit) > 0',
};
const holding = (without?: string) => `export async function handle(request, { call }) {
  const { ref: given, code, host, seats, deposit } = Object(request);
  const ref = typeof given === 'string' ? given : '';
  const isParty = ${Object.entries(rulesOfParties)
    .map(([name, rule]) => (name === without ? 'true' : rule))
    .join(' && ')};
  if (typeof given !== 'string' || !isParty) return { ref, state: 'malformed' };
  try {
    const { hold } = await call.holdSeats({ code, host, seats, deposit });
    return { ref, state: 'fine', hold };
  } catch { return { ref, state: 'later' }; }
}`;

for (const rule of ['A request that breaks the schema: state "malformed".', 'Malformed requests: state "malformed".']) {
  test(`requests that keep the schema are all acted on: ${rule}`, async () =>
    assert.deepEqual(await refusalsOf(parties(rule), holding(), sandbox), []));
  for (const [without, what] of [
    ['positive', 'seats 0'],
    ...(/schema/.test(rule)
      ? ([
          ['shape', 'code "klm20"'],
          ['short', 'host "O"'],
          ['long', 'host "Odileeeeee"'],
          ['unlike', 'seats \\[31,32,31\\]'],
          ['whole', 'seats 31.5'],
          ['number', 'deposit "25.5"'],
        ] as const)
      : []),
  ] as const)
    test(`what the schema forbids is not acted on: ${what}; ${rule}`, async () =>
      assert.match(
        (await refusalsOf(parties(rule), holding(without), sandbox)).join('\n'),
        new RegExp(`schema-bounds: case 1: with ${what}`),
      ));
}

test('where nothing is said of the schema, the look of a value may be left alone, and half of a thing taken for one', async () => {
  const rule = 'Malformed requests: state "malformed".';
  for (const without of ['shape', 'short', 'long', 'unlike', 'whole', 'number'])
    assert.deepEqual(await refusalsOf(parties(rule), holding(without), sandbox), []);
});

test('a value that a tool would know is refused by the handler itself', async () => {
  const guarded: Agreed = {
    rules:
      'The pass of a guest is told, where the day of birth is that of the guest: state "fine". Else state "other". A request that breaks the schema: state "malformed".',
    request: object({ ref: text, guest: text, born: { type: 'string', pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' } }),
    response: object({ ref: text, state: { enum: ['fine', 'other', 'malformed', 'later'] }, pass: text }, ['pass']),
    tools: [
      reading('guestOf', object({ guest: text }), object({ born: text, pass: text }), [
        [{ guest: 'Odile' }, { born: '1988-02-14', pass: 'PA-4417' }],
        [{ guest: 'Bertil' }, { born: '1951-11-30', pass: 'PA-6120' }],
      ]),
    ],
    cases: [
      [
        { ref: 'g-1', guest: 'Odile', born: '1988-02-14' },
        { ref: 'g-1', state: 'fine', pass: 'PA-4417' },
      ],
      [
        { ref: 'g-2', guest: 'Bertil', born: '1951-11-30' },
        { ref: 'g-2', state: 'fine', pass: 'PA-6120' },
      ],
      [
        { ref: 'g-3', guest: 'Bertil', born: '1988-02-14' },
        { ref: 'g-3', state: 'other' },
      ],
    ],
  };
  const telling = (shape: string) => `export async function handle(request, { call }) {
    const { ref: given, guest, born } = Object(request);
    const ref = typeof given === 'string' ? given : '';
    if (typeof given !== 'string' || typeof guest !== 'string' || typeof born !== 'string'${shape}) return { ref, state: 'malformed' };
    try {
      const known = await call.guestOf({ guest });
      return known.born === born ? { ref, state: 'fine', pass: known.pass } : { ref, state: 'other' };
    } catch { return { ref, state: 'later' }; }
  }`;
  assert.deepEqual(await refusalsOf(guarded, telling(' || !/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(born)'), sandbox), []);
  assert.match((await refusalsOf(guarded, telling(''), sandbox)).join('\n'), /schema-bounds: case 1: with born "/);
});
