import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { type Agreed, integer, object, reading, refusalsOf, text } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

const lifts = (description: string): Agreed => ({
  rules: 'The answer tells the floor of the lift; `stoerung` says what is out of order, and the floor is 0 then.',
  request: object({ lift: text }),
  response: object({ floor: integer, stoerung: { type: ['string', 'null'] } }),
  cases: [
    [{ lift: 'L-204' }, { floor: 17, stoerung: null }],
    [{ lift: 'L-380' }, { floor: 0, stoerung: 'STEHT' }],
  ],
  task: {
    description,
    inputSchema: object({ lift: text }),
    outputSchema: object({ at: text }),
    examples: [
      { testCase: 1, input: { lift: 'L-204' }, output: { at: 'floor 17' } },
      { testCase: 2, input: { lift: 'L-380' }, output: { at: 'nowhere' } },
    ],
  },
});
const where = (failed: string) => `export async function perform({ lift }, { send }) {
  try {
    const { floor, stoerung } = await send({ lift });
    return { at: stoerung === null ? 'floor ' + floor : 'nowhere' };
  } catch {
    return { at: ${failed} };
  }
}`;

test('a peer that gives no answer may be told of as one that says it cannot', async () => {
  const agreed = lifts('Where a lift is, as `floor 3`, or `nowhere` if it is out of order or nobody can say.');
  assert.deepEqual(await refusalsOf(agreed, where("'nowhere'"), sandbox), []);
});

test('a peer that gives no answer is not told of as one that has said something of its own', async () => {
  const agreed = lifts('Where a lift is, as `floor 3`, or `nowhere` if it is out of order or nobody can say.');
  assert.match(
    (await refusalsOf(agreed, where("lift === 'L-204' ? 'floor 17' : 'nowhere'"), sandbox)).join('\n'),
    /^requester-peer: case 1, where the peer fails: it reports success without an answer/m,
  );
});

const boats: Agreed = {
  rules:
    'First `step` ask: the peer offers a berth and its price. Then `step` take, with the berth: the peer confirms, with the price again.',
  request: object({ step: { enum: ['ask', 'take'] }, subject: text }),
  response: object({ berth: text, price: integer }),
  cases: [
    [
      { step: 'ask', subject: 'Albatros' },
      { berth: 'B-071', price: 145 },
    ],
    [
      { step: 'take', subject: 'B-071' },
      { berth: 'B-071', price: 145 },
    ],
    [
      { step: 'ask', subject: 'Möwe' },
      { berth: 'C-112', price: 260 },
    ],
    [
      { step: 'take', subject: 'C-112' },
      { berth: 'C-112', price: 260 },
    ],
  ],
  task: {
    description: 'Take a berth for a boat; tells the price that was offered.',
    inputSchema: object({ boat: text }),
    outputSchema: object({ price: integer }),
    examples: [
      { testCase: 1, input: { boat: 'Albatros' }, output: { price: 145 } },
      { testCase: 2, input: { boat: 'Albatros' }, output: { price: 145 } },
      { testCase: 3, input: { boat: 'Möwe' }, output: { price: 260 } },
      { testCase: 4, input: { boat: 'Möwe' }, output: { price: 260 } },
    ],
  },
};

test('a number that two answers tell may be that of the first', async () =>
  assert.deepEqual(
    await refusalsOf(
      boats,
      `export async function perform({ boat }, { send }) {
  const { berth, price } = await send({ step: 'ask', subject: boat });
  await send({ step: 'take', subject: berth });
  return { price };
}`,
      sandbox,
    ),
    [],
  ));

const ferries: Agreed = {
  rules:
    'The port answers with the same `nr`. An answer with another `nr` is treated as a failure. `pier` is null, with a remark, as long as none is given.',
  request: object({ nr: text, ferry: text }),
  response: object({ nr: text, pier: { type: ['integer', 'null'] }, remark: { type: ['string', 'null'] } }),
  loose: [{ pointer: '/nr', as: 'id' }],
  cases: [
    [
      { nr: 'n-1', ferry: 'Frisia' },
      { nr: 'n-1', pier: 14, remark: null },
    ],
    [
      { nr: 'n-2', ferry: 'Juist' },
      { nr: 'n-2', pier: null, remark: 'LATER' },
    ],
  ],
  task: {
    description: 'The pier of a ferry as `pier 3`, or `ask crew` when there is none or the port tells nothing usable.',
    inputSchema: object({ ferry: text }),
    outputSchema: object({ go: text }),
    examples: [
      { testCase: 1, input: { ferry: 'Frisia' }, output: { go: 'pier 14' } },
      { testCase: 2, input: { ferry: 'Juist' }, output: { go: 'ask crew' } },
    ],
  },
};
const boarding = (isOther: string) => `export async function perform({ ferry }, { send, newId }) {
  const nr = newId();
  const answer = await send({ nr, ferry }).catch(() => null);
  return { go: answer === null || ${isOther} || answer.pier === null ? 'ask crew' : 'pier ' + answer.pier };
}`;

