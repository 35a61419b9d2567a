import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { ConfirmedAnswer } from '../../src/contract/reading.ts';
import type { JsonObject } from '../../src/kernel/json.ts';
import { type Agreement, agreementOn, answersOf, confirmedPart } from '../../src/readings/confirmed.ts';
import type { BrokenCase } from '../../src/readings/judge-reading.ts';
import { placeOfBreach, placesOf, wholeAnswer } from '../../src/readings/places.ts';
import { borrowingJob, derived, lendingJob, startJudging } from './rig.ts';

const bench = await startJudging();
after(() => bench.close());

/** The one derived case that a handler breaks. */
async function brokenBy(body: string, entry: JsonObject, data = lendingJob()): Promise<BrokenCase> {
  const { broken } = await bench.judge(body, data, derived(entry));
  assert.equal(broken.length, 1);
  return broken[0] as BrokenCase;
}

/** The verdict of a second reader's answers on the first breach. */
function verdict(broken: BrokenCase, answer: ConfirmedAnswer | undefined): Agreement {
  const [breach] = broken.breaches;
  assert.ok(breach);
  return agreementOn(breach, broken, answer === undefined ? {} : { [placeOfBreach(breach)]: answer });
}

/** An expectation, what a handler does instead, and the verdicts of a second reader's answers. */
const table: {
  name: string;
  body: string;
  entry: JsonObject;
  data?: JsonObject;
  said: [ConfirmedAnswer | undefined, Agreement][];
}[] = [
  {
    name: 'a value',
    body: 'return { id: input.id, code: 200 };',
    entry: { expect: { answer: [{ at: '/code', equals: 409 }] } },
    said: [
      [{ value: 409 }, 'confirmed'],
      [{ value: 200 }, 'denied'],
      [{ value: 500 }, 'denied'],
      [{ oneOf: [409] }, 'confirmed'],
      [{ oneOf: [409, 500] }, 'denied'],
      [{ oneOf: [409, 200] }, 'denied'],
      [{ absent: true }, 'denied'],
      [{ unclear: true }, 'unclear'],
      [{ unclear: true, value: 409 }, 'unclear'],
      [{ yes: true }, 'unclear'],
      [undefined, 'unclear'],
    ],
  },
  {
    name: 'one of several values',
    body: 'return { id: input.id, code: 200 };',
    entry: { expect: { answer: [{ at: '/code', oneOf: [409, 500] }] } },
    said: [
      [{ value: 500 }, 'confirmed'],
      [{ oneOf: [500, 409] }, 'confirmed'],
      [{ oneOf: [500, 400] }, 'denied'],
      [{ value: 200 }, 'denied'],
    ],
  },
  {
    name: 'nothing',
    body: 'return { id: input.id, code: 200, phone: "1" };',
    entry: { expect: { answer: [{ at: '/phone', absent: true }] } },
    said: [
      [{ absent: true }, 'confirmed'],
      [{ value: '2' }, 'denied'],
      [{ value: '1' }, 'denied'],
    ],
  },
  {
    name: 'a bound',
    body: 'return { id: input.id, code: 200, days: 9 };',
    entry: { expect: { answer: [{ at: '/days', lessOrEqual: 5 }] } },
    said: [
      [{ value: 3 }, 'confirmed'],
      [{ value: 7 }, 'denied'],
      [{ value: 9 }, 'denied'],
    ],
  },
  {
    name: 'a whole answer',
    body: 'return { id: input.id, code: 200, note: "mine" };',
    entry: { expect: { answer: [{ equals: { id: 'a-1', code: 409, note: 'free' } }] } },
    said: [
      [{ value: { id: 'a-1', code: 409, note: 'free' } }, 'confirmed'],
      [{ value: { id: 'a-1', code: 409, note: 'in other words' } }, 'confirmed'],
      [{ value: { id: 'a-1', code: 500, note: 'in other words' } }, 'denied'],
      [{ value: { id: 'a-1', code: 200, note: 'mine' } }, 'denied'],
    ],
  },
  {
    name: 'the answer of the base case',
    body: 'return { id: input.id, code: 500 };',
    entry: { request: [{ op: 'replace', path: '/id', value: 'b-9' }], expect: { answer: [{ sameAsBase: true }] } },
    said: [
      [{ value: { id: 'b-9', code: 200 } }, 'confirmed'],
      [{ value: { id: 'b-9', code: 500 } }, 'denied'],
    ],
  },
  {
    name: 'a count, of which there were too many',
    body: 'await context.call.lend({ thing: "saw" }); await context.call.lend({ thing: "saw" }); return { id: input.id, code: 200 };',
    entry: { expect: { calls: [{ tool: 'lend', atMost: 1 }] } },
    said: [
      [{ value: 1 }, 'confirmed'],
      [{ value: 0 }, 'confirmed'],
      [{ value: 2 }, 'denied'],
      [{ value: 3 }, 'denied'],
      [{ atMost: 1 }, 'confirmed'],
      [{ atMost: 2 }, 'denied'],
      [{ atLeast: 1 }, 'denied'],
      [{ oneOf: [0, 1] }, 'confirmed'],
      [{ oneOf: [1, 3] }, 'denied'],
      [{ oneOf: [1, 2] }, 'denied'],
      [{ value: 'once' }, 'unclear'],
      [{ unclear: true }, 'unclear'],
    ],
  },
  {
    name: 'a count, of which there were too few',
    body: 'return { id: input.id, code: 200 };',
    entry: { expect: { calls: [{ tool: 'lend', times: 1 }] } },
    said: [
      [{ value: 1 }, 'confirmed'],
      [{ atLeast: 1 }, 'confirmed'],
      [{ value: 0 }, 'denied'],
      [{ value: 2 }, 'denied'],
      [{ atMost: 1 }, 'denied'],
    ],
  },
  {
    name: 'the input of a call',
    body: 'await context.call.lend({ thing: "axe" }); return { id: input.id, code: 200 };',
    entry: { expect: { calls: [{ tool: 'lend', input: [{ at: '/thing', equals: 'saw' }] }] } },
    said: [
      [{ value: 'saw' }, 'confirmed'],
      [{ value: 'axe' }, 'denied'],
    ],
  },
  {
    name: 'a request that is sent',
    data: borrowingJob(),
    body: 'await context.send({ id: context.newId(), thing: "axe" }); return { got: false };',
    entry: { expect: { sends: [{ input: [{ at: '/thing', equals: 'saw' }] }] } },
    said: [
      [{ value: 'saw' }, 'confirmed'],
      [{ value: 'axe' }, 'denied'],
    ],
  },
  {
    name: 'how many requests are sent',
    data: borrowingJob(),
    body: 'return { got: false };',
    entry: { expect: { sends: { times: 1 } } },
    said: [
      [{ value: 1 }, 'confirmed'],
      [{ value: 0 }, 'denied'],
    ],
  },
  {
    name: 'an order',
    body: 'await context.call.lend({ thing: "saw" }); await context.call.find({ thing: "saw" }); return { id: input.id, code: 200 };',
    entry: { expect: { order: [['find', 'lend']] } },
    said: [
      [{ yes: false }, 'confirmed'],
      [{ yes: true }, 'denied'],
      [{ value: 1 }, 'unclear'],
      [{ unclear: true }, 'unclear'],
    ],
  },
  {
    name: 'a thing that must not be told',
    body: 'return { id: input.id, code: 200, thing: input.thing };',
    entry: { expect: { never: [{ value: 'saw' }] } },
    said: [
      [{ yes: false }, 'confirmed'],
      [{ yes: true }, 'denied'],
    ],
  },
  {
    name: 'two worlds that must be alike',
    body: 'return { id: input.id, code: input.thing === "saw" ? 200 : 409 };',
    entry: { request: [{ op: 'replace', path: '/thing', value: 'hoe' }], expect: { alike: { to: 1 } } },
    said: [
      [{ yes: false }, 'confirmed'],
      [{ yes: true }, 'denied'],
    ],
  },
  {
    name: 'an error in place of an answer',
    body: 'throw new Error("no");',
    entry: { expect: { answer: [{ at: '/code', equals: 200 }] } },
    said: [
      [{ yes: false }, 'confirmed'],
      [{ yes: true }, 'denied'],
      [undefined, 'unclear'],
    ],
  },
];

