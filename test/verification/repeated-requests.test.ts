import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { type Agreed, integer, object, refusalsOf, text } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

const wells = (rules: string): Agreed => ({
  rules,
  request: object({ ask: { enum: ['DEPTH', 'LEVEL'] }, well: text }),
  response: object({ metres: integer }),
  cases: [
    [{ ask: 'DEPTH', well: 'W-204' }, { metres: 61 }],
    [{ ask: 'LEVEL', well: 'W-204' }, { metres: 17 }],
  ],
  task: {
    description: 'How much water stands in a well, in metres; null where there is no answer.',
    inputSchema: object({ well: text }),
    outputSchema: object({ water: { type: ['integer', 'null'] } }),
    examples: [1, 2].map((testCase) => ({ testCase, input: { well: 'W-204' }, output: { water: 44 } })),
  },
});
const handler = (depth: number, level: number) => `export async function perform({ well }, { send }) {
  const metres = async (ask, times) => {
    try {
      return (await send({ ask, well })).metres;
    } catch (error) {
      if (times > 1) return metres(ask, times - 1);
      throw error;
    }
  };
  try {
    return { water: (await metres('DEPTH', ${depth})) - (await metres('LEVEL', ${level})) };
  } catch {
    return { water: null };
  }
}`;

for (const rules of [
  'A question that has no answer is not repeated.',
  'Eine unbeantwortete Frage wird nicht wiederholt.',
  "Sans réponse, rien n'est renvoyé.",
  'Sin respuesta, la pregunta no se repite.',
  'Sem resposta, a pergunta não se repete.',
  'Вопрос без ответа не повторяется.',
  'Está prohibido reintentar una pregunta.',
  'Повторять запрос нельзя.',
  'Eine Frage wird keinesfalls wiederholt.',
  '没有应答时不重发。',
  '応答が無い場合、再送しない。',
  'لا يعاد الإرسال عند عدم وصول الرد.',
])
  test(`what is not answered is not sent again: ${rules}`, async () => {
    assert.deepEqual(await refusalsOf(wells(rules), handler(1, 1), sandbox), []);
    assert.match(
      (await refusalsOf(wells(rules), handler(2, 1), sandbox)).join('\n'),
      /^requester-peer: case 1, where the peer fails: a request that is not answered is sent again, though "/m,
    );
  });

for (const rules of [
  'A question that has no answer is asked again once; after that it is not repeated.',
  'Вопрос без ответа повторяется один раз. Второй раз он не повторяется.',
  'DEPTH is repeated once where nobody answers. LEVEL is not repeated.',
  'A question may be put again. An answer is never repeated by the well.',
  'A question is not repeated more than twice.',
  'A survey is not repeated within the year, and a drilling is never repeated.',
  'A drilling must never be repeated.',
  'Eine Frage wird nicht öfter als zweimal gestellt und nicht wiederholt, solange die Frist läuft.',
])
  test(`what may be sent again is: ${rules}`, async () =>
    assert.deepEqual(await refusalsOf(wells(rules), handler(2, 1), sandbox), []));

test('of two kinds of messages the one that is not to be repeated is not', async () => {
  const rules = 'DEPTH is repeated once where nobody answers. LEVEL is not repeated.';
  assert.deepEqual(await refusalsOf(wells(rules), handler(2, 1), sandbox), []);
  assert.match(
    (await refusalsOf(wells(rules), handler(1, 2), sandbox)).join('\n'),
    /^requester-peer: case 1, where the peer times out from its second message on: a request .* "LEVEL is not repeated/m,
  );
});

const berths = (rules: string): Agreed => ({
  rules,
  request: object({ idMessage: text, 流水号: text, berth: text }),
  response: object({ idMessage: text, 流水号: text, metres: integer }),
  cases: [
    [
      { idMessage: 'm-11', 流水号: 'x-11', berth: 'B-204' },
      { idMessage: 'm-11', 流水号: 'x-11', metres: 61 },
    ],
  ],
  loose: [
    { pointer: '/idMessage', as: 'id' },
    { pointer: '/流水号', as: 'id' },
  ],
  task: {
    description: 'The depth of a berth; null where there is no answer.',
    inputSchema: object({ berth: text }),
    outputSchema: object({ metres: { type: ['integer', 'null'] } }),
    examples: [{ testCase: 1, input: { berth: 'B-204' }, output: { metres: 61 } }],
  },
});
const depth = (isOurs: string) => `export async function perform({ berth }, { send, newId }) {
  const [id, other] = [newId(), newId()];
  const answer = await send({ idMessage: id, 流水号: other, berth }).catch(() => null);
  return { metres: answer && ${isOurs} && typeof answer.metres === 'number' ? answer.metres : null };
}`;

for (const rules of ["Une réponse dont l'idMessage diffère est ignorée.", '流水号不一致的应答必须丢弃。'])
  test(`an answer to another message is not taken: ${rules}`, async () => {
    const isOurs = 'answer.idMessage === id && answer.流水号 === other';
    assert.deepEqual(await refusalsOf(berths(rules), depth(isOurs), sandbox), []);
    assert.match(
      (await refusalsOf(berths(rules), depth('true'), sandbox)).join('\n'),
      /^requester-peer: case 1, where the peer answers another request: the answer is taken/m,
    );
  });
