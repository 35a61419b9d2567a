import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import type { Json } from '../../src/kernel/json.ts';
import { forbiddenAfter } from '../../src/verification/prose/documented-acts.ts';
import { type Agreed, acting, integer, object, reading, refusalsOf, subjectOf, text } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

const flag = { type: 'boolean' };
const receipts = [
  [{ key: 'k-5501' }, { receipt: 'DN-2201', cents: 2_500 }],
  [{ key: 'k-5509' }, { receipt: 'DN-2209', cents: 40 }],
] satisfies [Json, Json][];

/** Gifts that may arrive twice: looked for with one tool, booked with another. */
function gifts(rules: string, book: string): Agreed {
  const answer = (key: string, outcome: string, receipt: string | null, again = false): Json => ({
    key,
    outcome,
    receipt,
    again,
  });
  return {
    rules: `A gift comes with a key; \`lookUp(key)\` tells the receipt of one that came before, \`${book}(key, cents)\` gives a new one: outcome DONE.\n${rules}`,
    request: object({ key: text, cents: integer, trial: flag }, ['trial']),
    response: object({
      key: text,
      outcome: { enum: ['DONE', 'KNOWN', 'CLASH', 'LATER'] },
      receipt: { type: ['string', 'null'] },
      again: flag,
    }),
    cases: [
      [{ key: 'k-5502', cents: 1_050 }, answer('k-5502', 'DONE', 'DN-2202')],
      [{ key: 'k-5501', cents: 2_500 }, answer('k-5501', 'KNOWN', 'DN-2201', true)],
      [{ key: 'k-5509', cents: 41 }, answer('k-5509', 'CLASH', null)],
      [{ key: 'k-5507', cents: 77, trial: true }, answer('k-5507', 'DONE', null)],
    ],
    tools: [
      reading('lookUp', object({ key: text }), { type: ['object', 'null'] }, receipts, null),
      acting(
        book,
        object({ key: text, cents: integer }),
        object({ receipt: text }),
        [[{ key: 'k-5502', cents: 1_050 }, { receipt: 'DN-2202' }]],
        { receipt: 'DN-2299' },
      ),
    ],
  };
}

type Place = 'known' | 'clash' | 'trial' | 'lost';

/** A handler of gifts, sound but for an act at one place. */
function giver(book: string, at?: Place): string {
  const act = (place: Place) => (place === at ? `await call.${book}({ key, cents });` : '');
  return `export async function handle({ key: given, cents, trial }, { call }) {
  const key = String(given);
  const answer = (outcome, receipt = null, again = false) => ({ key, outcome, receipt, again });
  try {
    const known = await call.lookUp({ key })${at === 'lost' ? '.catch(() => null)' : ''};
    if (known && known.cents !== cents) { ${act('clash')} return answer('CLASH'); }
    if (known) { ${act('known')} return answer('KNOWN', known.receipt, true); }
    if (trial === true) { ${act('trial')} return answer('DONE'); }
    const { receipt } = await call.${book}({ key, cents });
    return answer('DONE', receipt);
  } catch { return answer('LATER'); }
}`;
}

const denied: readonly [rule: string, book: string, at: Place][] = [
  ['A key that is known: its receipt, `again` true, nothing else is done.', 'bookGift', 'known'],
  ['Ist der Schlüssel bekannt: outcome `KNOWN`, der alte Beleg; sonst wird nichts getan.', 'bucheGabe', 'known'],
  ['Bei einem anderen Betrag: outcome `CLASH`. Es wird nicht gebucht.', 'bucheGabe', 'clash'],
  ["Pour un autre montant rien n'est réservé ; la réponse est `CLASH`.", 'reserver_don', 'clash'],
  ['Con otro importe no se reserva: `CLASH`.', 'reservarDon', 'clash'],
  ['Another amount: outcome `CLASH`; no gift is booked and nobody is told.', 'bookGift', 'clash'],
  ['`trial` true: nothing is booked.', 'bookGift', 'trial'],
  ['Nothing is booked unless the outcome is `DONE`.', 'bookGift', 'clash'],
  ['- `CLASH`: the gift is of another amount. The first amount stands. Nothing is booked.', 'bookGift', 'clash'],
  ['| `CLASH` | ein anderer Betrag. Das geht vor. Es wird nicht gebucht. |', 'bucheGabe', 'clash'],
  ['No gift is booked and no message is sent unless the outcome is `DONE`.', 'bookGift', 'clash'],
  ['A tool that fails: outcome LATER. If `lookUp` fails, nothing may be booked.', 'bookGift', 'lost'],
  ['A tool that fails: outcome LATER. Nach einem Fehler von lookUp darf nicht gebucht werden.', 'bucheGabe', 'lost'],
];

