import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { type Agreed, integer, object, reading, refusalsOf, text } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

const kiln: Agreed = {
  rules:
    'A message has the lines `heat=…`, `damp=…` and `draft=…`. The answer is `hold` where heat is above 940, `vent` where damp is above 70, `seal` where draft is from 3.5 to 6.5, and `go` otherwise. A line that is missing or no number is answered with `what`.',
  cases: [
    ['heat=600\ndamp=40\ndraft=2\n', 'go'],
    ['heat=1100\ndamp=40\ndraft=2\n', 'hold'],
    ['heat=700\ndamp=90\ndraft=2\n', 'vent'],
    ['heat=720\ndamp=20\ndraft=5\n', 'seal'],
    ['heat=hot\ndamp=20\ndraft=5\n', 'what'],
  ],
};

const judging = (rules: string) => `
export function handle(request: string): string {
  const read = (name: string) => Number(new RegExp(name + '=(.*)').exec(request)?.[1] ?? 'x');
  const [heat, damp, draft] = ['heat', 'damp', 'draft'].map(read) as [number, number, number];
  if ([heat, damp, draft].some(Number.isNaN)) return 'what';
  ${rules}
  return 'go';
}`;

test('limits of the document that are nowhere in the source and change nothing are not kept', async () => {
  const sound = judging(
    "if (heat > 940) return 'hold'; if (damp > 70) return 'vent'; if (draft >= 3.5 && draft <= 6.5) return 'seal';",
  );
  assert.deepEqual(await refusalsOf(kiln, sound, sandbox), []);
  const guessed = judging(
    "if (heat > 2 ** 10) return 'hold'; if (damp > 64) return 'vent'; if (draft > 4) return 'seal';",
  );
  assert.match((await refusalsOf(kiln, guessed, sandbox)).join('\n'), /nothing changes at [^:]*940/);
});

test('a table of the cases keeps no limit, whatever numbers stand in its source', async () => {
  const shape = `
export function handle(request: string): string {
  const first = [...request].reduce((sum, sign) => (sum * 31 + sign.charCodeAt(0)) % 9973, 7);
  const limits = [940, 70, 3.5, 6.5];
  const answers: any = TABLE;
  return answers[first] ?? (limits.length > 9 ? 'hold' : 'what');
}`;
  const hash = (request: string) => [...request].reduce((sum, sign) => (sum * 31 + sign.charCodeAt(0)) % 9973, 7);
  const table = Object.fromEntries(kiln.cases.map(([request, answer]) => [hash(String(request)), answer]));
  const refusals = await refusalsOf(kiln, shape.replace('TABLE', JSON.stringify(table)), sandbox);
  assert.match(refusals.join('\n'), /thresholds: .*nothing changes at/);
});

const loans: Agreed = {
  rules:
    'The fee of a loan is 3 for each week.\n\n- `OUT_OF_RANGE`: amount is below 1200 or above 880000\n- `TOO_LONG`: weeks is above 52',
  request: object({ amount: integer, weeks: integer }),
  response: object({ fee: integer, error: text }, ['fee', 'error']),
  cases: [
    [{ amount: 5000, weeks: 8 }, { fee: 24 }],
    [{ amount: 31400, weeks: 12 }, { fee: 36 }],
    [{ amount: 900, weeks: 12 }, { error: 'OUT_OF_RANGE' }],
  ],
};
const fees = (range: string) => `export function handle({ amount, weeks }) {
  if (${range}) return { error: 'OUT_OF_RANGE' };
  return weeks > 52 ? { error: 'TOO_LONG' } : { fee: weeks * 3 };
}`;

test('the second of two limits is that of the member that was named before the first', async () => {
  assert.deepEqual(await refusalsOf(loans, fees('amount < 1200 || amount > 880000'), sandbox), []);
  assert.match(
    (await refusalsOf(loans, fees('amount < 1200'), sandbox)).join('\n'),
    /nothing changes at amount 880000/,
  );
});

const licence = (rules: string): Agreed => ({
  rules,
  request: object({ fines: { type: 'array', items: object({ points: integer }) } }),
  response: object({ left: integer, error: text }, ['left', 'error']),
  cases: [
    [{ fines: [{ points: 3 }] }, { left: 9 }],
    [{ fines: [{ points: 8 }, { points: 7 }] }, { left: 0 }],
    [{ fines: [{ points: 9 }] }, { error: 'INVALID' }],
  ],
});

