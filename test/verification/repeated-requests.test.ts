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
  'Sin respuesta en 10 segundos se agota el tiempo. La pregunta no se repite.',
  'Sem resposta em 10 segundos, a pergunta não se repete.',
  'A question that has no answer is not repeated. The well answers within 30 seconds.',
  'No se reintenta una pregunta. La respuesta repite la pregunta.',
  'No request is ever repeated.',
  'Sin respuesta, la orden no se repite. La respuesta la repite.',
  'Le client envoie une question, il ne la répète pas.',
  'A question must never be sent a second time, since it might have been heard.',
  'A question that has no answer is **not** repeated.',
  'A question is sent once only, whatever happens. The answer repeats the number; the number is repeated.',
  'Per round at most one message is sent. There are no second attempts.',
  'The question is sent once and never again.',
  'If no answer has come after 20 seconds, the asker does not send the question again. No request is sent again.',
  'If no answer comes, do not send the question again.',
  '| 429 | send the question again, at most two more times |\n\nA question that has no answer is never repeated.',
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

for (const rules of [
  'A question that has no answer may be repeated once.',
  'Una domanda senza risposta può essere ripetuta una sola volta.',
  '没有应答时可以再请求一次。',
])
  test(`what may be sent again once is not sent thrice: ${rules}`, async () => {
    assert.deepEqual(await refusalsOf(wells(rules), handler(2, 2), sandbox), []);
    assert.match(
      (await refusalsOf(wells(rules), handler(3, 1), sandbox)).join('\n'),
      /^requester-peer: case 1, where the peer fails: a request that is not answered is sent again, though "/m,
    );
  });

test('what may be sent again twice, or once in each of several ways, is', async () => {
  for (const rules of [
    'A question may be repeated once, or twice at night.',
    'It may be repeated once. At night it is asked again.',
  ])
    assert.deepEqual(await refusalsOf(wells(rules), handler(3, 3), sandbox), []);
});

test('a word of the rule may be the beginning of another', async () => {
  const rules = 'DEPTHS are asked again once. A LEVELLING is not repeated.';
  assert.deepEqual(await refusalsOf(wells(rules), handler(2, 1), sandbox), []);
  assert.match(
    (await refusalsOf(wells(rules), handler(1, 2), sandbox)).join('\n'),
    /^requester-peer: case 1, where the peer times out from its second message on: a request .* "A LEVELLING is not/m,
  );
});

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

for (const rules of [
  "Une réponse dont l'idMessage diffère est ignorée.",
  "Une réponse dont l'idMessage n'est pas celui de la demande est ignorée.",
  '流水号不一致的应答必须丢弃。',
  '流水号不同的应答视为没有应答。',
  'Ответ с другим id не учитывается.',
  'An answer with another id counts as no answer.',
  'A response that replies to something else is discarded.',
  'Stimmt die idMessage einer Antwort nicht mit der Anfrage überein, ist die Antwort zu verwerfen.',
  'Eine Antwort, deren idMessage nicht die der Anfrage ist, ist ungültig.',
  'Una respuesta con otro idMessage no vale como respuesta.',
  'Whatever comes back with an idMessage that was not sent does not concern us.',
  'Answers with another idMessage must be treated as if no answer had come.',
])
  test(`an answer to another message is not taken: ${rules}`, async () => {
    const isOurs = 'answer.idMessage === id && answer.流水号 === other';
    assert.deepEqual(await refusalsOf(berths(rules), depth(isOurs), sandbox), []);
    assert.match(
      (await refusalsOf(berths(rules), depth('true'), sandbox)).join('\n'),
      /^requester-peer: case 1, where the peer answers another request: the answer is taken/m,
    );
  });

