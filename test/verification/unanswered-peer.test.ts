import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import type { Json } from '../../src/kernel/json.ts';
import { type Agreed, integer, object, refusalsOf, text, warningsOf } from './agreed.ts';

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
  "The heat of a kiln. why is 'lit' by itself, 'unlit' for a cold kiln and 'mute' if the pottery does not reply.",
  'O calor de um forno. why é "unlit" quando está frio e "mute" quando a olaria não responde.',
  '窑的温度。why 为 lit、unlit（未点火）或 mute（窑场没有应答）。',
  '窯の熱。why は lit、unlit（火が無い）、mute（窯元が応答しない）のいずれか。',
  'Жар печи. why: lit, unlit (печь холодная) или mute (печник не ответил).',
  '窑的温度。why 为 lit 或 unlit（未点火）。没有收到响应、响应有误时 why 为 mute。',
  'El calor de un horno; why es lit o unlit (apagado). Si el alfar no contesta, why es mute.',
  "The heat of a kiln. why is lit, or unlit where the pottery says cold. If the request fails, why is 'mute'.",
])
  test(`a peer that gives no answer is told of by the name for it: ${description}`, async () => {
    const agreed = kilns(description);
    assert.deepEqual(await refusalsOf(agreed, heat("return { heat: null, why: 'mute' };"), sandbox), []);
    assert.match(
      (await refusalsOf(agreed, heat("return { heat: null, why: 'unlit' };"), sandbox)).join('\n'),
      /^requester-peer: case 1, where the peer times out: the output has none of mute/m,
    );
    assert.match(
      (await refusalsOf(agreed, heat('throw error;'), sandbox)).join('\n'),
      /^requester-peer: case 1, where the peer times out: it throws, though the task says/m,
    );
  });

test('what a case has for another answer is no doubt where the task has it for a peer that gives none', async () => {
  const warnings = async (description: string) => {
    const agreed = kilns(description);
    agreed.cases.push([{ kiln: 'K-3403' }, { heat: null, cold: false }]);
    const shown = { testCase: 3, input: { kiln: 'K-3403' }, output: { heat: null, why: 'mute' } };
    (agreed.task as { examples: Json[] }).examples.push(shown);
    return warningsOf(agreed, heat("return { heat: null, why: 'mute' };"), sandbox);
  };
  assert.deepEqual(await warnings("The heat of a kiln. why is 'lit', 'unlit' or 'mute' (no answer in time)."), []);
  const doubts = await warnings('The heat of a kiln, and why there is none.');
  // Once for each way to give no answer, however many cases there are.
  assert.equal(doubts.length, 4);
  for (const doubt of doubts) assert.match(doubt, /^requester-peer: case 1, .* reports what it reports for case 3/);
});

const throwsUnlessSilent = heat("if (error.code === 'TIMEOUT') return { heat: null, why: 'mute' }; throw error;");

for (const description of [
  "The heat of a kiln. why is 'lit', 'unlit' (heat null) or 'mute' (no answer in time).",
  'The heat of a kiln. why is `mute` if the pottery does not answer in time; any other failure fails the task.',
  '窑的温度。why 为 lit、unlit（未点火；heat 为 null）或 mute（超时；heat 为 null）。',
  '窯の熱。why は lit、unlit（火が無い）。応答がなければ mute。',
  'El calor de un horno; why es lit, unlit (apagado) o mute (sin respuesta).',
])
  test(`what is told of a silent peer need not be told of one that says no: ${description}`, async () =>
    assert.deepEqual(await refusalsOf(kilns(description), throwsUnlessSilent, sandbox), []));

for (const description of [
  'The heat of a kiln, `mute` if the pottery could not be reached.',
  'The heat of a kiln, `mute` if the pottery fails or does not answer.',
  'Die Hitze eines Ofens, `mute`, wenn die Töpferei nicht erreichbar ist.',
])
  test(`what is told of a peer that cannot be reached is told of one that says no: ${description}`, async () =>
    assert.match(
      (await refusalsOf(kilns(description), throwsUnlessSilent, sandbox)).join('\n'),
      /^requester-peer: case 1, where the peer fails: it throws, though the task says/,
    ));

for (const description of [
  "The heat of a kiln, why is 'lit' or 'unlit'.",
  "The heat of a kiln, why is 'lit' or 'unlit'; throws where the pottery gives no answer.",
  "The heat of a kiln, why is 'lit' or 'unlit' ('unlit' as well where a question has no answer).",
])
  test(`a peer that gives no answer may end all: ${description}`, async () =>
    assert.deepEqual(await refusalsOf(kilns(description), heat('throw error;'), sandbox), []));

