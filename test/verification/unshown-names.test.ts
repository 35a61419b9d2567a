import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { type Agreed, integer, object, reading, refusalsOf, text } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

const train = { type: ['string', 'null'] };
const trains: Agreed = {
  rules:
    'The next train of a line, by `board`: RUNS with its number, NONE where the line is not known. If the board fails: state BROKEN. NIGHT is told after the last one.',
  request: object({ trip: text, line: text }),
  response: object({ trip: text, state: { enum: ['RUNS', 'NONE', 'BROKEN', 'NIGHT'] }, number: train }),
  tools: [
    reading(
      'board',
      object({ line: text }),
      train,
      [
        [{ line: 'harbour' }, 'T-7731'],
        [{ line: 'airport' }, 'T-2290'],
      ],
      null,
    ),
  ],
  cases: [
    [
      { trip: 'a-1', line: 'harbour' },
      { trip: 'a-1', state: 'RUNS', number: 'T-7731' },
    ],
    [
      { trip: 'a-2', line: 'airport' },
      { trip: 'a-2', state: 'RUNS', number: 'T-2290' },
    ],
    [
      { trip: 'a-3', line: 'moon' },
      { trip: 'a-3', state: 'NONE', number: null },
    ],
  ],
};
const next = (broken: string) => `export async function handle({ trip: given, line }, { call }) {
  const trip = String(given);
  let number;
  try { number = await call.board({ line: String(line) }); } catch { return { trip, state: '${broken}', number: null }; }
  return { trip, state: number === null ? 'NONE' : 'RUNS', number };
}`;

test('a failure told by a name that a case has for something else is refused', async () => {
  assert.deepEqual(await refusalsOf(trains, next('BROKEN'), sandbox), []);
  for (const other of ['NONE', 'RUNS'])
    assert.match(
      (await refusalsOf(trains, next(other), sandbox)).join('\n'),
      /^failing-tools: .*none of BROKEN/,
      other,
    );
});

test('a failure told by another name of the document, which no case shows, is not: its sentences may have been read wrongly', async () =>
  assert.deepEqual(await refusalsOf(trains, next('NIGHT'), sandbox), []));

test('a small number of the answer is no such name', async () => {
  const counted: Agreed = {
    ...trains,
    rules: `${trains.rules} \`late\` is 0 to 3 as far as is known.`,
    response: object({
      trip: text,
      state: { enum: ['RUNS', 'NONE', 'BROKEN', 'NIGHT'] },
      number: train,
      late: integer,
    }),
    cases: trains.cases.map(([request, response]) => [request, { ...Object(response), late: 0 }]),
  };
  const late = (broken: string) =>
    next(broken).replace('number: null }', 'number: null, late: 3 }').replace('number };', 'number, late: 0 };');
  assert.deepEqual(await refusalsOf(counted, late('BROKEN'), sandbox), []);
  assert.match((await refusalsOf(counted, late('NONE'), sandbox)).join('\n'), /none of BROKEN/);
});

test('a name by which something is not there is no other name of a failure', async () => {
  const { rules, response } = trains;
  const states = { enum: ['RUNS', 'NONE', 'BROKEN', 'NIGHT', 'LINE_UNKNOWN'] };
  const closed: Agreed = {
    ...trains,
    rules: `${rules} A line that was never built has \`LINE_UNKNOWN\`.`,
    response: { ...Object(response), properties: { ...Object(response).properties, state: states } },
  };
  assert.deepEqual(await refusalsOf(closed, next('BROKEN'), sandbox), []);
  assert.match((await refusalsOf(closed, next('LINE_UNKNOWN'), sandbox)).join('\n'), /none of BROKEN/);
});
