import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { type Agreed, integer, object, refusalsOf, text } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

const wells = (description: string, rule = ''): Agreed => ({
  rules: `Asks a station for the level of a well. Codes are those of HTTP: 404 for an unknown well, 503 while its probe is out of order. ${rule}`,
  request: object({ well: text }),
  response: object({ code: integer, level: integer, text }, ['level', 'text']),
  cases: [
    [{ well: 'W-3401' }, { code: 200, level: 1217 }],
    [{ well: 'W-3402' }, { code: 404, text: 'There is no such well' }],
  ],
  task: {
    description,
    inputSchema: object({ well: text }),
    outputSchema: object({
      level: { type: ['integer', 'null'] },
      why: { enum: ['fine', 'dry', 'broken', 'mute'] },
    }),
    examples: [
      { testCase: 1, input: { well: 'W-3401' }, output: { level: 1217, why: 'fine' } },
      { testCase: 2, input: { well: 'W-3402' }, output: { level: null, why: 'dry' } },
    ],
  },
});
const level = (why: string) => `export async function perform({ well }, { send }) {
  try {
    const { code, level } = await send({ well });
    if (code === 200 && Number.isInteger(level)) return { level, why: 'fine' };
    return { level: null, why: ${why} };
  } catch { return { level: null, why: 'mute' }; }
}`;
const toldApart = level("code === 503 ? 'broken' : code === 404 ? 'dry' : 'mute'");
const alike = level("code === 503 || code === 404 ? 'dry' : 'mute'");

for (const description of [
  'The level of a well. why is fine, dry (404), broken (503) or mute (no answer).',
  "The level of a well. why is 'fine', 'dry' if the answer has code 404, 'broken' if it has code 503 and 'mute' otherwise.",
  "The level of a well: why is 'fine' with one, and 'mute' or 'dry' without. why is 'broken' if the station answers 503.",
  'Der Stand eines Brunnens. why ist fine, dry (Code 404), broken (Code 503, Sonde defekt) oder mute (keine Antwort).',
  'Le niveau d’un puits. why vaut fine, dry (404), broken (503) ou mute (pas de réponse).',
  'Уровень колодца. why: fine, dry (код 404), broken (код 503) или mute (нет ответа).',
  '井的水位。why 为 fine、dry（404）、broken（状态码 503）或 mute（没有应答）。',
])
  test(`a code that no case shows is told by its name: ${description}`, async () => {
    const agreed = wells(description);
    assert.deepEqual(await refusalsOf(agreed, toldApart, sandbox), []);
    assert.match(
      (await refusalsOf(agreed, alike, sandbox)).join('\n'),
      /^requester-peer: case 2, where the peer answers 503: the output has no broken, though/m,
    );
  });

for (const [description, rule] of [
  ['The level of a well. why is fine, dry (404), broken (503 twice in a row) or mute (no answer).'],
  ['The level of a well. why is fine, dry (404), broken (503 at night) or mute (no answer).'],
  ['The level of a well. why is fine, dry (404 or 503), broken (503) or mute (no answer).'],
  ['The level of a well. why is broken (code 404), fine (code 503), dry or mute (no answer).'],
  ['The level of a well. why is fine, dry, broken (at depths of 503 and more) or mute (no answer).'],
  ['The level of a well. why is "broken" if the code is 503 and the well is known, else dry, fine or mute.'],
  ['The level of a well. why is fine, dry (404), broken (503) or mute (no answer).', 'On 503 one may retry later.'],
] as const)
  test(`a code is not asked for where more may decide: ${description} ${rule ?? ''}`, async () =>
    assert.deepEqual(await refusalsOf(wells(description, rule), alike, sandbox), []));

const parcels = (eta: boolean): Agreed => ({
  rules: 'Asks a courier for the state of a parcel.',
  request: object({ parcel: text }),
  response: object({ state: { enum: ['ROAD', 'HOME', 'GONE'] }, town: text, eta: text }, eta ? ['eta'] : []),
  cases: [
    [{ parcel: 'P-3401' }, { state: 'ROAD', town: 'Lyon', ...(eta ? {} : { eta: '' }) }],
    [{ parcel: 'P-3402' }, { state: 'HOME', town: 'Porto', ...(eta ? {} : { eta: '' }) }],
  ],
  task: {
    description: 'Where is a parcel? where is moving (ROAD), arrived (HOME), lost (GONE) or unclear (no answer).',
    inputSchema: object({ parcel: text }),
    outputSchema: object({ where: { enum: ['moving', 'arrived', 'lost', 'unclear'] } }),
    examples: [
      { testCase: 1, input: { parcel: 'P-3401' }, output: { where: 'moving' } },
      { testCase: 2, input: { parcel: 'P-3402' }, output: { where: 'arrived' } },
    ],
  },
});
const where = (gone: string) => `export async function perform({ parcel }, { send }) {
  try {
    const { state } = await send({ parcel });
    return { where: { ROAD: 'moving', HOME: 'arrived', GONE: '${gone}' }[state] ?? 'unclear' };
  } catch { return { where: 'unclear' }; }
}`;

test('a word that no case shows is told by its name', async () => {
  assert.deepEqual(await refusalsOf(parcels(false), where('lost'), sandbox), []);
  assert.match(
    (await refusalsOf(parcels(false), where('moving'), sandbox)).join('\n'),
    /^requester-peer: case 1, where the peer answers GONE: the output has no lost, though/m,
  );
});