/** Kilns of which the output says by a truth value whether their heat is known; messages have an id and no schema. */
const known = (description: string): Agreed => ({
  rules: 'Asks a pottery for the heat of a kiln: `{"id": "q1", "kiln": "K-1"}`, answered `{"id": "q1", "heat": 900}`. ',
  request: true,
  response: true,
  loose: [{ pointer: '/id', as: 'id' }],
  cases: [
    [
      { id: 'q-5501', kiln: 'K-3401' },
      { id: 'q-5501', heat: 1217 },
    ],
    [
      { id: 'q-5502', kiln: 'K-3402' },
      { id: 'q-5502', heat: 1104 },
    ],
  ],
  task: {
    description,
    inputSchema: object({ kiln: text }),
    outputSchema: object({ known: { type: 'boolean' }, heat: integer }, ['heat']),
    examples: [
      { testCase: 1, input: { kiln: 'K-3401' }, output: { known: true, heat: 1217 } },
      { testCase: 2, input: { kiln: 'K-3402' }, output: { known: true, heat: 1104 } },
    ],
  },
});
const knows = (silent: string, broken: string) => `export async function perform({ kiln }, { send, newId }) {
  const id = newId();
  let answer;
  try { answer = await send({ id, kiln }); } catch { return ${silent}; }
  if (answer?.id !== id) return { known: false };
  return typeof answer.heat === 'number' ? { known: true, heat: answer.heat } : ${broken};
}`;

for (const description of [
  'The heat of a kiln; known is false where there is no valid answer.',
  'Die Hitze eines Ofens. Keine Antwort oder ungültige Antwort: {"known": false}.',
  '窑的温度。没有收到响应或响应有误时 known 为 false。',
])
  test(`a truth value is told where the peer gives no answer, or one of no use: ${description}`, async () => {
    const [no, yes] = ['{ known: false }', '{ known: true, heat: 0 }'];
    assert.deepEqual(await refusalsOf(known(description), knows(no, no), sandbox), []);
    assert.match(
      (await refusalsOf(known(description), knows(yes, no), sandbox)).join('\n'),
      /where the peer times out: the output has none of known: false/,
    );
    assert.match(
      (await refusalsOf(known(description), knows(no, yes), sandbox)).join('\n'),
      /where the peer answers with its id alone: the output has none of known: false/,
    );
  });

for (const description of [
  'The heat of a kiln; known is false where the pottery does not answer twice, otherwise it may be guessed.',
  'The heat of a kiln; where there is no answer, known is false or the heat is guessed unless it is night.',
])
  test(`a truth value with an exception is not asked for: ${description}`, async () => {
    const guess = '{ known: true, heat: 0 }';
    const why = await refusalsOf(known(description), knows(guess, guess), sandbox);
    assert.deepEqual(
      why.filter((one) => one.includes('known: false')),
      [],
    );
  });

const spoken = (description: string): Agreed => ({
  rules: 'Asks `HEAT <kiln>`, answered `HEAT <degrees>`, or `COLD`.',
  cases: [
    ['HEAT K-3401', 'HEAT 1217'],
    ['HEAT K-3402', 'COLD'],
  ],
  task: {
    description,
    inputSchema: object({ kiln: text }),
    outputSchema: object({ heat: integer, why: { enum: ['lit', 'unlit', 'mute'] } }, ['heat']),
    examples: [
      { testCase: 1, input: { kiln: 'K-3401' }, output: { heat: 1217, why: 'lit' } },
      { testCase: 2, input: { kiln: 'K-3402' }, output: { why: 'unlit' } },
    ],
  },
});
const asksInText = (broken: string) => `export async function perform({ kiln }, { send }) {
  let answer;
  try { answer = await send('HEAT ' + kiln); } catch { return { why: 'mute' }; }
  const heat = /^HEAT (\\d+)$/.exec(answer.trim())?.[1];
  if (heat !== undefined) return { heat: Number(heat), why: 'lit' };
  return { why: answer.trim() === 'COLD' ? 'unlit' : '${broken}' };
}`;

