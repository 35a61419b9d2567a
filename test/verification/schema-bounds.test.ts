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