for (const description of [
  'The depth of a berth; null if nobody answers, or the answer is not for our question: an answer that is not ours counts as no answer.',
  'The depth of a berth; null where there is no answer, or an answer to another request.',
  'Die Tiefe eines Liegeplatzes; null, wenn keine Antwort kommt oder eine Antwort auf eine andere Anfrage.',
  'La profondeur ; null si le port ne répond pas ou répond à une autre demande.',
  'La profundidad; null si el puerto no responde o si la respuesta no corresponde a la petición.',
  'Глубина; null, если порт не ответил или ответ не наш.',
  '泊位深度；没有应答，或应答不是给我们的，则为 null。',
  '深さ。応答しない場合、または別の要求への応答の場合は null。',
])
  test(`an answer to another message is not taken where the task tells what comes of it: ${description}`, async () => {
    const { task, ...rest } = berths('The message has two numbers.');
    const agreed = { ...rest, task: { ...(task as object), description } };
    assert.deepEqual(
      await refusalsOf(agreed, depth('answer.idMessage === id && answer.流水号 === other'), sandbox),
      [],
    );
    assert.match(
      (await refusalsOf(agreed, depth('true'), sandbox)).join('\n'),
      /^requester-peer: case 1, where the peer answers another request: the answer is taken/m,
    );
  });

/** Berths of which a requester reports by a word how asking went, asked for under a name that no protocol has for ids. */
const soundings = (rules: string): Agreed => ({
  rules: `Asks for the depth of a berth. ${rules}`,
  request: object({ berth: text }),
  response: object({ berth: text, metres: integer }),
  cases: [
    [{ berth: 'B-204' }, { berth: 'B-204', metres: 61 }],
    [{ berth: 'B-377' }, { berth: 'B-377', metres: 74 }],
  ],
  task: {
    description: 'The depth of a berth, with how it went.',
    inputSchema: object({ name: text }),
    outputSchema: object({ went: { enum: ['told', 'astray', 'mute'] }, metres: integer }, ['metres']),
    examples: [
      { testCase: 1, input: { name: 'B-204' }, output: { went: 'told', metres: 61 } },
      { testCase: 2, input: { name: 'B-377' }, output: { went: 'told', metres: 74 } },
    ],
  },
});
const sounding = (
  isOurs: string,
  failed = "return { went: 'mute' };",
) => `export async function perform({ name }, { send }) {
  let answer;
  try { answer = await send({ berth: name }); } catch (error) { ${failed} }
  return ${isOurs} ? { went: 'told', metres: answer.metres } : { went: 'astray' };
}`;

for (const rules of [
  'The answer repeats the `berth`. If it carries another one, the client does not use it and reports `astray`.',
  'If the answer names another berth, the outcome is `astray`.',
  'An answer whose `berth` is not the `berth` asked for is not used: `astray`.',
  'La réponse reprend `berth` de la demande. Si elle en porte une autre, le client rend `astray`.',
  'Trägt die Antwort ein anderes Berth, so gilt sie nicht. Das Ergebnis ist `astray`.',
  '应答中的 `berth` 必须与请求一致，不一致的应答作废。',
  'Cada petición lleva un `berth`. La respuesta lo repite; si trae otro, no se tiene en cuenta y se informa `astray`.',
])
  test(`an answer about something else is not taken where it is reported by a word of its own: ${rules}`, async () => {
    const ours = 'answer.berth === name';
    assert.deepEqual(await refusalsOf(soundings(rules), sounding(ours), sandbox), []);
    assert.match(
      (await refusalsOf(soundings(rules), sounding('true'), sandbox)).join('\n'),
      /^requester-peer: case 1, where the peer answers another request: the answer is taken/m,
    );
  });

test('what is asked about need not come back where nothing is said of another', async () => {
  for (const rules of [
    'The answer repeats the `berth`.',
    'The answer repeats the `berth`. If the desk asks for another try, the outcome is `astray`.',
    'If the answer has another depth than the `berth` has, the outcome is `astray`.',
  ])
    assert.deepEqual(await refusalsOf(soundings(rules), sounding('true'), sandbox), []);
});