for (const description of [
  "The heat of a kiln, why is 'lit' or 'unlit'; 'mute' when the pottery does not answer or its answer does not have the agreed form.",
  '窑的温度，why为lit、unlit或mute（窑场无应答，或答复不符合约定格式）。',
])
  test(`an answer in another form is told of by the name for it: ${description}`, async () => {
    assert.deepEqual(await refusalsOf(spoken(description), asksInText('mute'), sandbox), []);
    assert.match(
      (await refusalsOf(spoken(description), asksInText('unlit'), sandbox)).join('\n'),
      /the output has none of mute, by which the task names an answer that cannot be used/,
    );
  });

test('who is asked is no name for a peer that gives no answer', async () => {
  const agreed = kilns('');
  const task = {
    description:
      'The heat of a kiln, as the pottery tells it; where the pottery does not answer in time, as last known, and why says "known".',
    inputSchema: object({ kiln: text, last: integer }),
    outputSchema: object({ heat: { type: ['integer', 'null'] }, why: { enum: ['pottery', 'unlit', 'known'] } }),
    examples: [
      { testCase: 1, input: { kiln: 'K-3401', last: 1104 }, output: { heat: 1217, why: 'pottery' } },
      { testCase: 2, input: { kiln: 'K-3402', last: 1015 }, output: { heat: null, why: 'unlit' } },
    ],
  };
  const told = (last: string) =>
    heat(`return ${last};`).replace('({ kiln }', '({ kiln, last }').replace("'lit'", "'pottery'");
  assert.deepEqual(await refusalsOf({ ...agreed, task }, told("{ heat: last, why: 'known' }"), sandbox), []);
});

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
    /^requester-peer: case 1, where the peer times out from its second message on: the output has none of broken/m,
  );
});

test('a name for a silent peer may be several words in quotes', async () => {
  const agreed = kilns('');
  const task = {
    description:
      'The heat of a kiln; reason is empty if it is lit, else what the pottery says, or "no word" when it does not answer.',
    inputSchema: object({ kiln: text }),
    outputSchema: object({ heat: { type: ['integer', 'null'] }, reason: text }),
    examples: [
      { testCase: 1, input: { kiln: 'K-3401' }, output: { heat: 1217, reason: '' } },
      { testCase: 2, input: { kiln: 'K-3402' }, output: { heat: null, reason: 'cold' } },
    ],
  };
  const handler = (silent: string) => `export async function perform({ kiln }, { send }) {
  const { heat, cold } = await send({ kiln }).catch(() => ({}));
  return typeof heat === 'number' ? { heat, reason: '' } : { heat: null, reason: cold ? 'cold' : '${silent}' };
}`;
  assert.deepEqual(await refusalsOf({ ...agreed, task }, handler('no word'), sandbox), []);
  assert.match(
    (await refusalsOf({ ...agreed, task }, handler('cold'), sandbox)).join('\n'),
    /^requester-peer: case 1, where the peer times out: the output has none of no word/m,
  );
});

for (const description of [
  'The heat of the hottest of these kilns. Whoever does not answer is passed over; null if none is left.',
  'El calor del horno más caliente. Los hornos que no responden se omiten.',
  '最热的窑的温度。没有应答的窑跳过。',
  'El calor del horno más caliente. Si un horno no contesta, se sigue con el siguiente.',
])
  test(`a peer that is passed over ends nothing: ${description}`, async () => {
    const agreed: Agreed = {
      ...kilns(''),
      task: {
        description,
        inputSchema: object({ kilns: { type: 'array', items: text } }),
        outputSchema: object({ heat: { type: ['integer', 'null'] } }),
        examples: [1, 2].map((testCase) => ({
          testCase,
          input: { kilns: ['K-3401', 'K-3402'] },
          output: { heat: 1217 },
        })),
      },
    };
    const handler = (failed: string) => `export async function perform({ kilns }, { send }) {
  const heats = [];
  for (const kiln of kilns) {
    try { heats.push((await send({ kiln })).heat); } catch (error) { ${failed} }
  }
  return { heat: heats.filter(Boolean).sort((a, b) => b - a)[0] ?? null };
}`;
    assert.deepEqual(await refusalsOf(agreed, handler(''), sandbox), []);
    assert.match(
      (await refusalsOf(agreed, handler('throw error;'), sandbox)).join('\n'),
      /^requester-peer: case 1, where the peer times out: it throws, though the task says/m,
    );
    assert.match(
      (await refusalsOf(agreed, handler('break;'), sandbox)).join('\n'),
      /^requester-peer: case 1, where the peer times out at its first message: it asks no further, though/m,
    );
  });