for (const [rule, book, at] of denied) {
  test(`an act that is denied is refused: ${rule}`, async () => {
    const why = await refusalsOf(gifts(rule, book), giver(book, at), sandbox);
    assert.ok(
      why.some((one) => /^(?:side-effects|failing-tools): .*(?:the document has|all the same, though) "/.test(one)),
      JSON.stringify(why),
    );
    assert.deepEqual(await refusalsOf(gifts(rule, book), giver(book), sandbox), []);
  });
}

const allowed: readonly [rule: string, book: string, at: Place][] = [
  ['A key that is known: `again` true, the gift is booked anew, nothing else is done.', 'bookGift', 'known'],
  ['`trial` false: nothing is booked.', 'bookGift', 'trial'],
  ['Nothing is booked unless the sender is known.', 'bookGift', 'clash'],
  ['Nothing is booked unless the outcome is `DONE` or `CLASH`.', 'bookGift', 'clash'],
  ['Another amount: outcome `CLASH`; the gift is not booked if it was refused.', 'bookGift', 'clash'],
  [
    '- `CLASH`: another amount, by which `KNOWN` is not told.\n\nNothing is booked if it was refused.',
    'bookGift',
    'clash',
  ],
  ['Another amount: outcome `CLASH`; no gift is booked before that.', 'bookGift', 'clash'],
  ['`trial` true and cents above 1000: nothing is booked.', 'bookGift', 'trial'],
];

for (const [rule, book, at] of allowed)
  test(`an act that no sentence denies is not held against the document: ${rule}`, async () => {
    const why = await refusalsOf(gifts(rule, book), giver(book, at), sandbox);
    assert.deepEqual(
      why.filter((one) => one.includes('the document has')),
      [],
    );
  });

/** A gate that asks an office, and opens a door. */
const gate: Agreed = {
  rules: 'The office answers allow, deny or escort. It repeats the ticket.',
  request: object({ ticket: text, badge: text }),
  response: {
    type: 'object',
    properties: {
      ticket: text,
      decision: { enum: ['allow', 'deny', 'escort'] },
      seal: { type: 'string', description: 'must not be given to anybody or logged' },
    },
    required: ['ticket', 'decision'],
  },
  loose: [{ pointer: '/ticket', as: 'id' }],
  cases: [
    [
      { ticket: 't1', badge: 'bd-1201' },
      { ticket: 't1', decision: 'allow', seal: 'QX-8841-Z' },
    ],
    [
      { ticket: 't2', badge: 'bd-7703' },
      { ticket: 't2', decision: 'deny' },
    ],
    [
      { ticket: 't3', badge: 'bd-9944' },
      { ticket: 't3', decision: 'escort' },
    ],
  ],
  tools: [
    acting('openDoor', object({ badge: text }), object({ door: text }), [[{ badge: 'bd-1201' }, { door: 'D-17' }]], {
      door: 'D-99',
    }),
  ],
  task: {
    description:
      'Let a person in. Allowed: open the door, result in, where is the door. Denied: result out; no door is opened. Escort: result wait; the door is not opened. If the door fails, result is broken and where is null.',
    inputSchema: object({ badge: text }),
    outputSchema: object({ result: { enum: ['in', 'out', 'wait', 'broken'] }, where: { type: ['string', 'null'] } }),
    examples: [
      { testCase: 1, input: { badge: 'bd-1201' }, output: { result: 'in', where: 'D-17' } },
      { testCase: 2, input: { badge: 'bd-7703' }, output: { result: 'out', where: null } },
      { testCase: 3, input: { badge: 'bd-9944' }, output: { result: 'wait', where: null } },
    ],
  },
};

const keeper = `export async function perform({ badge }, { call, send, newId, log }) {
  const ticket = newId();
  const answer = await send({ ticket, badge });
  if (answer.ticket !== ticket) throw new Error('another ticket');
  if (answer.decision === 'deny') return { result: 'out', where: null };
  if (answer.decision === 'escort') return { result: 'wait', where: null };
  log('allowed');
  try { return { result: 'in', where: (await call.openDoor({ badge })).door }; } catch { return { result: 'broken', where: null }; }
}`;

const slips: readonly [what: string, edit: [string, string], finding: RegExp][] = [
  [
    'acts where the task denies it',
    ["return { result: 'out'", "return await call.openDoor({ badge }), { result: 'out'"],
    /^side-effects: .*"no door is opened/,
  ],
  [
    'acts where another part of the sentence has the answer',
    ["return { result: 'wait'", "return await call.openDoor({ badge }), { result: 'wait'"],
    /^side-effects: .*"the door is not opened/,
  ],
  [
    'lets the failure of a tool escape',
    ["catch { return { result: 'broken', where: null }; }", 'finally { log(1); }'],
    /^failing-tools: .*it throws/,
  ],
  [
    'reports the failure of a tool by another name',
    ["catch { return { result: 'broken'", "catch { return { result: 'out'"],
    /^failing-tools: .*none of broken/,
  ],
  [
    'logs what a schema says is not to be logged',
    ["log('allowed')", 'log(JSON.stringify(answer))'],
    /"seal" is logged/,
  ],
];

test('a requester that does as its task says is not refused', async () => {
  assert.deepEqual(await refusalsOf(gate, keeper, sandbox), []);
});

for (const [what, [from, to], finding] of slips)
  test(`a requester is held to its task: ${what}`, async () => {
    assert.ok(keeper.includes(from));
    const why = await refusalsOf(gate, keeper.replace(from, to), sandbox);
    assert.ok(
      why.some((one) => finding.test(one)),
      JSON.stringify(why),
    );
  });

/** Rates of two tools, the second for when the first fails. */
const rates: Agreed = {
  rules:
    'The rate comes from `bankRate(pair)`; if that fails, from `marketRate(pair)`. A rate of null: status `NO_RATE`. If both fail, status is `NO_SOURCE`. Else status is `FINE`.',
  request: object({ id: text, pair: text }),
  response: object({ id: text, status: text, rate: { type: ['number', 'null'] } }),
  cases: [
    [
      { id: 'a-1', pair: 'EURUSD' },
      { id: 'a-1', status: 'FINE', rate: 1.0871 },
    ],
    [
      { id: 'a-2', pair: 'EURXAU' },
      { id: 'a-2', status: 'NO_RATE', rate: null },
    ],
  ],
  tools: [
    reading('bankRate', object({ pair: text }), { type: ['number', 'null'] }, [[{ pair: 'EURUSD' }, 1.0871]], null),
    reading('marketRate', object({ pair: text }), { type: ['number', 'null'] }, [[{ pair: 'EURUSD' }, 1.0912]], null),
  ],
};

const broker = `export async function handle({ id: given, pair: asked }, { call }) {
  const id = String(given), pair = String(asked);
  let rate;
  try { rate = await call.bankRate({ pair }); } catch {
    try { rate = await call.marketRate({ pair }); } catch { return { id, status: 'NO_SOURCE', rate: null }; }
  }
  if (rate === null) return { id, status: 'NO_RATE', rate };
  return { id, status: 'FINE', rate };
}`;

test('what the document has for the failure of both tools is asked for', async () => {
  const refusal = async (from: string, to: string) => {
    assert.ok(broker.includes(from));
    return (await refusalsOf(rates, broker.replace(from, to), sandbox)).join('\n');
  };
  assert.equal(await refusal(broker, broker), '');
  assert.match(
    await refusal("status: 'NO_SOURCE'", "status: pair === 'x' ? 'NO_SOURCE' : 'NO_RATE'"),
    /failing-tools: .*where both tools fail: the answer has not NO_SOURCE/,
  );
});

/** Places on a course, of which a member may have three. */
const courses = (rules: string): Agreed => ({
  rules: `\`member\` tells how many courses somebody has and how to reach them, \`enrolMember\` enrols: accepted. With three courses or more nobody is enrolled.\n${rules}`,
  request: object({ id: text, member: text, dryRun: flag }, ['dryRun']),
  response: object({ id: text, accepted: flag, result: { enum: ['in', 'full', 'tried'] } }, ['accepted']),
  tools: [
    reading(
      'member',
      object({ member: text }),
      object({ courses: integer }),
      [[{ member: 'M-4401' }, { courses: 1 }]],
      {
        courses: 0,
      },
    ),
    {
      ...(acting('enrolMember', object({ member: text }), { type: 'null' }, [], null) as object),
      description: 'Meldet an. 报名课程',
    } as Json,
  ],
  cases: [
    [
      { id: 'c-1', member: 'M-4401' },
      { id: 'c-1', accepted: true, result: 'in' },
    ],
    [
      { id: 'c-2', member: 'M-4409' },
      { id: 'c-2', accepted: true, result: 'in' },
    ],
    [
      { id: 'c-3', member: 'M-4401', dryRun: true },
      { id: 'c-3', result: 'tried' },
    ],
  ],
});
const enrolling = (
  at: 'before' | 'always',
) => `export async function handle({ id: given, member: name, dryRun }, { call }) {
  const id = String(given);
  const member = String(name);
  const { courses } = await call.member({ member });
  const full = { id, accepted: false, result: 'full' };
  ${at === 'before' ? 'if (courses >= 3) return full;' : ''}
  ${at === 'always' ? '' : "if (dryRun === true) return { id, result: 'tried' };"}
  await call.enrolMember({ member });
  if (dryRun === true) return { id, result: 'tried' };
  ${at === 'before' ? '' : 'if (courses >= 3) return full;'}
  return { id, accepted: true, result: 'in' };
}`;

test('a request that is only tried changes nothing', async () => {
  const agreed = courses('`dryRun` is optional and means: look, but change nothing.');
  assert.match(
    (await refusalsOf(agreed, enrolling('always'), sandbox)).join('\n'),
    /^side-effects: case 3: the document has/m,
  );
  assert.deepEqual(await refusalsOf(agreed, enrolling('before'), sandbox), []);
});

test('a tool that one answer alone comes with is called for no other', async () => {
  const rule = '只有 DONE 才可以调用 bookGift；其他情况一律不记账';
  assert.match(
    (await refusalsOf(gifts(rule, 'bookGift'), giver('bookGift', 'clash'), sandbox)).join('\n'),
    /^side-effects: case 3: the document has "只有/m,
  );
  assert.deepEqual(await refusalsOf(gifts(rule, 'bookGift'), giver('bookGift'), sandbox), []);
});

test('that the order of lines does not matter has no failure pass', async () => {
  const lamps: Agreed = {
    rules:
      'A line `on=<lamp>` lights a lamp. The order of the lines does not matter. Answers: `lit=<lamp>`, or `FAULT`: the system of lamps fails.',
    cases: [
      ['on=L-204', 'lit=L-204'],
      ['on=L-380', 'lit=L-380'],
    ],
    tools: [
      acting('lightLamp', object({ lamp: text }), object({ lamp: text }), [
        [{ lamp: 'L-204' }, { lamp: 'L-204' }],
        [{ lamp: 'L-380' }, { lamp: 'L-380' }],
      ]),
    ],
  };
  const light = (failed: string) => `export async function handle(text, { call }) {
  const lamp = text.slice(3);
  try { await call.lightLamp({ lamp }); } catch { return ${failed}; }
  return 'lit=' + lamp;
}`;
  assert.deepEqual(await refusalsOf(lamps, light("'FAULT'"), sandbox), []);
  assert.match(
    (await refusalsOf(lamps, light("'lit=' + lamp"), sandbox)).join('\n'),
    /^failing-tools: case 1, where lightLamp fails/m,
  );
});

test('what a sentence says of one failing tool is not said of another', () => {
  const log = acting('writeAudit', object({ event: text }), object({ id: text }), []);
  const tools = [
    reading('getPlan', object({ id: text }), object({ plan: text }), []),
    acting('changePlan', object({ id: text }), object({ plan: text }), []),
    log,
  ];
  const subject = (rules: string) =>
    subjectOf({ rules, request: object({ id: text }), response: object({ code: text }), cases: [], tools });
  const each =
    '503: `getPlan` fails (nothing is written to the log), or `changePlan` fails (an entry of the event is written).';
  assert.equal(forbiddenAfter(subject(each), 'changePlan', 'writeAudit'), undefined);
  assert.match(forbiddenAfter(subject(each), 'getPlan', 'writeAudit') ?? '', /nothing is written/);
  const both = 'If `getPlan` or `changePlan` fails, nothing is written to the log.';
  for (const failed of ['getPlan', 'changePlan'])
    assert.match(forbiddenAfter(subject(both), failed, 'writeAudit') ?? '', /nothing is written/);
});