describe('a second reader confirms or denies', () => {
  for (const { name, body, entry, data, said } of table)
    test(name, async () => {
      const broken = await brokenBy(body, entry, data);
      for (const [answer, agreement] of said) assert.equal(verdict(broken, answer), agreement, JSON.stringify(answer));
    });
});

test('only confirmed breaches remain; where there are none, nothing does', async () => {
  const broken = await brokenBy('return { id: "x", code: 200 };', {
    expect: {
      answer: [
        { at: '/code', equals: 409 },
        { at: '/id', equals: 'a-1' },
      ],
    },
  });
  const part = confirmedPart(broken, { 'answer /code': { value: 409 }, 'answer /id': { unclear: true } });
  assert.deepEqual(
    part?.breaches.map(({ at }) => at),
    ['/code'],
  );
  assert.equal(confirmedPart(broken, {}), null);
  assert.equal(confirmedPart(broken, { 'answer /code': { value: 200 } }), null);
});

test('there is a question for each numbered call or request', async () => {
  const calls = `
  for (const thing of ['saw', 'hoe']) await context.call.lend({ thing });
  return { id: input.id, code: 200 };`;
  const things = ['rake', 'axe'].map((thing, index) => ({ nth: index + 1, input: [{ at: '/thing', equals: thing }] }));
  const when = { when: [{ at: '/thing', equals: 'hoe' }], input: [{ at: '/thing', equals: 'spade' }] };
  const broken = await brokenBy(calls, {
    expect: { calls: [...things, when].map((one) => ({ tool: 'lend', ...one })) },
  });
  const keys = broken.breaches.map(placeOfBreach);
  assert.equal(new Set(keys).size, 3);
  const places = placesOf(broken.entry.expect);
  assert.deepEqual(
    places
      .filter(({ key }) => keys.includes(key))
      .map(({ question }) => question)
      .sort(),
    [
      'What must stand at /thing of the input of lend in call 1?',
      'What must stand at /thing of the input of lend in call 2?',
      'What must stand at /thing of the input of lend with an input where [{"at":"/thing","equals":"hoe"}]?',
    ],
  );
  const part = confirmedPart(broken, { [keys[1] ?? '']: { value: 'axe' } });
  assert.deepEqual(
    part?.breaches.map(({ nth }) => nth),
    [2],
  );
  assert.equal(confirmedPart(broken, answersOf(broken.entry))?.breaches.length, 3);
  const sends = await brokenBy(
    'for (const thing of ["saw", "hoe"]) await context.send({ id: context.newId(), thing }); return { got: true };',
    { expect: { sends: things } },
    borrowingJob(),
  );
  assert.equal(new Set(sends.breaches.map(placeOfBreach)).size, 2);
  assert.equal(confirmedPart(sends, answersOf(sends.entry))?.breaches.length, 2);
});