test('what is told of an order that has no answer is not asked for where a question before it has none', async () => {
  const ovens: Agreed = {
    rules: 'With `verb` free the baker tells the hours; with `verb` book an hour is taken.',
    request: object({ verb: { enum: ['free', 'book'] }, hour: text }, ['hour']),
    response: object({ hours: { type: 'array', items: text }, ticket: text }, ['hours', 'ticket']),
    cases: [
      [{ verb: 'free' }, { hours: ['08:15', '11:45'] }],
      [{ verb: 'book', hour: '11:45' }, { ticket: 'tk-5512' }],
    ],
    task: {
      description:
        'state: DONE (free, then booked), UNSURE (the booking was sent and had no usable answer) or CLOSED (no hours were told).',
      inputSchema: object({ after: text }),
      outputSchema: object({ state: { enum: ['DONE', 'UNSURE', 'CLOSED'] }, ticket: text }, ['ticket']),
      examples: [1, 2].map((testCase) => ({
        testCase,
        input: { after: '09:00' },
        output: { state: 'DONE', ticket: 'tk-5512' },
      })),
    },
  };
  const handler = (unsure: string) => `export async function perform({ after }, { send }) {
  const ask = (message) => send(message).catch(() => ({}));
  const { hours } = await ask({ verb: 'free' });
  if (!Array.isArray(hours)) return { state: 'CLOSED' };
  const { ticket } = await ask({ verb: 'book', hour: hours.find((hour) => hour >= after) ?? hours[0] });
  return typeof ticket === 'string' ? { state: 'DONE', ticket } : { state: '${unsure}' };
}`;
  assert.deepEqual(await refusalsOf(ovens, handler('UNSURE'), sandbox), []);
  assert.match(
    (await refusalsOf(ovens, handler('DONE'), sandbox)).join('\n'),
    /^requester-peer: case 1, where the peer times out from its second message on: the output has none of UNSURE/m,
  );
  // A name that no case shows may be the one that is meant.
  assert.deepEqual(await refusalsOf(ovens, handler('CLOSED'), sandbox), []);
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
    (await refusalsOf(bakes, handler('baked'), sandbox)).join('\n'),
    /^requester-peer: case 1, where the peer fails: the output has none of lost/m,
  );
});

const spans = (rule: string): Agreed => ({
  rules: `The station tells the quakes of a span of days, or \`gap\` if it was out of order. ${rule}`,
  request: object({ first: integer, last: integer }),
  response: object({ gap: { type: 'boolean' }, quakes: integer }),
  cases: [
    [
      { first: 40, last: 41 },
      { gap: true, quakes: 0 },
    ],
    [
      { first: 60, last: 62 },
      { gap: false, quakes: 113 },
    ],
  ],
  task: {
    description: 'The quakes of a span of days, and the spans that were gaps.',
    inputSchema: object({ first: integer, last: integer }),
    outputSchema: object({ quakes: integer, gaps: { type: 'array', items: text } }),
    examples: [
      { testCase: 1, input: { first: 40, last: 41 }, output: { quakes: 0, gaps: ['40-41'] } },
      { testCase: 2, input: { first: 60, last: 62 }, output: { quakes: 113, gaps: [] } },
    ],
  },
});
const quakesOf = (failed: string) => `export async function perform({ first, last }, { send }) {
  let answer;
  try { answer = await send({ first, last }); } catch { answer = ${failed}; }
  return { quakes: answer.quakes, gaps: answer.gap ? [first + '-' + last] : [] };
}`;

for (const rule of [
  'A span that is not answered is treated like a gap.',
  'Bleibt eine Antwort aus, weil die Station gestört ist, so gilt die Spanne als Lücke.',
  'Une station qui ne répond pas est considérée comme une lacune.',
  '没有响应时视为缺测。',
])
  test(`a silent peer may be told of as one whose answer it counts as: ${rule}`, async () => {
    assert.deepEqual(await refusalsOf(spans(rule), quakesOf('{ gap: true, quakes: 0 }'), sandbox), []);
    assert.match(
      (await refusalsOf(spans(rule), quakesOf('{ gap: first !== 60, quakes: first === 60 ? 113 : 0 }'), sandbox)).join(
        '\n',
      ),
      /^requester-peer: case 2, where the peer times out: it reports success without an answer/m,
    );
  });

test('a silent peer is not told of as one that has said something of its own', async () =>
  assert.match(
    (await refusalsOf(spans(''), quakesOf('{ gap: true, quakes: 0 }'), sandbox)).join('\n'),
    /^requester-peer: case 1, where the peer times out: it reports success without an answer/m,
  ));