for (const rules of [
  'A driver has 12 points less those of his fines, never less than 0. Fines have a positive number of points, 8 at most; a request with others is answered `INVALID`.',
  'Un conducteur a 12 points, moins ceux de ses fines, jamais moins de 0. Les points sont positifs, 8 au plus ; sinon la réponse est `INVALID`.',
])
  test(`a bound of what is worked out is none of what is asked: ${rules}`, async () => {
    const left = `export function handle({ fines }) {
      if (fines.some(({ points }) => points < 1 || points > 8)) return { error: 'INVALID' };
      return { left: Math.max(0, fines.reduce((rest, { points }) => rest - points, 12)) };
    }`;
    assert.deepEqual(await refusalsOf(licence(rules), left, sandbox), []);
  });

const berths: Agreed = {
  rules:
    'The harbour reads the boat with `readBoat`. If the deposit is below 700, the answer is `refused`; else it is `moored`.',
  request: object({ boat: text }),
  response: object({ result: { enum: ['moored', 'refused'] } }),
  cases: [
    [{ boat: 'B-11' }, { result: 'moored' }],
    [{ boat: 'B-12' }, { result: 'refused' }],
  ],
  tools: [
    reading('readBoat', object({ boat: text }), object({ deposit: integer, owner: text }), [
      [{ boat: 'B-11' }, { deposit: 4100, owner: 'Ane' }],
      [{ boat: 'B-12' }, { deposit: 30, owner: 'Ulf' }],
    ]),
  ],
};
const mooring = (isPoor: string) => `export async function handle({ boat }, { call }) {
  const { deposit } = await call.readBoat({ boat });
  return { result: ${isPoor} ? 'refused' : 'moored' };
}`;

test('a limit is looked at from both sides where a tool tells the number', async () => {
  assert.deepEqual(await refusalsOf(berths, mooring('deposit < 700'), sandbox), []);
  assert.match(
    (await refusalsOf(berths, mooring('deposit <= 700'), sandbox)).join('\n'),
    /the answer changes only behind deposit \(told by a tool\) 700/,
  );
});

const crates: Agreed = {
  rules:
    'The press takes crates of fruit. A request that does not fit the schema is answered `bad`; else the weight is told. In 2 shifts 39 people work here.',
  request: object({
    crates: {
      type: 'array',
      minItems: 1,
      maxItems: 6,
      items: object({ kilos: { type: 'integer', minimum: 1, maximum: 40 } }),
    },
  }),
  response: object({ state: { enum: ['taken', 'bad'] }, weight: integer }, ['weight']),
  cases: [
    [{ crates: [{ kilos: 12 }, { kilos: 7 }] }, { state: 'taken', weight: 19 }],
    [{ crates: [{ kilos: 25 }] }, { state: 'taken', weight: 25 }],
    [{ crates: [{ kilos: 77 }] }, { state: 'bad' }],
  ],
};
const pressing = (fits: string) => `export function handle(request) {
  const crates = request?.crates;
  const isWhole = (kilos) => typeof kilos === 'number' && Number.isInteger(kilos);
  if (!Array.isArray(crates) || !crates.every((crate) => isWhole(crate?.kilos)) || !(${fits})) return { state: 'bad' };
  return { state: 'taken', weight: crates.reduce((sum, { kilos }) => sum + kilos, 0) };
}`;

test('what a schema just allows is not answered like what it does not, within members and items too', async () => {
  const bounds = 'crates.length >= 1 && crates.length <= 6 && crates.every(({ kilos }) => kilos >= 1 && kilos <= 40)';
  assert.deepEqual(await refusalsOf(crates, pressing(bounds), sandbox), []);
  for (const [from, to, shown] of [
    ['<= 40', '< 40', /with kilos 40, which the schema allows, it answers as for an invalid request/],
    ['kilos >= 1', 'kilos > 1', /with kilos 1, which the schema allows/],
    ['length <= 6', 'length < 6', /with crates .*, which the schema allows/],
  ] as const)
    assert.match((await refusalsOf(crates, pressing(bounds.replace(from, to)), sandbox)).join('\n'), shown);
});
