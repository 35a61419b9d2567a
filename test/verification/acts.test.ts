import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { type Agreed, acting, integer, object, reading, refusalsOf, text, warningsOf } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

const flag = { type: 'boolean' };

const valves: Agreed = {
  rules: `The plant reads the valve with \`valve(tag)\`, null if there is none, and turns it with \`turnValve(tag, position)\`.

- An order for the position that the valve has: verdict \`kept\`. Nothing is changed then.
- Otherwise it is turned, exactly once: verdict \`turned\`.
- A valve that is sealed is not turned: verdict \`sealed\`.
- No such valve: verdict \`absent\`.
- If \`valve\` fails: verdict \`blind\`. If \`turnValve\` fails: verdict \`stuck\`.`,
  request: object({ ref: text, tag: text, position: { enum: ['open', 'shut'] }, reason: text }, ['reason']),
  response: object({ ref: text, verdict: text }),
  cases: [
    [
      { ref: 'a-1', tag: 'VX-301', position: 'shut', reason: 'leak at flange nine' },
      { ref: 'a-1', verdict: 'turned' },
    ],
    [
      { ref: 'a-2', tag: 'VX-301', position: 'open' },
      { ref: 'a-2', verdict: 'kept' },
    ],
    [
      { ref: 'a-3', tag: 'VX-777', position: 'shut' },
      { ref: 'a-3', verdict: 'sealed' },
    ],
    [
      { ref: 'a-4', tag: 'VX-000', position: 'shut' },
      { ref: 'a-4', verdict: 'absent' },
    ],
  ],
  tools: [
    reading(
      'valve',
      object({ tag: text }),
      { type: ['object', 'null'], properties: { position: text, sealed: flag } },
      [
        [{ tag: 'VX-301' }, { position: 'open', sealed: false }],
        [{ tag: 'VX-777' }, { position: 'open', sealed: true }],
      ],
      null,
    ),
    acting('turnValve', object({ tag: text, position: text, reason: text }), object({}), [], {}),
  ],
};

const valveHandler = `export async function handle({ ref: given, tag, position, reason }, { call }) {
  const ref = String(given);
  let valve;
  try { valve = await call.valve({ tag: String(tag) }); } catch { return { ref, verdict: 'blind' }; }
  if (!valve) return { ref, verdict: 'absent' };
  if (valve.position === position) return { ref, verdict: 'kept' };
  if (valve.sealed) return { ref, verdict: 'sealed' };
  try { await call.turnValve({ tag: String(tag), position: String(position), reason: String(reason ?? '') }); } catch { return { ref, verdict: 'stuck' }; }
  return { ref, verdict: 'turned' };
}`;

/** The same plant, where a sealed valve cannot be turned at all. */
const stiffValves: Agreed = {
  ...valves,
  tools: [
    ...(valves.tools ?? []).slice(0, 1),
    {
      name: 'turnValve',
      description: 'turns a valve',
      inputSchema: object({ tag: text, position: text, reason: text }),
      outputSchema: object({}),
      examples: [{ input: { tag: 'VX-301', position: 'shut', reason: 'leak at flange nine' }, output: {} }],
      otherwise: { error: { message: 'it does not move' } },
    },
  ],
};

const turn = "await call.turnValve({ tag: String(tag), position: String(position), reason: String(reason ?? '') });";

const gates: Agreed = {
  rules: `Gates are asked for with \`gateOf(pass)\`. Every decision is written to the gate log before it is answered, those that are refused as well as refusals of unknown passes; refusals as well: \`logGate(pass, result)\`.

| code | text | meaning |
|---|---|---|
| E700 | Try later. | the gate cannot be read |
| E404 | Go away. | no such pass |

result is one of let-in, full, barred, E404 and E700.`,
  request: object({ pass: text }),
  response: object({ result: text }),
  cases: [
    [{ pass: 'PS-5512' }, { result: 'let-in' }],
    [{ pass: 'PS-5513' }, { result: 'full' }],
    [{ pass: 'PS-5514' }, { result: 'barred' }],
    [{ pass: 'PS-0001' }, { result: 'E404' }],
  ],
  tools: [
    reading(
      'gateOf',
      object({ pass: text }),
      { type: ['object', 'null'], properties: { state: text } },
      [
        [{ pass: 'PS-5512' }, { state: 'free' }],
        [{ pass: 'PS-5513' }, { state: 'full' }],
        [{ pass: 'PS-5514' }, { state: 'barred' }],
      ],
      null,
    ),
    acting('logGate', object({ pass: text, result: text }), object({}), [], {}),
  ],
};

