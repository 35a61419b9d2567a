import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { type Agreed, integer, object, refusalsOf, text } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

const kilns = (description: string): Agreed => ({
  rules: 'Asks a pottery for the heat of a kiln. `cold` says that the kiln is not lit: the heat is null then.',
  request: object({ kiln: text }),
  response: object({ heat: { type: ['integer', 'null'] }, cold: { type: 'boolean' } }),
  cases: [
    [{ kiln: 'K-3401' }, { heat: 1217, cold: false }],
    [{ kiln: 'K-3402' }, { heat: null, cold: true }],
  ],
  task: {
    description,
    inputSchema: object({ kiln: text }),
    outputSchema: object({ heat: { type: ['integer', 'null'] }, why: { enum: ['lit', 'unlit', 'mute'] } }),
    examples: [
      { testCase: 1, input: { kiln: 'K-3401' }, output: { heat: 1217, why: 'lit' } },
      { testCase: 2, input: { kiln: 'K-3402' }, output: { heat: null, why: 'unlit' } },
    ],
  },
});
const heat = (failed: string) => `export async function perform({ kiln }, { send }) {
  let answer;
  try { answer = await send({ kiln }); } catch (error) { ${failed} }
  const { heat, cold } = answer ?? {};
  if (typeof heat !== 'number' && !cold) return { heat: null, why: 'mute' };
  return { heat, why: cold ? 'unlit' : 'lit' };
}`;

for (const description of [
  "The heat of a kiln. why is 'lit', 'unlit' (heat null) or 'mute' (the pottery gave no answer).",
  'The heat of a kiln with why `lit`; heat null with why `unlit` if it is cold, `mute` if the pottery could not be reached.',
  'Die Hitze eines Ofens, why ist "lit" oder "unlit". Antwortet nicht, wer gefragt ist, oder keine gültige Antwort: why "mute".',
  'La chaleur d’un four, why vaut "lit" ou "unlit" ; "mute" si la poterie ne répond pas.',
  'El calor de un horno; why es lit, unlit (apagado) o mute (sin respuesta).',
  '窑的温度。why 为 lit（已点火）、unlit（未点火）或 mute（超时或无响应）。',
  'The heat of a kiln. why is lit, unlit (the pottery said cold) or mute (no answer in time, or one that is of no use; heat null).',
  '窑的温度。why 为 lit、unlit（未点火；heat 为 null）或 mute（超时；heat 为 null）。',
  'Die Hitze eines Ofens. why ist lit, unlit oder mute (auch der zweite Versuch brachte keine verwertbare Antwort).',
  '窯の熱。why は lit、unlit（火が無い）、mute（時間切れ）のいずれか。',
])
  test(`a peer that gives no answer is told of by the name for it: ${description}`, async () => {
    const agreed = kilns(description);
    assert.deepEqual(await refusalsOf(agreed, heat("return { heat: null, why: 'mute' };"), sandbox), []);
    assert.match(
      (await refusalsOf(agreed, heat("return { heat: null, why: 'unlit' };"), sandbox)).join('\n'),
      /^requester-peer: case 1, where the peer fails: the output has none of mute/,
    );
    assert.match(
      (await refusalsOf(agreed, heat('throw error;'), sandbox)).join('\n'),
      /^requester-peer: case 1, where the peer fails: it throws, though the task says/,
    );
  });

for (const description of [
  "The heat of a kiln, why is 'lit' or 'unlit'.",
  "The heat of a kiln, why is 'lit' or 'unlit'; throws where the pottery gives no answer.",
  "The heat of a kiln, why is 'lit' or 'unlit' ('unlit' as well where a question has no answer).",
])
  test(`a peer that gives no answer may end all: ${description}`, async () =>
    assert.deepEqual(await refusalsOf(kilns(description), heat('throw error;'), sandbox), []));

