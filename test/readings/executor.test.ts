import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { JsonObject } from '../../src/kernel/json.ts';
import { derived, foundBy, lendingJob, startJudging } from './rig.ts';

const bench = await startJudging();
after(() => bench.close());

/** Satisfies the agreement. */
const lender = `
  try {
    const { state } = await context.call.find({ thing: input.thing });
    if (state !== 'free') return { id: input.id, code: 409 };
    await context.call.lend({ thing: input.thing });
    return { id: input.id, code: 200 };
  } catch {
    return { id: input.id, code: 500 };
  }`;

/** The breaches of a provider, in short. */
async function lending(body: string, ...entries: JsonObject[]): Promise<[number, string][]> {
  const cases = derived(...entries);
  return foundBy(await bench.judge(body, lendingJob(), cases), cases);
}

const numbersOf = (found: readonly [number, string][]) => [...new Set(found.map(([number]) => number))];

test('a world changes the request of its case, the tools, or both', async () => {
  const found = await lending(
    lender,
    { request: [{ op: 'replace', path: '/thing', value: 'axe' }], expect: { answer: [{ at: '/code', equals: 409 }] } },
    { tools: { find: [{ output: { state: 'broken' } }] }, expect: { answer: [{ at: '/code', equals: 409 }] } },
    {
      base: 2,
      request: [{ op: 'add', path: '/note', value: 'x' }],
      tools: { find: [{ output: { state: 'free' } }] },
      expect: { answer: [{ at: '/code', equals: 200 }] },
    },
    {
      base: 0,
      request: [{ op: 'replace', path: '', value: { id: 'z', thing: 'saw', days: 1 } }],
      expect: { answer: [{ equals: { id: 'z', code: 200 } }] },
    },
    { tools: { find: [{ output: { state: 'lent' } }] }, expect: { answer: [{ at: '/code', equals: 200 }] } },
  );
  assert.deepEqual(found, [[4, 'found 409 at "/code" of the answer, wanted 200']]);
});

test('tools fail as scripted, with the given message', async () => {
  const teller = `
  try { await context.call.find({ thing: input.thing }); return { id: input.id, code: 200 }; }
  catch (error) { return { id: input.id, code: error.code === 'TIMEOUT' ? 400 : 500, why: error.message }; }`;
  const found = await lending(
    teller,
    {
      tools: { find: [{ fail: 'FAILED', message: 'disk ZQX-81' }] },
      expect: { answer: [{ at: '/code', equals: 500 }], never: [{ value: 'ZQX-81' }] },
    },
    { tools: { find: [{ fail: 'TIMEOUT' }] }, expect: { answer: [{ at: '/code', equals: 400 }] } },
  );
  assert.deepEqual(found, [[0, 'found "ZQX-81" in the answer, wanted it nowhere there']]);
});

/** Calls the tool until the state is as wanted; returns the number of calls. */
const patient = `
  let asked = 0;
  for (; asked < 5; asked += 1) {
    try { const { state } = await context.call.find({ thing: input.thing }); if (state === 'free') return { id: input.id, code: 200, asked: asked + 1 }; } catch {}
  }
  return { id: input.id, code: 500, asked };`;

test('a list of answers is a sequence whose last one repeats', async () => {
  const found = await lending(
    patient,
    {
      tools: { find: [{ fail: 'FAILED' }, { output: { state: 'lent' } }, { output: { state: 'free' } }] },
      expect: { answer: [{ at: '/asked', equals: 3 }] },
    },
    { tools: { find: [{ fail: 'FAILED' }] }, expect: { answer: [{ at: '/asked', equals: 5 }] } },
  );
  assert.deepEqual(found, []);
});

test('with "when" and "times", the first matching answer that is left is given, otherwise the examples answer', async () => {
  const both = `
  const states = [];
  for (const thing of ['saw', 'hoe', 'saw', 'hoe', 'axe'])
    states.push((await context.call.find({ thing })).state);
  return { id: input.id, code: 200, states };`;
  const when = [{ at: '/thing', equals: 'saw' }];
  const found = await lending(both, {
    tools: {
      find: [
        { when, times: 1, output: { state: 'first' } },
        { when: [{ at: '/thing', equals: 'hoe' }], output: { state: 'hoe' } },
      ],
    },
    expect: { answer: [{ at: '/states', equals: ['first', 'hoe', 'free', 'hoe', 'lent'] }] },
  });
  assert.deepEqual(found, []);
});

test('a patch changes the answer of the examples to the same input', async () => {
  const teller = `
  const found = await context.call.find({ thing: input.thing });
  return { id: input.id, code: 200, found };`;
  const patch = [{ op: 'add', path: '/shelf', value: 7 }];
  const found = await lending(
    teller,
    { tools: { find: [{ patch }] }, expect: { answer: [{ at: '/found', equals: { state: 'free', shelf: 7 } }] } },
    { base: 2, tools: { find: [{ patch: [] }] }, expect: { answer: [{ at: '/found', equals: { state: 'lent' } }] } },
  );
  assert.deepEqual(found, []);
});