const gateHandler = `export async function handle({ pass }, { call }) {
  let gate;
  try { gate = await call.gateOf({ pass: String(pass) }); } catch { return { result: 'E700' }; }
  const result = !gate ? 'E404' : gate.state === 'free' ? 'let-in' : gate.state;
  await call.logGate({ pass: String(pass), result }).catch(() => null);
  return { result };
}`;

const claims: Agreed = {
  rules: `A claim is filed with \`fileClaim\` under a fresh claimNo, which the answer tells. 0: filed; 1: refused, since the amount is above the limit of \`limitOf(policy)\`; 2: no such policy. The claim keeps the note of the request.

* 0: filed
* 1: refused, the claim stays as it is
* 2: no such policy`,
  request: object({ policy: text, amount: integer, note: text }),
  response: object({ code: integer, claimNo: { type: ['string', 'null'] } }),
  loose: [{ pointer: '/claimNo', as: 'id' }],
  cases: [
    [
      { policy: 'PL-4410', amount: 40, note: 'broken window' },
      { code: 0, claimNo: 'c7f0a1b2c3d4e5f6' },
    ],
    [
      { policy: 'PL-4410', amount: 900, note: 'burnt carpet' },
      { code: 1, claimNo: null },
    ],
    [
      { policy: 'PL-0000', amount: 40, note: 'lost key' },
      { code: 2, claimNo: null },
    ],
  ],
  tools: [
    reading('limitOf', object({ policy: text }), { type: ['integer', 'null'] }, [[{ policy: 'PL-4410' }, 300]], null),
    acting('fileClaim', object({ policy: text, claimNo: text, amount: integer, note: text }), object({}), [], {}),
  ],
};

const claimHandler = `export async function handle({ policy, amount, note }, { call, newId }) {
  const limit = await call.limitOf({ policy: String(policy) });
  if (limit === null) return { code: 2, claimNo: null };
  if (amount > limit) return { code: 1, claimNo: null };
  const claimNo = newId();
  await call.fileClaim({ policy: String(policy), claimNo, amount: Number(amount), note: String(note) });
  return { code: 0, claimNo };
}`;

const patients: Agreed = {
  rules: `The ward finds a patient with \`patientOf(ticket)\`, null if there is none: room null, word \`unknown\`. If \`patientOf\` fails: word \`offline\`. The date of birth and the insurance number must never be part of an answer or of a log line.`,
  request: object({ ticket: text }),
  response: object({ word: text, room: { type: ['string', 'null'] } }),
  cases: [
    [{ ticket: 'TK-1180' }, { word: 'found', room: 'B-214' }],
    [{ ticket: 'TK-1181' }, { word: 'found', room: 'C-007' }],
    [{ ticket: 'TK-0000' }, { word: 'unknown', room: null }],
  ],
  tools: [
    reading(
      'patientOf',
      object({ ticket: text }),
      { type: ['object', 'null'], properties: { room: text, insuranceNumber: text } },
      [
        [{ ticket: 'TK-1180' }, { room: 'B-214', insuranceNumber: '88120-4417' }],
        [{ ticket: 'TK-1181' }, { room: 'C-007', insuranceNumber: '88120-9956' }],
      ],
      null,
    ),
  ],
};

const patientHandler = `export async function handle({ ticket }, { call, log }) {
  try {
    const patient = await call.patientOf({ ticket: String(ticket) });
    if (!patient) return { word: 'unknown', room: null };
    log('found', ticket, patient.room);
    return { word: 'found', room: patient.room };
  } catch { return { word: 'offline', room: null }; }
}`;

const tides: Agreed = {
  rules: `The harbour answers \`TIDE <berth>\` with one of:

    210 <centimetres>
    551 no such berth

There is nothing else. Any other line is an error.`,
  cases: [
    ['TIDE b14', '210 312'],
    ['TIDE b15', '210 287'],
    ['TIDE zz9', '551 no such berth'],
  ],
  task: {
    description: 'Tell the tide at a berth in centimetres. No such berth gives null. Any other answer is an error.',
    inputSchema: object({ berth: text }),
    outputSchema: object({ tide: { type: ['integer', 'null'] } }),
    examples: [
      { testCase: 1, input: { berth: 'B14' }, output: { tide: 312 } },
      { testCase: 2, input: { berth: 'B15' }, output: { tide: 287 } },
      { testCase: 3, input: { berth: 'ZZ9' }, output: { tide: null } },
    ],
  },
};