test('an answer to another request may be told of as silence, where one that says no ends all', async () => {
  const rule = 'An answer with another `ref` is ignored, as if none had come; no answer counts as a gap.';
  const { cases, ...rest } = spans(rule);
  const agreed: Agreed = {
    ...rest,
    request: object({ ref: text, first: integer, last: integer }),
    response: object({ ref: text, gap: { type: 'boolean' }, quakes: integer }),
    cases: cases.map(([asked, answer], index) => [
      { ref: `ref-00${index}`, ...(asked as object) },
      { ref: `ref-00${index}`, ...(answer as object) },
    ]),
    loose: [{ pointer: '/ref', as: 'id' }],
  };
  const handler = (isOurs: string) => `export async function perform({ first, last }, { send, newId }) {
  const ref = newId();
  let answer;
  try { answer = await send({ ref, first, last }); } catch (error) { if (error.code !== 'TIMEOUT') throw error; }
  if (!answer || !(${isOurs}) || answer.gap) return { quakes: 0, gaps: [first + '-' + last] };
  return { quakes: answer.quakes, gaps: [] };
}`;
  assert.deepEqual(await refusalsOf(agreed, handler('answer.ref === ref'), sandbox), []);
  assert.match(
    (await refusalsOf(agreed, handler('true'), sandbox)).join('\n'),
    /^requester-peer: case 2, where the peer answers another request: the answer is taken/m,
  );
});

const told = (failed: string) => heat(failed.startsWith('throw') ? failed : `return ${failed};`);
const unlit = "{ heat: null, why: 'unlit' }";

/** The kilns, with nothing in what is told that could tell of a failure. */
const glows = (description: string): Agreed =>
  JSON.parse(JSON.stringify(kilns(description)).replaceAll('"why"', '"glow"'));

for (const description of [
  'The heat of a kiln. A failed send propagates.',
  'The heat of a kiln. If the pottery cannot be reached, the error is passed on to the caller, who decides.',
  'Die Hitze eines Ofens. Fehler der Verbindung werden durchgereicht.',
  'El calor de un horno. Los errores se propagan.',
  '窑的温度。查询失败时抛出错误。',
  '窑的温度。其他错误由调用方处理。',
  '窯の熱。エラーはそのまま呼び出し元に渡す。',
])
  test(`a failure that is to reach the caller is not told as an answer: ${description}`, async () => {
    const glowing = (failed: string) => told(failed).replaceAll('why:', 'glow:');
    assert.deepEqual(await refusalsOf(glows(description), glowing('throw error;'), sandbox), []);
    assert.match(
      (await refusalsOf(glows(description), glowing(unlit), sandbox)).join('\n'),
      /^requester-peer: case 1, where the peer fails: it answers, though "/m,
    );
  });

for (const description of [
  'The heat of a kiln. Errors are not thrown.',
  'The heat of a kiln. A failed send propagates unless the kiln may be cold.',
  'The heat of a kiln. Errors of the pottery propagate as "unlit".',
  'The heat of a kiln. A pottery that fails is taken for cold; other errors propagate.',
  'The heat of a kiln. Errors are dealt with by the caller.',
  'The heat of a kiln. Errors are passed on to the caller.',
  'The heat of a kiln, which is thrown into confusion where the pottery tells nothing.',
])
  test(`a failure may be told where not all of them reach the caller: ${description}`, async () =>
    assert.deepEqual(await refusalsOf(kilns(description), told(unlit), sandbox), []));

for (const description of [
  'The heat of a kiln. A kiln that does not answer, whatever the reason, is passed over: why is "mute".',
  'The heat of a kiln. Anything that goes wrong is told as "mute".',
  'The heat of a kiln, "mute" where it cannot be had for any reason.',
])
  test(`what is told whatever goes wrong is told of every failure: ${description}`, async () => {
    assert.deepEqual(await refusalsOf(kilns(description), told("{ heat: null, why: 'mute' }"), sandbox), []);
    assert.match(
      (await refusalsOf(kilns(description), throwsUnlessSilent, sandbox)).join('\n'),
      /^requester-peer: case 1, where the peer fails: it throws, though the task says/,
    );
  });

for (const description of [
  'The heat of a kiln. A kiln that fails to heat for any reason is "unlit".',
  'The heat of a kiln. Where anything goes wrong with the firing, why is "unlit".',
])
  test(`what goes wrong elsewhere is nothing of the peer: ${description}`, async () =>
    assert.deepEqual(await refusalsOf(kilns(description), told('throw error;'), sandbox), []));