const again = (id: string) => `export async function perform({ berth }, { send, newId }) {
  const [first, other] = [newId(), newId()];
  for (let times = 0; times < 2; times++) {
    const answer = await send({ idMessage: ${id}, 流水号: other, berth }).catch(() => null);
    if (answer !== null) return { metres: answer.metres };
  }
  return { metres: null };
}`;
for (const rules of [
  'A message without an answer may be sent again, with the same `idMessage`.',
  'Eine Nachricht ohne Antwort wird mit derselben idMessage erneut gesendet.',
  '没有应答时可以重发，使用相同的 idMessage。',
])
  test(`a message that is sent again has the id that it had: ${rules}`, async () => {
    assert.deepEqual(await refusalsOf(berths(rules), again('first'), sandbox), []);
    assert.match(
      (await refusalsOf(berths(rules), again('newId()'), sandbox)).join('\n'),
      /^requester-peer: case 1, where the peer fails: a request that is not answered is sent again with another id/m,
    );
  });

for (const rules of [
  'A message may be sent again.',
  'A second message with the same `idMessage` is rejected. A message may be sent again.',
  'A message may be sent again. An answer repeats the same `idMessage`.',
])
  test(`a message that is sent again may have another id: ${rules}`, async () =>
    assert.deepEqual(await refusalsOf(berths(rules), again('newId()'), sandbox), []));

test('an answer to another message that is taken is no fault where nothing is said of it', async () => {
  for (const rules of [
    'The answer repeats `idMessage`.',
    'An answer to another question may be taken as well, or ignored.',
  ])
    assert.deepEqual(await refusalsOf(berths(rules), depth('true'), sandbox), []);
});

test('the number of a message may stand within it', async () => {
  const agreed: Agreed = {
    ...berths('Head and body. An answer with another id is ignored.'),
    request: object({ head: object({ id: text }), berth: text }),
    response: object({ head: object({ replyTo: text }), metres: integer }),
    cases: [
      [
        { head: { id: 'm-11' }, berth: 'B-204' },
        { head: { replyTo: 'm-11' }, metres: 61 },
      ],
    ],
    loose: [{ pointer: '/head/id', as: 'id' }],
  };
  const handler = (isOurs: string) => `export async function perform({ berth }, { send, newId }) {
  const id = newId();
  const answer = await send({ head: { id }, berth }).catch(() => null);
  return { metres: answer && ${isOurs} && typeof answer.metres === 'number' ? answer.metres : null };
}`;
  assert.deepEqual(await refusalsOf(agreed, handler('answer.head.replyTo === id'), sandbox), []);
  assert.match(
    (await refusalsOf(agreed, handler('true'), sandbox)).join('\n'),
    /^requester-peer: case 1, where the peer answers another request: the answer is taken/m,
  );
});

const kilns = (rules: string): Agreed => ({
  rules,
  request: object({ ref: text, kiln: text }),
  response: object({ ref: text, done: { type: 'boolean' }, shelf: text }, ['shelf']),
  cases: [
    [
      { ref: 'r-01', kiln: 'K-204' },
      { ref: 'r-01', done: false },
    ],
    [
      { ref: 'r-02', kiln: 'K-204' },
      { ref: 'r-02', done: true, shelf: 'SH-77' },
    ],
  ],
  loose: [{ pointer: '/ref', as: 'id' }],
  task: {
    description: 'The shelf of what a kiln has fired; null where it is not done.',
    inputSchema: object({ kiln: text }),
    outputSchema: object({ shelf: { type: ['string', 'null'] } }),
    examples: [1, 2].map((testCase) => ({ testCase, input: { kiln: 'K-204' }, output: { shelf: 'SH-77' } })),
  },
});
const firing = (times: number, isFresh = true) => `export async function perform({ kiln }, { send, newId }) {
  const first = newId();
  for (let time = 0; time < ${times}; time += 1) {
    const ref = ${isFresh ? 'time === 0 ? first : newId()' : 'first'};
    const answer = await send({ ref, kiln }).catch(() => null);
    if (typeof answer?.done !== 'boolean') return { shelf: null };
    if (answer.done) return { shelf: answer.shelf ?? null };
  }
  return { shelf: null };
}`;