const tideHandler = `export async function perform({ berth }, { send }) {
  const line = String(await send('TIDE ' + String(berth).toLowerCase()));
  if (line === '551 no such berth') return { tide: null };
  const [, tide] = /^210 (\\d+)$/.exec(line) ?? [];
  if (tide === undefined) throw new Error('unexpected line');
  return { tide: Number(tide) };
}`;

const agreements = {
  valves: [valves, valveHandler],
  stiffValves: [stiffValves, valveHandler],
  gates: [gates, gateHandler],
  claims: [claims, claimHandler],
  patients: [patients, patientHandler],
  tides: [tides, tideHandler],
} as const;

for (const [name, [agreed, handler]] of Object.entries(agreements))
  test(`not refused: ${name}`, async () => assert.deepEqual(await refusalsOf(agreed, handler, sandbox), []));

type Edit = readonly [from: string, to: string];

const refused: readonly [what: string, of: keyof typeof agreements, edit: Edit, finding: RegExp][] = [
  [
    'an act in an answer with which nothing is changed',
    'valves',
    [
      'if (valve.position === position) return',
      `if (valve.position === position) { ${turn} } if (valve.position === position) return`,
    ],
    /^side-effects: case 2: .*Nothing is changed then.*yet turnValve was called/,
  ],
  [
    'an act that the document denies for an answer',
    'valves',
    ['if (valve.sealed) return', `if (valve.sealed) { ${turn} } if (valve.sealed) return`],
    /^side-effects: case 3: .*sealed is not turned.*yet turnValve was called/,
  ],
  [
    'an act that the document denies for an answer, tried in vain',
    'stiffValves',
    ['if (valve.sealed) return', `if (valve.sealed) { try { ${turn} } catch {} } if (valve.sealed) return`],
    /^side-effects: case 3: .*sealed is not turned.*whether turnValve succeeds or not/,
  ],
  ['an act that never comes', 'valves', [turn, ''], /^acts: .*never names turnValve/],
  ['an act twice', 'valves', [turn, `${turn} ${turn}`], /^acts: case 1: turnValve was called 2 times/],
  [
    'the name of another outcome where this tool failed',
    'valves',
    ["verdict: 'blind'", "verdict: 'absent'"],
    /^failing-tools: case 1, where valve fails/,
  ],
  [
    'a failing act that is passed over though it has a name',
    'valves',
    ["catch { return { ref, verdict: 'stuck' }; }", 'catch {}'],
    /^failing-tools: case 1, where turnValve fails/,
  ],
  [
    'another outcome in place of a failure that a row of a table names',
    'gates',
    ["result: 'E700'", "result: 'E404'"],
    /^failing-tools: case 1, where gateOf fails/,
  ],
  [
    'another fresh id than the answer tells',
    'claims',
    ['claimNo, amount: Number', 'claimNo: newId(), amount: Number'],
    /^acts: case 1: it answers with another claimNo/,
  ],
  [
    'an act under a code that the list has for refusals',
    'claims',
    [
      'if (amount > limit) return',
      "if (amount > limit) await call.fileClaim({ policy: String(policy), claimNo: 'none', amount: Number(amount), note: String(note) }); if (amount > limit) return",
    ],
    /^side-effects: case 2: it is refused, yet fileClaim was called/,
  ],
  [
    'a member in the log of which the document says that it is never logged',
    'patients',
    ["log('found', ticket, patient.room)", "log('found', JSON.stringify(patient))"],
    /^leaks: .*"insuranceNumber" is logged/,
  ],
  [
    'any line for an answer of the protocol',
    'tides',
    ["if (tide === undefined) throw new Error('unexpected line');", 'if (tide === undefined) return { tide: null };'],
    /^requester-peer: .*values of other types: it reports what it reports for case 3/,
  ],
  [
    'an act for the names of the cases alone',
    'valves',
    [turn, `if (String(tag).endsWith('301')) ${turn}`],
    /^renaming: case 1: under other names .* turnValve is not called/,
  ],
];

for (const [what, of, [from, to], finding] of refused)
  test(`refused: ${what}`, async () => {
    const [agreed, handler] = agreements[of];
    assert.ok(handler.includes(from), `wanted ${from} in the handler`);
    const found = await refusalsOf(agreed, handler.replace(from, to), sandbox);
    assert.ok(
      found.some((why) => finding.test(why)),
      `wanted ${finding} among ${JSON.stringify(found)}`,
    );
  });

