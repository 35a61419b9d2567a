import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { type Agreed, acting, integer, object, reading, refusalsOf, text } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

const flag = { type: 'boolean' };

/** A store that moves a crate to a shelf; its tool says whether it did. */
const store = (sentences: string, extra: Partial<Agreed> = {}): Agreed => ({
  rules: `The crate is looked up with findCrate and moved with moveCrate; state is MOVED. A crate that is sealed is not moved: if it is sealed, the crate is not moved and state is SEALED.\n${sentences}`,
  request: object({ crate: text, shelf: text }),
  response: object({ state: { enum: ['MOVED', 'SEALED', 'BLOCKED', 'DOWN'] }, moved: flag }, ['moved']),
  cases: [
    [{ crate: 'C-4471', shelf: 'S-19' }, { state: 'MOVED' }],
    [{ crate: 'C-8820', shelf: 'S-07' }, { state: 'MOVED' }],
    [{ crate: 'C-9305', shelf: 'S-07' }, { state: 'SEALED' }],
  ],
  tools: [
    reading('findCrate', object({ crate: text }), object({ sealed: flag }), [
      [{ crate: 'C-4471' }, { sealed: false }],
      [{ crate: 'C-8820' }, { sealed: false }],
      [{ crate: 'C-9305' }, { sealed: true }],
    ]),
    acting('moveCrate', object({ crate: text, shelf: text }), object({ done: flag }), [
      [{ crate: 'C-4471', shelf: 'S-19' }, { done: true }],
      [{ crate: 'C-8820', shelf: 'S-07' }, { done: true }],
    ]),
  ],
  ...extra,
});

const porter = (
  move: string,
  failed = "return { state: 'DOWN' };",
) => `export async function handle({ crate, shelf }, { call, log }) {
  try {
    if ((await call.findCrate({ crate })).sealed) return { state: 'SEALED' };
    ${move}
    return { state: 'MOVED' };
  } catch {
    ${failed}
  }
}`;

const deaf = porter('await call.moveCrate({ crate, shelf });');
const heeding = porter("if (!(await call.moveCrate({ crate, shelf })).done) return { state: 'BLOCKED' };");
const down = 'If findCrate or moveCrate fails, state is `DOWN`.';

for (const rule of [
  'If moveCrate answers `done: false`, state is `BLOCKED`.',
  '- moveCrate tells `done` as false: `BLOCKED`',
  'When `done` is false the state is `BLOCKED`.',
  'If the move was not done, state is `BLOCKED`.',
])
  test(`an act that is declined is no success: ${rule}`, async () => {
    assert.deepEqual(await refusalsOf(store(`${down}\n${rule}`), heeding, sandbox), []);
    assert.match((await refusalsOf(store(`${down}\n${rule}`), deaf, sandbox)).join('\n'), /tells \{"done":false\}/);
  });

for (const open of [
  '',
  'If moveCrate answers `done: false`, that does not matter.',
  'If moveCrate answers `done: false`, the answer stays the same.',
  'moveCrate always answers `done: true`, never `done: false`.',
  'A crate that is sealed is not done.',
])
  test(`nothing is said of an act that is declined: ${open}`, async () => {
    assert.deepEqual(await refusalsOf(store(`${down}\n${open}`), deaf, sandbox), []);
  });

test('an act that is declined may be logged alone', async () => {
  const logging = porter("if (!(await call.moveCrate({ crate, shelf })).done) log('not moved');");
  const agreed = store(`${down}\nIf moveCrate answers \`done: false\`, that is logged.`);
  assert.deepEqual(await refusalsOf(agreed, logging, sandbox), []);
});

test('a member of answers is not what a tool tells', async () => {
  const agreed = store(`${down}\n\`moved\` is false when the crate is sealed, with state \`SEALED\`.`);
  const told = {
    ...agreed,
    tools: [
      agreed.tools?.[0] ?? null,
      acting('moveCrate', object({ crate: text, shelf: text }), object({ moved: flag }), [
        [{ crate: 'C-4471', shelf: 'S-19' }, { moved: true }],
        [{ crate: 'C-8820', shelf: 'S-07' }, { moved: true }],
      ]),
    ],
  };
  assert.deepEqual(await refusalsOf(told, deaf, sandbox), []);
});

test('what is answered alike where an act fails and where it is declined is so', async () => {
  const agreed = store(
    'If moveCrate fails or answers `done: false`, state is `BLOCKED`.\nIf findCrate fails, state is `DOWN`.',
  );
  const both = `export async function handle({ crate, shelf }, { call }) {
  let found;
  try {
    found = await call.findCrate({ crate });
  } catch {
    return { state: 'DOWN' };
  }
  if (found.sealed) return { state: 'SEALED' };
  const { done } = await call.moveCrate({ crate, shelf }).catch(() => ({ done: false }));
  return { state: done ? 'MOVED' : 'BLOCKED' };
}`;
  assert.deepEqual(await refusalsOf(agreed, both, sandbox), []);
  const half = both.replace("return { state: done ? 'MOVED' : 'BLOCKED' };", "return { state: 'MOVED' };");
  assert.notDeepEqual(await refusalsOf(agreed, half, sandbox), []);
});