const inWords = 'Where is a parcel? where is moving (ROAD), arrived (HOME)';
for (const rest of [
  '; it is unclear where there is no answer, or any other state.',
  ' or unclear (no answer, any other state).',
  '. In case of any other result it is unclear.',
  '；没有响应或其他状态时为 unclear。',
])
  test(`whatever else may come has one name: ${rest}`, async () => {
    const { task, ...agreed } = parcels(false);
    const other = {
      ...agreed,
      rules: `${agreed.rules} GONE: it is lost.`,
      task: { ...(task as object), description: inWords + rest },
    };
    assert.deepEqual(await refusalsOf(other, where('unclear'), sandbox), []);
    assert.match(
      (await refusalsOf(other, where('lost'), sandbox)).join('\n'),
      /^requester-peer: case \d, where the peer answers GONE: the output has not unclear, though/m,
    );
  });

for (const rest of [
  ', lost (GONE), or unclear (any other state).',
  ', or unclear: no answer. Any other state is told as lost or as moving.',
  ', or unclear for any other state unless it is gone.',
  ', or unclear for any other code.',
  ', lost where it is not found any more, or unclear (any other state).',
])
  test(`a name for all else is not asked for: ${rest}`, async () => {
    const { task, ...agreed } = parcels(false);
    const other = {
      ...agreed,
      rules: `${agreed.rules} GONE: it is lost.`,
      task: { ...(task as object), description: inWords + rest },
    };
    assert.deepEqual(await refusalsOf(other, where('lost'), sandbox), []);
  });

test('numbers of a list in the document are codes of which any other has one name', async () => {
  const rules =
    'Asks for the level of a well.\n\n| code | meaning |\n| --- | --- |\n| 0 | fine |\n| 1001 | no such well |\n| 2001 | busy |\n';
  const { task, ...agreed } = wells('');
  const busy: Agreed = {
    ...agreed,
    rules,
    cases: [
      [{ well: 'W-3401' }, { code: 0, level: 1217 }],
      [{ well: 'W-3402' }, { code: 1001, text: 'not found' }],
    ],
    task: {
      ...(task as object),
      description: 'why is fine, dry where there is no such well; it is mute for any other code.',
    },
  };
  const told = (rest: string) => level(`code === 1001 ? 'dry' : ${rest}`).replace('code === 200', 'code === 0');
  assert.deepEqual(await refusalsOf(busy, told("'mute'"), sandbox), []);
  assert.match(
    (await refusalsOf(busy, told("'broken'"), sandbox)).join('\n'),
    /^requester-peer: case 2, where the peer answers 2001: the output has not mute, though/m,
  );
});

test('a word is not asked for where its answer may need a member that the cases lack', async () =>
  assert.deepEqual(await refusalsOf(parcels(true), where('moving'), sandbox), []));

test('who asks again after such an answer has not ended with it', async () => {
  const asksOn = `export async function perform({ parcel }, { send }) {
    try {
      let { state } = await send({ parcel });
      if (state === 'GONE') ({ state } = await send({ parcel }));
      return { where: { ROAD: 'moving', HOME: 'arrived' }[state] ?? 'unclear' };
    } catch { return { where: 'unclear' }; }
  }`;
  assert.deepEqual(await refusalsOf(parcels(false), asksOn, sandbox), []);
});

const quarries = (description: string): Agreed => ({
  rules:
    'Asks a quarry for the price of a stone. Error codes are those of HTTP: 400 for a malformed name, 404 for a stone it has not, 429 for too many requests.',
  request: object({ stone: text }),
  response: object({ code: integer, price: integer, text }, ['price', 'text']),
  cases: [
    [{ stone: 'S-3401' }, { code: 200, price: 1217 }],
    [{ stone: 'S-3402' }, { code: 404, text: 'We do not have it' }],
    [{ stone: '?' }, { code: 400, text: 'What is that' }],
  ],
  task: {
    description,
    inputSchema: object({ stone: text }),
    outputSchema: object({ price: integer, problem: integer }, ['price', 'problem']),
    examples: [
      { testCase: 1, input: { stone: 'S-3401' }, output: { price: 1217 } },
      { testCase: 2, input: { stone: 'S-3402' }, output: { problem: 404 } },
      { testCase: 3, input: { stone: '?' }, output: { problem: 400 } },
    ],
  },
});
const price = (problem: string) => `export async function perform({ stone }, { send }) {
  const { code, price } = await send({ stone });
  if (code === 200 && Number.isInteger(price)) return { price };
  if (code < 400) throw new Error('neither a price nor a problem');
  return { problem: ${problem} };
}`;
const passedOn = price('code');
const twoAlone = price('code === 400 ? 400 : 404');

test('a code that no case shows is repeated as all others are', async () => {
  const agreed = quarries('The price of a stone: either price, or problem with the status code of the quarry.');
  assert.deepEqual(await refusalsOf(agreed, passedOn, sandbox), []);
  assert.match(
    (await refusalsOf(agreed, twoAlone, sandbox)).join('\n'),
    /^requester-peer: case 2, where the peer answers 429: the output tells another at \/problem, though/m,
  );
});

for (const description of [
  'The price of a stone, or problem with the status code of the quarry if that is 400, else 404.',
  'The price of a stone, or problem with the code 400 or 404.',
  'The price of a stone, or problem with the status code if the fault is ours.',
  'The price of a stone, or a problem. Its code is 404 for anything but 400.',
  'The price of a stone: either price, or problem with the status code. All other errors are told as for no stone.',
])
  test(`a code need not be repeated where the task says more: ${description}`, async () =>
    assert.deepEqual(await refusalsOf(quarries(description), twoAlone, sandbox), []));