test('where the peer itself tells of silence, the task may mean that', async () => {
  const description = 'The heat of a kiln, or "mute" where it does not answer, and then it is asked once more.';
  const { response: _response, ...rest } = kilns(description);
  const response = object(
    { heat: { type: ['integer', 'null'] }, cold: { type: 'boolean' }, state: { enum: ['mute', 'offline'] } },
    ['state'],
  );
  assert.deepEqual(await refusalsOf({ ...rest, response }, told('throw error;'), sandbox), []);
  const sensors = bells('The ringers of the towers. A tower that does not answer is left out.');
  const answer = object({ ringers: { type: 'array', items: text }, silent: { type: 'boolean' } }, ['silent']);
  for (const failed of ['break;', 'throw error;'])
    assert.deepEqual(await refusalsOf({ ...sensors, response: answer }, ringing(failed), sandbox), []);
});

test('what a description of the output says of silence counts as well', async () => {
  const { task, ...rest } = kilns('The heat of a kiln.');
  const outputSchema = object({
    heat: { type: ['integer', 'null'] },
    why: { enum: ['lit', 'unlit', 'mute'], description: 'unlit: the kiln is cold; mute: no answer came' },
  });
  const agreed = { ...rest, task: { ...(task as object), outputSchema } as Agreed['task'] as never };
  assert.deepEqual(await refusalsOf(agreed, told("{ heat: null, why: 'mute' }"), sandbox), []);
  assert.match(
    (await refusalsOf(agreed, told(unlit), sandbox)).join('\n'),
    /^requester-peer: case 1, where the peer times out: the output has none of mute/m,
  );
});

const bells = (description: string): Agreed => ({
  rules: 'A tower tells its ringers.',
  request: object({ tower: text }),
  response: object({ ringers: { type: 'array', items: text } }),
  cases: [
    [{ tower: 'Petroc' }, { ringers: ['Morwenna Hicks'] }],
    [{ tower: 'Mabyn' }, { ringers: ['Silas Bray', 'Edith Tregear'] }],
  ],
  task: {
    description,
    inputSchema: object({ towers: { type: 'array', items: text } }),
    outputSchema: object({ ringers: { type: 'array', items: text } }),
    examples: [1, 2].map((testCase) => ({
      testCase,
      input: { towers: ['Petroc', 'Mabyn'] },
      output: { ringers: ['Morwenna Hicks', 'Silas Bray', 'Edith Tregear'] },
    })),
  },
});
const ringing = (failed: string) => `export async function perform({ towers }, { send }) {
  const ringers = [];
  for (const tower of towers) {
    try { ringers.push(...(await send({ tower })).ringers); } catch (error) { ${failed} }
  }
  return { ringers };
}`;

test('who is passed over does not keep others from being asked', async () => {
  const agreed = bells('The ringers of the towers. A tower that cannot be reached, whatever the reason, is skipped.');
  assert.deepEqual(await refusalsOf(agreed, ringing(''), sandbox), []);
  assert.match(
    (await refusalsOf(agreed, ringing('break;'), sandbox)).join('\n'),
    /^requester-peer: case 1, where the peer fails at its first message: it asks no further, though "A tower/m,
  );
  assert.deepEqual(await refusalsOf(bells('The ringers of the towers.'), ringing('break;'), sandbox), []);
});

test('what was told before is told all the same where the task wants what there is so far', async () => {
  const shelf = (description: string): Agreed => ({
    ...shelves,
    task: { ...(shelves.task as object), description } as never,
  });
  const sofar = shelf(
    "All books of a shelf, state 'whole'. Where a page has no answer, what it has so far as 'broken'.",
  );
  const [kept, lost] = ["return { state: 'broken', books };", "return { state: 'broken', books: [] };"];
  assert.deepEqual(await refusalsOf(sofar, collected(kept), sandbox), []);
  assert.match(
    (await refusalsOf(sofar, collected(lost), sandbox)).join('\n'),
    /^requester-peer: case 1, where the peer times out from its second message on: the output has no "Bk-1071"/m,
  );
  const throwing = shelf(
    "All books of a shelf, or what it got so far as 'broken'; throws where the first page has no answer.",
  );
  for (const failed of [kept, lost, 'throw new Error();'])
    assert.deepEqual(await refusalsOf(throwing, collected(failed), sandbox), [], failed);
});