const prices: Agreed = {
  rules: 'A price is asked for with a fresh number of the letter; the answer says to which letter it replies.',
  request: object({ letter: text, article: text }),
  response: object({ inReplyTo: text, price: integer }),
  loose: [{ pointer: '/letter', as: 'id' }],
  cases: [
    [
      { letter: 'lt-880123', article: 'lamp' },
      { inReplyTo: 'lt-880123', price: 4_350 },
    ],
    [
      { letter: 'lt-880124', article: 'sofa' },
      { inReplyTo: 'lt-880124', price: 79_900 },
    ],
  ],
  task: {
    description: 'Tell the price of an article.',
    inputSchema: object({ article: text }),
    outputSchema: object({ price: integer }),
    examples: [
      { testCase: 1, input: { article: 'lamp' }, output: { price: 4_350 } },
      { testCase: 2, input: { article: 'sofa' }, output: { price: 79_900 } },
    ],
  },
};

test('warned of: an answer to another letter is taken, where the document is silent', async () => {
  const handler = (price: string) => `export async function perform({ article }, { send, newId }) {
  const letter = newId();
  const answer = await send({ letter, article });
  ${price}
}`;
  const foreign = /^requester-peer: .*taken although its id is not that of the request/;
  const trusting = handler('return { price: answer.price };');
  const careful = handler(
    "if (answer.inReplyTo !== letter) throw new Error('foreign'); return { price: answer.price };",
  );
  assert.ok((await warningsOf(prices, trusting, sandbox)).some((warning) => foreign.test(warning)));
  assert.ok(!(await warningsOf(prices, careful, sandbox)).some((warning) => foreign.test(warning)));
});

const berths: Agreed = {
  rules: `The harbour holds a berth with \`hold(berth)\`, which answers with the hold, or null where the berth is taken, and takes the fee with \`charge(account, fee)\`.

- A berth that is taken: state \`taken\`.
- If \`hold\` fails: state \`closed\`.
- If \`charge\` fails, the hold is given back with \`release(hold)\`, and the state is \`unpaid\`.
- Otherwise the skipper is told with \`notify(skipper, hold)\`, and the state is \`moored\`. It does not matter whether that fails.`,
  request: object({ ref: text, berth: text, account: text, fee: integer, skipper: text }),
  response: object({ ref: text, state: { enum: ['moored', 'taken', 'closed', 'unpaid'] } }),
  cases: [
    [
      { ref: 'r-1', berth: 'North 12', account: 'AC-4471', fee: 35, skipper: 'ola@fjord.example' },
      { ref: 'r-1', state: 'moored' },
    ],
    [
      { ref: 'r-2', berth: 'South 3', account: 'AC-9020', fee: 20, skipper: 'kim@fjord.example' },
      { ref: 'r-2', state: 'taken' },
    ],
  ],
  tools: [
    acting(
      'hold',
      object({ berth: text }),
      { type: ['object', 'null'], properties: { hold: text } },
      [[{ berth: 'North 12' }, { hold: 'H-5518' }]],
      null,
    ),
    acting('charge', object({ account: text, fee: integer }), object({}), [], {}),
    acting('release', object({ hold: text }), object({}), [], {}),
    acting('notify', object({ skipper: text, hold: text }), object({}), [], {}),
  ],
};

const berthHandler = (released: string, told: string) => `export async function handle(request, { call }) {
  const ref = String(request.ref);
  const berth = String(request.berth), account = String(request.account), fee = Number(request.fee) || 0;
  let held;
  try { held = await call.hold({ berth }); } catch { return { ref, state: 'closed' }; }
  if (!held) return { ref, state: 'taken' };
  try { await call.charge({ account, fee }); } catch {
    try { await call.release(${released}); } catch {}
    return { ref, state: 'unpaid' };
  }
  await call.notify(${told}).catch(() => undefined);
  return { ref, state: 'moored' };
}`;

test('a tool that no call reaches because the schema of the tool forbids its input is not used at all', async () => {
  const [released, told] = ['{ hold: held.hold }', '{ skipper: String(request.skipper), hold: held.hold }'];
  assert.deepEqual(await refusalsOf(berths, berthHandler(released, told), sandbox), []);
  const forgets = await refusalsOf(berths, berthHandler('{}', told), sandbox);
  assert.match(forgets.join('\n'), /acts: case 1: no call of release that it makes is carried out/);
  const mutters = await refusalsOf(berths, berthHandler(released, '{ to: request.skipper, hold: held.hold }'), sandbox);
  assert.match(mutters.join('\n'), /acts: case 1: no call of notify that it makes is carried out/);
});