test('an answer to another request that is told of as no answer is not taken', async () => {
  assert.deepEqual(await refusalsOf(ferries, boarding('answer.nr !== nr'), sandbox), []);
  assert.match(
    (await refusalsOf(ferries, boarding('false'), sandbox)).join('\n'),
    /^requester-peer: case 1, where the peer answers another request: the answer is taken/,
  );
});

test('an answer to another request may be told of as a case tells of its own', async () => {
  const traced = (state: string, place: string | null) => ({ output: { state, place } });
  const parcels: Agreed = {
    rules:
      'The carrier answers with the same `nr`. An answer with another `nr` is not the answer to our question: `state` is `failed`. With a code other than 200 `state` is `failed` as well.',
    request: object({ nr: text, parcel: text }),
    response: object({ nr: text, code: integer, place: text }, ['place']),
    loose: [{ pointer: '/nr', as: 'id' }],
    cases: [
      [
        { nr: 'n-1', parcel: 'JD01' },
        { nr: 'n-1', code: 200, place: 'Altona' },
      ],
      [
        { nr: 'n-2', parcel: 'JD02' },
        { nr: 'n-2', code: 503 },
      ],
    ],
    task: {
      description: 'Where a parcel is; `unreachable` when the carrier gives no answer.',
      inputSchema: object({ parcel: text }),
      outputSchema: object({
        state: { enum: ['there', 'failed', 'unreachable'] },
        place: { type: ['string', 'null'] },
      }),
      examples: [
        { testCase: 1, input: { parcel: 'JD01' }, ...traced('there', 'Altona') },
        { testCase: 2, input: { parcel: 'JD02' }, ...traced('failed', null) },
      ],
    },
  };
  const tracing = (isOther: string) => `export async function perform({ parcel }, { send, newId }) {
  const nr = newId();
  let answer;
  try { answer = await send({ nr, parcel }); } catch { return { state: 'unreachable', place: null }; }
  if (${isOther} || answer.code !== 200) return { state: 'failed', place: null };
  return { state: 'there', place: answer.place };
}`;
  assert.deepEqual(await refusalsOf(parcels, tracing('answer.nr !== nr'), sandbox), []);
  assert.match(
    (await refusalsOf(parcels, tracing('false'), sandbox)).join('\n'),
    /^requester-peer: case 1, where the peer answers another request: the answer is taken/,
  );
});

const gauges: Agreed = {
  rules:
    'Die Messstelle nennt den Stand oder eine Störung. Das Ausbleiben einer Auskunft wird wie `AUSFALL` behandelt.',
  request: object({ stelle: text }),
  response: object({ stand: integer, lage: { enum: ['FROST', 'AUSFALL'] } }, ['stand', 'lage']),
  cases: [
    [{ stelle: 'G-204' }, { stand: 1843 }],
    [{ stelle: 'G-311' }, { lage: 'AUSFALL' }],
    [{ stelle: 'G-312' }, { lage: 'FROST' }],
  ],
  task: {
    description: 'Der Stand einer Messstelle, sonst der Grund, weshalb es keinen gibt.',
    inputSchema: object({ stelle: text }),
    outputSchema: object({ stand: integer, grund: { enum: ['FROST', 'AUSFALL'] } }, ['stand', 'grund']),
    examples: [
      { testCase: 1, input: { stelle: 'G-204' }, output: { stand: 1843 } },
      { testCase: 2, input: { stelle: 'G-311' }, output: { grund: 'AUSFALL' } },
      { testCase: 3, input: { stelle: 'G-312' }, output: { grund: 'FROST' } },
    ],
  },
};
const gauge = (failed: string) => `export async function perform({ stelle }, { send }) {
  const { stand, lage } = await send({ stelle }).catch(() => (${failed}));
  return stand === undefined ? { grund: lage } : { stand };
}`;

test('a failing peer may be told of by the answer as which the document has it count, whatever its words for failing', async () => {
  assert.deepEqual(await refusalsOf(gauges, gauge("{ lage: 'AUSFALL' }"), sandbox), []);
  assert.match(
    (await refusalsOf(gauges, gauge("{ lage: 'FROST' }"), sandbox)).join('\n'),
    /^requester-peer: case 3, where the peer fails: it reports success without an answer/m,
  );
});

