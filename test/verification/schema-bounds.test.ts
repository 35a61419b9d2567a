import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { type Agreed, object, reading, refusalsOf, text } from './agreed.ts';

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
])
  test(`a value beyond a bound of the schema is no success: ${rule}`, async () => {
    assert.deepEqual(await refusalsOf(tables(rule), offering(' || guests > 12'), sandbox), []);
    const refusals = await refusalsOf(tables(rule), offering(''), sandbox);
    assert.match(refusals.join('\n'), /schema-bounds: case 1: with guests 13/);
  });

test('a bound of the schema need not be kept where nothing is said of broken requests', async () =>
  assert.deepEqual(await refusalsOf(tables(''), offering(''), sandbox), []));
