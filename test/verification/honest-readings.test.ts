import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import type { Json } from '../../src/kernel/json.ts';
import { type Agreed, acting, integer, object, reading, refusalsOf, text } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

test('a fee that is never less than something is no limit of what is asked', async () => {
  const exchange: Agreed = {
    rules:
      'The fee is 0.4 % of `amount`, rounded up to a whole cent, but never less than 25. An amount that is not greater than its fee: state TOO_SMALL.',
    request: object({ ref: text, amount: integer }),
    response: object({ ref: text, state: { enum: ['CHANGED', 'TOO_SMALL'] }, fee: integer }),
    cases: [
      [
        { ref: 'x-1', amount: 250_000 },
        { ref: 'x-1', state: 'CHANGED', fee: 1_000 },
      ],
      [
        { ref: 'x-2', amount: 700 },
        { ref: 'x-2', state: 'CHANGED', fee: 25 },
      ],
      [
        { ref: 'x-3', amount: 20 },
        { ref: 'x-3', state: 'TOO_SMALL', fee: 25 },
      ],
    ],
  };
  const teller = `export async function handle({ ref: given, amount: asked }) {
  const ref = String(given), amount = Number.isInteger(asked) ? asked : 0;
  const fee = Math.max(25, Math.ceil((amount * 4) / 1000));
  return { ref, state: amount > fee ? 'CHANGED' : 'TOO_SMALL', fee };
}`;
  assert.deepEqual(await refusalsOf(exchange, teller, sandbox), []);
});

test('a list that keeps the order of its tool without a switch is not turned, though its values rise', async () => {
  const car = (id: string, price: number, free: boolean): Json => ({ id, price, free });
  const fleet = [car('V-31', 40, false), car('V-17', 55, true), car('V-90', 70, true), car('V-22', 60, false)];
  const cars: Agreed = {
    rules:
      'The cars of a yard are told that are free (`free` true). With `sorted` true they are sorted by price, the lowest first. Without it the order is that of the fleet, in which listCars has them.',
    request: object({ ref: text, yard: text, sorted: { type: 'boolean' } }),
    response: object({ ref: text, cars: { type: 'array', items: object({ id: text, price: integer }) } }),
    cases: [
      [
        { ref: 'c-1', yard: 'Y-4', sorted: false },
        {
          ref: 'c-1',
          cars: [
            { id: 'V-17', price: 55 },
            { id: 'V-90', price: 70 },
          ],
        },
      ],
    ],
    tools: [
      {
        ...(reading(
          'listCars',
          object({ yard: text }),
          { type: 'array', items: object({ id: text, price: integer, free: { type: 'boolean' } }) },
          [[{ yard: 'Y-4' }, fleet]],
          [],
        ) as object),
        description: 'The cars of a yard, in any order.',
      } as Json,
    ],
  };
  const lister = `export async function handle({ ref, yard, sorted }, { call }) {
  const cars = (await call.listCars({ yard: String(yard) })).filter(({ free }) => free).map(({ id, price }) => ({ id, price }));
  if (sorted === true) cars.sort((a, b) => a.price - b.price);
  return { ref: String(ref), cars };
}`;
  assert.deepEqual(await refusalsOf(cars, lister, sandbox), []);
});

test('an act that fails in a case in which something failed anyway has the answer of the case', async () => {
  const desk: Agreed = {
    rules:
      'Each try is counted with `countTry`. The file is read with `readFile`: statut 200. If counting or reading fails: statut 503, nothing else.',
    request: object({ ref: text, file: text }),
    response: object({ ref: text, statut: { type: 'integer', enum: [200, 503] } }),
    cases: [
      [
        { ref: 'd-1', file: 'F-310' },
        { ref: 'd-1', statut: 200 },
      ],
      [
        { ref: 'd-2', file: 'F-999' },
        { ref: 'd-2', statut: 503 },
      ],
    ],
    tools: [
      acting('countTry', object({ file: text }), object({ total: integer }), [], { total: 1 }),
      {
        ...(reading('readFile', object({ file: text }), object({ state: text }), []) as object),
        examples: [
          { input: { file: 'F-310' }, output: { state: 'ready' } },
          { input: { file: 'F-999' }, error: { code: 'FAILED', message: 'down' } },
        ],
      } as Json,
    ],
  };
  const clerk = (onCount: string) => `export async function handle({ ref, file }, { call }) {
  try { await call.countTry({ file }); } catch { ${onCount} }
  try { await call.readFile({ file }); } catch { return { ref, statut: 503 }; }
  return { ref, statut: 200 };
}`;
  assert.deepEqual(await refusalsOf(desk, clerk('return { ref, statut: 503 };'), sandbox), []);
  assert.match(
    (await refusalsOf(desk, clerk(''), sandbox)).join('\n'),
    /^failing-tools: case 1, where countTry fails/m,
  );
});

test("a requester's name for a failing tool may be the one that a case has for its peer", async () => {
  const meters: Agreed = {
    rules: 'The sum of a meter is asked for; 503 where there is none to be had.',
    request: object({ meter: text }),
    response: object({ status: { enum: [200, 503] }, sum: { type: ['integer', 'null'] } }),
    cases: [
      [{ meter: 'M-2041' }, { status: 200, sum: 771 }],
      [{ meter: 'M-8810' }, { status: 503, sum: null }],
    ],
    tools: [
      reading('meterOf', object({ site: text }), object({ meter: text }), [
        [{ site: 'quay' }, { meter: 'M-2041' }],
        [{ site: 'mole' }, { meter: 'M-8810' }],
      ]),
      acting('keepSum', object({ sum: integer }), { type: 'null' }, [], null),
    ],
    task: {
      description:
        'Asks for the sum of a site and keeps it. result: "kept"; "not-kept" when keeping it fails; "unavailable" where the status is 503, also when our own register of meters does not answer.',
      inputSchema: object({ site: text }),
      outputSchema: object({ result: { enum: ['kept', 'not-kept', 'unavailable'] } }),
      examples: [
        { testCase: 1, input: { site: 'quay' }, output: { result: 'kept' } },
        { testCase: 2, input: { site: 'mole' }, output: { result: 'unavailable' } },
      ],
    },
  };
  const reader = `export async function perform({ site }, { call, send }) {
  let answer;
  try { answer = await send({ meter: (await call.meterOf({ site })).meter }); } catch { return { result: 'unavailable' }; }
  if (answer.status !== 200) return { result: 'unavailable' };
  try { await call.keepSum({ sum: answer.sum }); } catch { return { result: 'not-kept' }; }
  return { result: 'kept' };
}`;
  assert.deepEqual(await refusalsOf(meters, reader, sandbox), []);
});