for (const rules of [
  'Asks whether a kiln is done. It is asked at most 4 times.',
  'Asks whether a kiln is done. It is asked four times at most, then we give up.',
  'Fragt, ob ein Ofen fertig ist, höchstens viermal.',
  '询问窑炉是否完成，最多询问四次。',
  'Asks whether a kiln is done, and where not, sends the question again, at most three more times.',
  'Fragt, ob ein Ofen fertig ist, höchstens 4 mal.',
  '询问窑炉是否完成，最多询问 4 次。',
])
  test(`nothing is asked more often than it may be: ${rules}`, async () => {
    assert.deepEqual(await refusalsOf(kilns(rules), firing(4), sandbox), []);
    assert.deepEqual(await refusalsOf(kilns(rules), firing(2), sandbox), []);
    assert.match(
      (await refusalsOf(kilns(rules), firing(5), sandbox)).join('\n'),
      /^requester-peer: case 1, where the peer answers what is repeated as it did first: a request is sent 5 times, though "/m,
    );
  });

test('who may ask so often in a minute may ask for ever', async () =>
  assert.deepEqual(
    await refusalsOf(kilns('Asks whether a kiln is done, at most 4 times per minute.'), firing(9), sandbox),
    [],
  ));

for (const rules of [
  'Asks whether a kiln is done; where it is not, asks again with a new `ref`.',
  '询问窑炉是否完成，未完成时再询问（新的 ref）。',
])
  test(`what is asked again has an id of its own: ${rules}`, async () => {
    assert.deepEqual(await refusalsOf(kilns(rules), firing(4), sandbox), []);
    assert.match(
      (await refusalsOf(kilns(rules), firing(4, false), sandbox)).join('\n'),
      /^requester-peer: case 1: two messages have the same id, though "/m,
    );
  });

test('what is asked again may have the id that it had where nothing is said of it', async () => {
  for (const rules of ['Asks again until a kiln is done.', 'Asks again until it is done, and may use a new `ref`.'])
    assert.deepEqual(await refusalsOf(kilns(rules), firing(4, false), sandbox), []);
});

test('a text that the peer alone tells is followed, however the request is told apart', async () => {
  const slots: Agreed = {
    rules: 'Asks for a slot in an hour.',
    request: object({ hour: text }),
    response: object({ slot: text }),
    cases: [
      [{ hour: '2026-05-04T07:00' }, { slot: '07:20 lane 2' }],
      [{ hour: '2026-05-04T08:00' }, { slot: 'none' }],
    ],
    task: {
      description: 'The slot of an hour. Where nobody answers it is `silence`.',
      inputSchema: object({ hour: text }),
      outputSchema: object({ slot: text }),
      examples: [
        { testCase: 1, input: { hour: '2026-05-04T07:00' }, output: { slot: '07:20 lane 2' } },
        { testCase: 2, input: { hour: '2026-05-04T08:00' }, output: { slot: 'none' } },
      ],
    },
  };
  const asking = (told: string) => `export async function perform({ hour }, { send }) {
    try {
      const { slot } = await send({ hour });
      return { slot: ${told} };
    } catch { return { slot: 'silence' }; }
  }`;
  assert.deepEqual(await refusalsOf(slots, asking('slot'), sandbox), []);
  assert.match(
    (await refusalsOf(slots, asking("slot === 'none' ? slot : '07:20 lane 2'"), sandbox)).join('\n'),
    /tool-influence: case 1: it answers with "07:20 lane 2" whatever the peer tells/,
  );
});