test('breaches after an unanswered call do not count; those before it do', async () => {
  const entry = {
    request: [{ op: 'replace', path: '/thing', value: 'rake' }],
    expect: { answer: [{ at: '/code', equals: 200 }], calls: [{ tool: 'lend', times: 1 }] },
  };
  assert.deepEqual(await lending(lender, entry), []);
  const told = { ...entry, expect: { ...entry.expect, never: [{ value: 'rake', in: ['calls'] }] } };
  assert.deepEqual(await lending(lender, told), [[0, 'found "rake" in the calls, wanted it nowhere there']]);
  const input = { ...entry, expect: { calls: [{ tool: 'find', input: [{ at: '/thing', equals: 'saw' }] }] } };
  assert.equal((await lending(lender, input)).length, 1, 'the input of that very call was its own');
  const failing = { ...entry, tools: { find: [{ fail: 'FAILED' }] } };
  assert.equal((await lending(lender, failing)).length, 2, 'a call that fails as it is told is answered');
});

test('a tool output that the host refuses makes the run prove nothing', async () => {
  const found = await lending(lender, {
    tools: { find: [{ patch: [{ op: 'remove', path: '/state' }] }] },
    expect: { answer: [{ at: '/code', equals: 200 }] },
  });
  assert.deepEqual(found, []);
});

test('calls are counted, also by input, and a limit on a read-only tool needs a sentence that names it', async () => {
  const twice = `await context.call.find({ thing: input.thing }); ${lender}`;
  const found = await lending(
    twice,
    { expect: { calls: [{ tool: 'lend', times: 1 }] } },
    { expect: { calls: [{ tool: 'lend', times: 0 }] } },
    { expect: { calls: [{ tool: 'find', times: 1 }] } },
    { quote: 'Only one find is made.', expect: { calls: [{ tool: 'find', atMost: 1 }] } },
    { expect: { calls: [{ tool: 'find', atLeast: 3 }] } },
    { expect: { calls: [{ tool: 'find', times: 0 }] } },
    { expect: { calls: [{ tool: 'lend', atLeast: 1, when: [{ at: '/thing', equals: 'axe' }] }] } },
    { expect: { calls: [{ tool: 'find', nth: 2, input: [{ at: '/thing', equals: 'axe' }] }] } },
    { expect: { calls: [{ tool: 'find', nth: 9, input: [{ at: '/thing', equals: 'axe' }] }] } },
  );
  assert.deepEqual(numbersOf(found), [1, 3, 4, 5, 6, 7]);
});

test('order: the first must happen before the second, and nothing may follow the last', async () => {
  const careless = `
  await context.call.lend({ thing: input.thing });
  const { state } = await context.call.find({ thing: input.thing });
  return { id: input.id, code: state === 'free' ? 200 : 409 };`;
  const entries = [
    { expect: { order: [['find', 'lend']] } },
    { expect: { order: [{ last: 'lend' }] } },
    { expect: { order: [['lend', 'find']] } },
  ];
  assert.deepEqual(numbersOf(await lending(careless, ...entries)), [0, 1]);
  assert.deepEqual(numbersOf(await lending(lender, ...entries)), [2]);
  const refused = entries.slice(0, 2).map((entry) => ({ ...entry, base: 2 }));
  assert.deepEqual(
    await lending(lender, ...refused),
    [],
    'what does not happen comes after nothing, and nothing after it',
  );
});

test('never: in answer and logs, or where the case says', async () => {
  const talker = `context.log('thing ' + input.thing + ' for 42 days'); return { id: input.id, code: 200, days: 142, note: 'of 9142 parts' };`;
  const found = await lending(
    talker,
    { expect: { never: [{ value: 'saw' }] } },
    { expect: { never: [{ value: 'saw', in: ['answer'] }] } },
    { expect: { never: [{ value: 42 }] } },
    { expect: { never: [{ value: 42, in: ['answer'] }] } },
    { expect: { never: [{ value: 142, in: ['answer'] }] } },
    { expect: { never: [{ value: 'days', in: ['answer'] }] } },
    { expect: { never: [{ value: 'thing f', in: ['logs'] }] } },
    { expect: { never: [{ value: 914, in: ['answer'] }] } },
    { expect: { never: [{ value: 9142, in: ['answer'] }] } },
    { expect: { never: [{ value: 'art', in: ['answer'] }] } },
  );
  assert.deepEqual(numbersOf(found), [0, 2, 4, 5, 8]);
});