test('a later failure that is to reach the caller is not told as another case is', async () => {
  const vines = (description: string): Agreed => ({
    rules:
      'With `step` KEY the guild gives the key of a parcel, if there is one; with `step` GRAPE it tells the grape.',
    request: object({ step: { enum: ['KEY', 'GRAPE'] }, of: text }),
    response: object({ key: text, grape: text }, ['key', 'grape']),
    cases: [
      [{ step: 'KEY', of: 'Steinacker' }, { key: 'pk-771' }],
      [{ step: 'GRAPE', of: 'pk-771' }, { grape: 'Silvaner' }],
      [{ step: 'KEY', of: 'Nirgendwo' }, {}],
    ],
    task: {
      description,
      inputSchema: object({ parcel: text }),
      outputSchema: object({ grape: { type: ['string', 'null'] } }),
      examples: [
        { testCase: 1, input: { parcel: 'Steinacker' }, output: { grape: 'Silvaner' } },
        { testCase: 2, input: { parcel: 'Steinacker' }, output: { grape: 'Silvaner' } },
        { testCase: 3, input: { parcel: 'Nirgendwo' }, output: { grape: null } },
      ],
    },
  });
  const handler = (failed: string) => `export async function perform({ parcel }, { send }) {
  const { key } = await send({ step: 'KEY', of: parcel });
  if (key === undefined) return { grape: null };
  const { grape = null } = await send({ step: 'GRAPE', of: key }).catch((error) => { ${failed} });
  return { grape };
}`;
  const told = 'The grape of a parcel, null if there is none. A failed send propagates.';
  assert.deepEqual(await refusalsOf(vines(told), handler('throw error;'), sandbox), []);
  assert.match(
    (await refusalsOf(vines(told), handler('return {};'), sandbox)).join('\n'),
    /^requester-peer: case 1, where the peer fails from its second message on: it answers as in case 3, though "/m,
  );
  assert.deepEqual(await refusalsOf(vines('The grape of a parcel.'), handler('return {};'), sandbox), []);
});

const twice = (times: number) => `export async function perform({ kiln }, { send }) {
  let answer;
  for (let left = ${times}; answer === undefined && left > 0; left -= 1) answer = await send({ kiln }).catch(() => undefined);
  if (answer === undefined) throw new Error('silent');
  return { heat: answer.heat, why: answer.cold ? 'unlit' : 'lit' };
}`;

for (const description of [
  'The heat of a kiln. If the pottery times out, the question is sent once more.',
  'The heat of a kiln. Retry when there is no answer.',
  '窑的温度。超时重试一次。',
])
  test(`what the task has sent again is: ${description}`, async () => {
    assert.deepEqual(await refusalsOf(kilns(description), twice(2), sandbox), []);
    assert.match(
      (await refusalsOf(kilns(description), twice(1), sandbox)).join('\n'),
      /^requester-peer: case 1, where the peer times out: a request that is not answered is not sent again, though "/m,
    );
  });

for (const description of [
  'The heat of a kiln. If the pottery times out, the question may be sent once more.',
  'The heat of a kiln. There are no retries when there is no answer.',
  'The heat of a kiln. After a second attempt without an answer the kiln is given up.',
  'The heat of a kiln, and how often the pottery tried again where the kiln did not answer.',
])
  test(`what need not be sent again is not: ${description}`, async () =>
    assert.deepEqual(await refusalsOf(kilns(description), twice(1), sandbox), []));

test('of several messages the last decides what counts as a success', async () => {
  const tables: Agreed = {
    rules: 'A cellar confirms a tasting at an hour, or does not.',
    request: object({ hour: integer }),
    response: object({ confirmed: { type: 'boolean' } }),
    cases: [
      [{ hour: 14 }, { confirmed: false }],
      [{ hour: 16 }, { confirmed: true }],
      [{ hour: 18 }, { confirmed: false }],
    ],
    task: {
      description: 'Books the first of the hours that can be had.',
      inputSchema: object({ hours: { type: 'array', items: integer } }),
      outputSchema: object({ booked: { type: 'boolean' }, hour: integer }, ['hour']),
      examples: [
        { testCase: 1, input: { hours: [14, 16] }, output: { booked: true, hour: 16 } },
        { testCase: 2, input: { hours: [14, 16] }, output: { booked: true, hour: 16 } },
        { testCase: 3, input: { hours: [18] }, output: { booked: false } },
      ],
    },
  };
  const handler = (failed: string) => `export async function perform({ hours }, { send }) {
  for (const hour of hours) {
    try {
      if ((await send({ hour })).confirmed) return { booked: true, hour };
    } catch { ${failed} }
  }
  return { booked: false };
}`;
  assert.deepEqual(await refusalsOf(tables, handler(''), sandbox), []);
  assert.match(
    (await refusalsOf(tables, handler('return { booked: true, hour };'), sandbox)).join('\n'),
    /^requester-peer: case 1, where the peer fails: it reports success without an answer/m,
  );
});