test('names of Object.prototype are no answers', async () => {
  const broken = await brokenBy('return { id: input.id, code: 200 };', {
    expect: { answer: [{ at: '/code', equals: 409 }] },
  });
  assert.equal(confirmedPart(broken, Object.create({ 'answer /code': { value: 409 } })), null);
});

test('every breach has a question, and the case itself confirms it', async () => {
  for (const { body, entry, data } of table) {
    const broken = await brokenBy(body, entry, data);
    const keys = placesOf(broken.entry.expect).map(({ key }) => key);
    assert.equal(new Set(keys).size, keys.length);
    for (const breach of broken.breaches)
      assert.ok(keys.includes(placeOfBreach(breach)), `${placeOfBreach(breach)} of ${keys.join()}`);
    if (JSON.stringify(entry).match(/lessOrEqual|sameAsBase/) === null)
      assert.ok(confirmedPart(broken, answersOf(broken.entry)), JSON.stringify(entry));
  }
});

test('questions reveal neither the expectation nor the handler’s answer', () => {
  const [entry] = derived({
    expect: {
      answer: [
        { at: '/code', equals: 777 },
        { at: '/note', oneOf: ['secret-one'] },
      ],
      calls: [
        {
          tool: 'lend',
          times: 888,
          when: [{ at: '/thing', equals: 'saw' }],
          input: [{ at: '/thing', equals: 'secret-two' }],
        },
      ],
      order: [['find', 'lend'], { last: 'lend' }],
      never: [{ value: 'marker', in: ['logs'] }],
      alike: { to: 2 },
      anyOf: [{ answer: [{ at: '/other', equals: 999 }] }],
    },
  });
  assert.ok(entry);
  const questions = placesOf(entry.expect).map(({ question }) => question);
  const said = questions.join('\n');
  assert.doesNotMatch(said, /777|888|999|secret/);
  for (const word of [
    '/code',
    '/note',
    '/other',
    'How often is lend called with an input where',
    'May lend happen before find',
    'after lend',
    '"marker" stand in a log line',
    'other world',
    'throw',
  ])
    assert.ok(said.includes(word), word);
});

test('a world has at most sixteen questions', () => {
  const answer = Array.from({ length: 30 }, (_, index) => ({ at: `/place${index}`, equals: index }));
  const [entry] = derived({ expect: { answer } });
  assert.equal(placesOf(entry?.expect ?? {}).length, 16);
});

test('a place is looked up in the whole answer of a second reader', async () => {
  const entry = { expect: { answer: [{ at: '/code', equals: 409 }] } };
  const broken = await brokenBy('return { id: input.id, code: 200 };', entry);
  const [breach] = broken.breaches;
  assert.ok(breach);
  const said = (whole: ConfirmedAnswer) => agreementOn(breach, broken, { [wholeAnswer.key]: whole });
  assert.equal(said({ value: { id: 'x', code: 409 } }), 'confirmed');
  assert.equal(said({ value: { id: 'x', code: 200 } }), 'denied');
  assert.equal(said({ value: { id: 'x' } }), 'denied');
  assert.equal(said({ unclear: true }), 'unclear');
});