test('alike: answers and logs of two worlds are compared, except at some places, and with the ids of each run', async () => {
  const telling = `
  context.log('asked by ' + input.id + ', of ' + input.thing);
  let state = 'failed';
  try { ({ state } = await context.call.find({ thing: input.thing })); } catch {}
  if (state === 'lent') context.log('it is lent');
  return { id: input.id, code: 409, made: context.newId(), hint: state };`;
  const world = (id: string, state: string) => ({ id, tools: { find: [{ output: { state } }] } });
  const end = { answer: [{ at: '/code', equals: 409 }] };
  const found = await lending(
    telling,
    { ...world('lent', 'lent'), expect: end },
    { ...world('secret', 'hidden'), expect: { ...end, alike: { to: 'lent' } } },
    { ...world('but', 'hidden'), expect: { ...end, alike: { to: 'lent', but: ['/hint'] } } },
    { ...world('in', 'hidden'), expect: { ...end, alike: { to: 'lent', but: ['/hint'], in: ['answer'] } } },
    { ...world('same', 'lent'), expect: { ...end, alike: { to: 2, but: ['/hint'] } } },
    {
      ...world('renamed', 'lent'),
      request: [
        { op: 'replace', path: '/id', value: 'b-7' },
        { op: 'replace', path: '/thing', value: 'another long one' },
      ],
      expect: { ...end, alike: { to: 'lent' } },
    },
  );
  assert.deepEqual(found, [
    [1, 'the answers differ at "/hint", wanted them alike'],
    [2, 'the logs differ, wanted them alike'],
  ]);
});

test('alike: ids that are created anew may differ, free texts may not', async () => {
  const cases = (lendingJob().testCases as { response: JsonObject }[]).map((one) => ({
    ...one,
    response: { ...one.response, note: 'as you like' },
  }));
  const data = (as: string) =>
    ({ ...lendingJob(), testCases: cases, loose: [{ pointer: '/note', as }] }) as unknown as JsonObject;
  const entries = derived({
    request: [{ op: 'replace', path: '/days', value: 9 }],
    expect: { alike: { to: 1 } },
  });
  const body = (place: string) => `return { id: input.id, code: 200, ${place}: 'for ' + input.days };`;
  assert.deepEqual((await bench.judge(body('note'), data('id'), entries)).broken, []);
  assert.equal((await bench.judge(body('note'), data('text'), entries)).broken.length, 1);
  assert.equal((await bench.judge(body('other'), data('id'), entries)).broken.length, 1);
});

test('anyOf: one alternative must hold completely; where none does, the breaches of the first are reported', async () => {
  const options = (...expect: JsonObject[]) => ({ expect: { anyOf: expect } });
  const found = await lending(
    lender,
    options({ answer: [{ at: '/code', equals: 409 }] }, { answer: [{ at: '/code', equals: 200 }] }),
    options(
      { answer: [{ at: '/code', equals: 200 }], calls: [{ tool: 'lend', times: 0 }] },
      { answer: [{ at: '/code', equals: 409 }] },
    ),
  );
  assert.equal(found.length, 1);
  assert.match(found[0]?.[1] ?? '', /lend is called/);
});

test('end: a run that throws breaks a case, unless it may; then the answer is not checked', async () => {
  const thrower = 'throw new Error("no such thing");';
  const found = await lending(
    thrower,
    { expect: { answer: [{ at: '/code', equals: 200 }] } },
    { expect: { end: 'any', answer: [{ at: '/code', equals: 200 }] } },
    { expect: { end: 'any', calls: [{ tool: 'lend', times: 1 }] } },
  );
  assert.deepEqual(numbersOf(found), [0, 2]);
  assert.match(found[0]?.[1] ?? '', /ended as "threw" \(.*no such thing/);
  assert.equal((await lending('for (;;) {}', { expect: { end: 'any' } })).length, 1, 'a run without end is no throw');
});

test('member names of Object.prototype are no data', async () => {
  const found = await lending(
    lender,
    { expect: { answer: [{ at: '/constructor', absent: true }] } },
    { expect: { answer: [{ at: '/__proto__', absent: true }] } },
    { expect: { answer: [{ notContains: 'toString' }] } },
  );
  assert.deepEqual(found, []);
});

test('runs are counted, including the cases that others are compared with', async () => {
  const entries = derived(
    { id: 'one', expect: { answer: [{ at: '/code', equals: 200 }] } },
    { expect: { alike: { to: 2, but: ['/code', '/id'] } } },
    {
      tools: { find: [{ patch: [{ op: 'remove', path: '/state' }] }] },
      expect: { answer: [{ at: '/code', equals: 1 }] },
    },
  );
  const { runs, judged } = await bench.judge(lender, lendingJob(), entries);
  assert.deepEqual([runs, judged], [4, 2]);
});