test('a word of the phrase for a silent peer is no name for it', async () => {
  const agreed = kilns('');
  const task = {
    description: 'Жар печи. why: "да"; "нет" (печь холодная); сбой (нет ответа; heat null).',
    inputSchema: object({ kiln: text }),
    outputSchema: object({ heat: { type: ['integer', 'null'] }, why: { enum: ['горит', 'нет', 'сбой'] } }),
    examples: [
      { testCase: 1, input: { kiln: 'K-3401' }, output: { heat: 1217, why: 'горит' } },
      { testCase: 2, input: { kiln: 'K-3402' }, output: { heat: null, why: 'нет' } },
    ],
  };
  const handler = heat("return { heat: null, why: 'mute' };")
    .replaceAll("'mute'", "'сбой'")
    .replace("'unlit'", "'нет'")
    .replace("'lit'", "'горит'");
  assert.deepEqual(await refusalsOf({ ...agreed, task }, handler, sandbox), []);
});

const shelves: Agreed = {
  rules: 'The library tells the books of a shelf, page by page, and `next` as long as there is another page.',
  request: object({ shelf: text, page: integer }),
  response: object({ books: { type: 'array', items: text }, next: { type: 'boolean' } }),
  cases: [
    [
      { shelf: 'S-88', page: 1 },
      { books: ['Bk-1071', 'Bk-1072'], next: true },
    ],
    [
      { shelf: 'S-88', page: 2 },
      { books: ['Bk-1099'], next: false },
    ],
  ],
  task: {
    description: "All books of a shelf. state is 'whole', or 'broken' with no books where any page had no answer.",
    inputSchema: object({ shelf: text }),
    outputSchema: object({ state: text, books: { type: 'array', items: text } }),
    examples: [1, 2].map((testCase) => ({
      testCase,
      input: { shelf: 'S-88' },
      output: { state: 'whole', books: ['Bk-1071', 'Bk-1072', 'Bk-1099'] },
    })),
  },
};
const collected = (failed: string) => `export async function perform({ shelf }, { send }) {
  const books = [];
  for (let page = 1; ; page += 1) {
    let answer;
    try { answer = await send({ shelf, page }); } catch { ${failed} }
    books.push(...answer.books);
    if (!answer.next) return { state: 'whole', books };
  }
}`;

test('a later message that is not answered is told of as well', async () => {
  const broken = "return { state: 'broken', books: [] };";
  assert.deepEqual(await refusalsOf(shelves, collected(broken), sandbox), []);
  assert.match(
    (await refusalsOf(shelves, collected(`if (page > 1) return { state: 'whole', books }; ${broken}`), sandbox)).join(
      '\n',
    ),
    /^requester-peer: case 1, where the peer fails from its second message on: the output has none of broken/,
  );
});

test('what is told of one kind of message is not asked for where another has no answer', async () => {
  const bakes: Agreed = {
    rules: 'With `order` BAKE the oven gives a key; with `order` LOOK and the key it tells the heat.',
    request: object({ order: { enum: ['BAKE', 'LOOK'] }, kiln: text, key: text }, ['kiln', 'key']),
    response: object({ key: text, heat: integer }, ['key', 'heat']),
    cases: [
      [{ order: 'BAKE', kiln: 'K-3401' }, { key: 'ab-771' }],
      [{ order: 'LOOK', key: 'ab-771' }, { heat: 1217 }],
    ],
    task: {
      description: "why is 'baked', 'lost' (BAKE had no usable answer) or 'unknown' (the heat cannot be told).",
      inputSchema: object({ kiln: text }),
      outputSchema: object({ heat: { type: ['integer', 'null'] }, why: { enum: ['baked', 'lost', 'unknown'] } }),
      examples: [1, 2].map((testCase) => ({
        testCase,
        input: { kiln: 'K-3401' },
        output: { heat: 1217, why: 'baked' },
      })),
    },
  };
  const handler = (lost: string) => `export async function perform({ kiln }, { send }) {
  const ask = (message) => send(message).catch(() => ({}));
  const { key } = await ask({ order: 'BAKE', kiln });
  if (typeof key !== 'string') return { heat: null, why: '${lost}' };
  const { heat } = await ask({ order: 'LOOK', key });
  return typeof heat === 'number' ? { heat, why: 'baked' } : { heat: null, why: 'unknown' };
}`;
  assert.deepEqual(await refusalsOf(bakes, handler('lost'), sandbox), []);
  assert.match(
    (await refusalsOf(bakes, handler('unknown'), sandbox)).join('\n'),
    /^requester-peer: case 1, where the peer fails: the output has none of lost/m,
  );
});