const calls: Agreed = {
  rules: `The people on duty are called with callPerson one after another in the order of the request, until one accepts. \`reached\` says whether somebody did.
A call that fails counts like one that was not accepted: the next person is called.`,
  request: object({ numbers: { type: 'array', items: text, minItems: 1 } }),
  response: object({ reached: flag }),
  cases: [
    [{ numbers: ['0171-55', '0160-23'] }, { reached: true }],
    [{ numbers: ['0151-88'] }, { reached: true }],
    [{ numbers: ['0152-40'] }, { reached: false }],
  ],
  tools: [
    acting('callPerson', object({ number: text }), object({ accepted: flag }), [
      [{ number: '0171-55' }, { accepted: false }],
      [{ number: '0160-23' }, { accepted: true }],
      [{ number: '0151-88' }, { accepted: true }],
      [{ number: '0152-40' }, { accepted: false }],
    ]),
  ],
};

const ringing = (failed: string) => `export async function handle({ numbers }, { call }) {
  for (const number of numbers) {
    try {
      if ((await call.callPerson({ number })).accepted) return { reached: true };
    } catch {
      ${failed}
    }
  }
  return { reached: false };
}`;

test('a call that fails is as one that is declined, where the document says so', async () => {
  assert.deepEqual(await refusalsOf(calls, ringing('continue;'), sandbox), []);
  assert.match(
    (await refusalsOf(calls, ringing('break;'), sandbox)).join('\n'),
    /otherwise than where callPerson fails/,
  );
});

/** A gate that is set to a state and tells the one that it reached. */
const gate = (sentence: string): Agreed => ({
  rules: `The gate is set with setGate, which returns the state that it has reached. ${sentence}\nIf setGate fails, result is \`FAILED\`. Otherwise result is DONE.`,
  request: object({ gate: text, state: { enum: ['open', 'shut'] } }),
  response: object({ gate: text, result: { enum: ['DONE', 'WRONG', 'FAILED', 'SAME'] } }),
  cases: [
    [
      { gate: 'north-2', state: 'open' },
      { gate: 'north-2', result: 'DONE' },
    ],
    [
      { gate: 'south-7', state: 'shut' },
      { gate: 'south-7', result: 'DONE' },
    ],
  ],
  tools: [
    acting(
      'setGate',
      object({ gate: text, state: { enum: ['open', 'shut'] } }),
      object({ state: { enum: ['open', 'shut', 'stuck'] } }),
      [
        [{ gate: 'north-2', state: 'open' }, { state: 'open' }],
        [{ gate: 'south-7', state: 'shut' }, { state: 'shut' }],
      ],
    ),
  ],
});

const gatekeeper = (heed: string) => `export async function handle({ gate, state }, { call }) {
  try {
    const told = await call.setGate({ gate, state });
    ${heed}
    return { gate, result: 'DONE' };
  } catch {
    return { gate, result: 'FAILED' };
  }
}`;

test('a state that is not the wanted one is no success', async () => {
  const agreed = gate('If that is not the wanted one, result is `WRONG`.');
  const heeding = gatekeeper("if (told.state !== state) return { gate, result: 'WRONG' };");
  assert.deepEqual(await refusalsOf(agreed, heeding, sandbox), []);
  assert.match((await refusalsOf(agreed, gatekeeper(''), sandbox)).join('\n'), /has none of WRONG/);
});

test('a state that is compared before anything is done is no answer of the tool', async () => {
  const agreed = gate(
    'A gate whose `state` in the list of the keeper is not the same would be `SAME`; nobody asks for that.',
  );
  assert.deepEqual(await refusalsOf(agreed, gatekeeper(''), sandbox), []);
});

test('fewer things than were asked for are no success', async () => {
  const agreed: Agreed = {
    rules:
      'The vouchers are made with makeVouchers. If makeVouchers returns fewer `codes` than were wanted, result is `SHORT`; if makeVouchers fails, result is `DOWN`.',
    request: object({ count: integer }),
    response: object({ result: { enum: ['OK', 'SHORT', 'DOWN'] }, codes: { type: 'array', items: text } }, ['codes']),
    cases: [
      [{ count: 2 }, { result: 'OK', codes: ['VX-301', 'VX-302'] }],
      [{ count: 3 }, { result: 'OK', codes: ['VX-417', 'VX-418', 'VX-419'] }],
    ],
    tools: [
      acting('makeVouchers', object({ count: integer }), object({ codes: { type: 'array', items: text } }), [
        [{ count: 2 }, { codes: ['VX-301', 'VX-302'] }],
        [{ count: 3 }, { codes: ['VX-417', 'VX-418', 'VX-419'] }],
      ]),
    ],
  };
  const making = (heed: string) => `export async function handle({ count }, { call }) {
  try {
    const { codes } = await call.makeVouchers({ count });
    ${heed}
    return { result: 'OK', codes };
  } catch {
    return { result: 'DOWN' };
  }
}`;
  const heeding = making("if (codes.length !== count) return { result: 'SHORT' };");
  assert.deepEqual(await refusalsOf(agreed, heeding, sandbox), []);
  assert.match((await refusalsOf(agreed, making(''), sandbox)).join('\n'), /has none of SHORT/);
});