for (const [description, cold, mute] of [
  [
    'Die Hitze eines Ofens. "why" ist "kein Feuer" bei kaltem Ofen, der Name des Ofens bei heißem und "keine Antwort", wenn keine oder eine fremde Antwort kam.',
    'kein Feuer',
    'keine Antwort',
  ],
  [
    'The heat of a kiln. why is "no fire" with a cold kiln, its name with a hot one and "no answer", when none came at all.',
    'no fire',
    'no answer',
  ],
] as const)
  test(`a name that says itself that there is no answer is the one for it: ${mute}`, async () => {
    const base = kilns(description);
    const agreed: Agreed = {
      ...base,
      task: {
        ...(base.task as Record<string, Json>),
        outputSchema: object({ heat: { type: ['integer', 'null'] }, why: text }),
        examples: [
          { testCase: 1, input: { kiln: 'K-3401' }, output: { heat: 1217, why: 'K-3401' } },
          { testCase: 2, input: { kiln: 'K-3402' }, output: { heat: null, why: cold } },
        ],
      },
    };
    const handler = (silent: string) => `export async function perform({ kiln }, { send }) {
  const answer = await send({ kiln }).catch(() => null);
  if (typeof answer?.heat !== 'number' && !answer?.cold) return { heat: null, why: '${silent}' };
  return { heat: answer.heat, why: answer.cold ? '${cold}' : kiln };
}`;
    assert.deepEqual(await refusalsOf(agreed, handler(mute), sandbox), []);
    assert.match(
      (await refusalsOf(agreed, handler(cold), sandbox)).join('\n'),
      new RegExp(`the output has none of ${mute}, by which the task names a peer that gives no answer`),
    );
  });

for (const rule of [
  'If the pottery does not answer, or cannot be reached, the client gives up and reports `mute`.',
  'Kommt keine Antwort, so ist das Ergebnis `mute`.',
  'Si la demande reste sans réponse, le client rend `mute`.',
  '查询失败或超时，结果为 `mute`。',
])
  test(`the document may have the word for a peer that gives no answer: ${rule}`, async () => {
    const agreed = kilns('The heat of a kiln, and why there is none.');
    agreed.rules += ` ${rule}`;
    assert.deepEqual(await refusalsOf(agreed, heat("return { heat: null, why: 'mute' };"), sandbox), []);
    assert.match(
      (await refusalsOf(agreed, heat("return { heat: null, why: 'unlit' };"), sandbox)).join('\n'),
      /^requester-peer: case 1, where the peer times out: the output has none of mute/m,
    );
  });

test('a word of the document that messages have, or no output lists, is not for the requester alone', async () => {
  const silence = 'If the oven does not answer the pottery, `mute` is told.';
  const agreed = kilns('The heat of a kiln, and why there is none.');
  const open = structuredClone(agreed);
  open.rules += ` ${silence}`;
  open.response = object({ heat: { type: ['integer', 'null'] }, cold: { enum: [true, false, 'mute'] } });
  assert.deepEqual(await refusalsOf(open, heat("return { heat: null, why: 'unlit' };"), sandbox), []);
});

test('of names beside one another the one that says so itself is for a silent peer', async () => {
  const agreed = kilns('The heat of a kiln; why is lit, unlit, TIMEOUT or MISFIT.');
  const task = agreed.task as { outputSchema: Json };
  const why = { enum: ['lit', 'unlit', 'TIMEOUT', 'MISFIT'] };
  task.outputSchema = object({ heat: { type: ['integer', 'null'] }, why });
  const silent = (name: string) => heat(`return { heat: null, why: '${name}' };`).replace("'mute'", "'MISFIT'");
  assert.deepEqual(await refusalsOf(agreed, silent('TIMEOUT'), sandbox), []);
  const why2 = (await refusalsOf(agreed, silent('unlit'), sandbox)).join('\n');
  assert.match(why2, /the output has none of TIMEOUT, by which/);
});