const docks = (description: string): Agreed => ({
  rules:
    'A line `BERTH <ferry>` asks where a ferry lies; `AT <ferry> <berth>` answers, or `NONE <ferry>`. An answer names the ferry.',
  cases: [
    ['BERTH FX-204', 'AT FX-204 north'],
    ['BERTH FX-380', 'NONE FX-380'],
  ],
  task: {
    description,
    inputSchema: object({ ferry: text }),
    outputSchema: object({ berth: { type: ['string', 'null'] } }),
    examples: [
      { testCase: 1, input: { ferry: 'FX-204' }, output: { berth: 'north' } },
      { testCase: 2, input: { ferry: 'FX-380' }, output: { berth: 'at sea' } },
    ],
  },
});
const docked = (pattern: string) => `export async function perform({ ferry }, { send }) {
  try {
    const answer = await send('BERTH ' + ferry);
    const [, verb, berth] = new RegExp(${pattern}).exec(answer) ?? [];
    return { berth: verb === 'AT' ? berth : verb === 'NONE' ? 'at sea' : null };
  } catch {
    return { berth: null };
  }
}`;
const ownDock = docked("'^(AT|NONE) ' + ferry + '(?: (.+))?$'");
const anyDock = docked("'^(AT|NONE) [^ ]+(?: (.+))?$'");

test('an answer in a protocol of texts that names another ferry is not taken, where the task has it refused', async () => {
  const strict = docks('Where a ferry lies; null where there is no answer, or an answer that is not ours.');
  assert.deepEqual(await refusalsOf(strict, ownDock, sandbox), []);
  assert.match(
    (await refusalsOf(strict, anyDock, sandbox)).join('\n'),
    /where the peer answers another request: the answer is taken/,
  );
  assert.deepEqual(await refusalsOf(docks('Where a ferry lies; null where there is no answer.'), anyDock, sandbox), []);
});

test('what was worked out from a tool of our own, and sent, is none of what the peer tells', async () => {
  const restock: Agreed = {
    rules:
      'A request asks for the price of a quantity of an article. The answer has the price of one, in cents, and a discount in percent, which is rounded down.',
    request: object({ article: text, quantity: integer }),
    response: object({ unitCents: integer, discountPercent: integer }),
    cases: [
      [
        { article: 'SUP-118', quantity: 38 },
        { unitCents: 245, discountPercent: 4 },
      ],
      [
        { article: 'SUP-204', quantity: 75 },
        { unitCents: 1130, discountPercent: 6 },
      ],
    ],
    tools: [
      reading('readStock', object({ item: text }), object({ target: integer, onHand: integer, article: text }), [
        [{ item: 'filter' }, { target: 60, onHand: 22, article: 'SUP-118' }],
        [{ item: 'gasket' }, { target: 90, onHand: 15, article: 'SUP-204' }],
      ]),
    ],
    task: {
      description:
        'Reads the stock with `readStock`. The quantity is target minus on hand. Asks the peer for the price, and gives the quantity and the total in cents.',
      inputSchema: object({ item: text }),
      outputSchema: object({ quantity: integer, totalCents: integer }),
      examples: [
        { testCase: 1, input: { item: 'filter' }, output: { quantity: 38, totalCents: 8937 } },
        { testCase: 2, input: { item: 'gasket' }, output: { quantity: 75, totalCents: 79665 } },
      ],
    },
  };
  const asking = `export async function perform({ item }, { call, send }) {
  const { target, onHand, article } = await call.readStock({ item });
  const quantity = target - onHand;
  const { unitCents, discountPercent } = await send({ article, quantity });
  return { quantity, totalCents: Math.floor((quantity * unitCents * (100 - discountPercent)) / 100) };
}`;
  assert.deepEqual(await refusalsOf(restock, asking, sandbox), []);
});

test('what is true in every output says nothing of the peer where another member does', async () => {
  const notes: Agreed = {
    rules: 'The peer tells whether a note is `good` or `bad`, or `open` where it cannot say.',
    request: object({ note: text }),
    response: object({ note: text, state: { enum: ['good', 'bad', 'open'] } }),
    cases: [
      [{ note: 'N-4410' }, { note: 'N-4410', state: 'good' }],
      [{ note: 'N-5520' }, { note: 'N-5520', state: 'open' }],
    ],
    task: {
      description:
        'Ask for a note. read is true where the input is whole. A note that the peer cannot say anything of, or gives no answer for, is left: filed is false then, and true otherwise.',
      inputSchema: object({ note: text }),
      outputSchema: object({ read: { type: 'boolean' }, filed: { type: 'boolean' } }),
      examples: [
        { testCase: 1, input: { note: 'N-4410' }, output: { read: true, filed: true } },
        { testCase: 2, input: { note: 'N-5520' }, output: { read: true, filed: false } },
      ],
    },
  };
  const filing = (failed: string) => `export async function perform({ note }, { send }) {
    let answer;
    try { answer = await send({ note }); } catch { return { read: true, filed: ${failed} }; }
    const isGood = Object(answer).note === note && (answer.state === 'good' || answer.state === 'bad');
    return { read: true, filed: isGood };
  }`;
  assert.deepEqual(await refusalsOf(notes, filing('false'), sandbox), []);
  assert.match(
    (await refusalsOf(notes, filing('true'), sandbox)).join('\n'),
    /requester-peer: case 1, where the peer fails: it reports success without an answer/,
  );
});
