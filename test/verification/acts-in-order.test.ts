import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { successorsOf } from '../../src/verification/prose/documented-steps.ts';
import { type Agreed, acting, integer, object, reading, refusalsOf, subjectOf, text } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

const steps = `1. The parcel is read with \`getParcel\`. If there is none, the result is NOT_FOUND.
2. The state is kept with \`saveState\`.
3. The customer is told with \`sendNotice\`.

If \`saveState\` fails, the result is FAILED. A notice that fails changes nothing.`;

/** A depot that keeps the state of a parcel and tells its customer. */
const depot = (rules: string): Agreed => ({
  rules,
  request: object({ id: text, state: text }),
  response: object({ result: { enum: ['DONE', 'NOT_FOUND', 'FAILED'] } }),
  cases: [
    [{ id: 'PA-71', state: 'out' }, { result: 'DONE' }],
    [{ id: 'PA-79', state: 'out' }, { result: 'NOT_FOUND' }],
  ],
  tools: [
    reading('getParcel', object({ id: text }), { type: ['object', 'null'] }, [
      [{ id: 'PA-71' }, { mail: 'ada@example.org' }],
      [{ id: 'PA-79' }, null],
    ]),
    acting('saveState', object({ id: text, state: text }), object({}), [[{ id: 'PA-71', state: 'out' }, {}]]),
    acting('sendNotice', object({ mail: text, state: text }), object({}), [
      [{ mail: 'ada@example.org', state: 'out' }, {}],
    ]),
  ],
});

const [save, notify] = [
  "try { await call.saveState({ id, state }); } catch { return { result: 'FAILED' }; }",
  'await call.sendNotice({ mail: parcel.mail, state }).catch(() => {});',
];
const moving = (...acts: string[]) => `export async function handle({ id, state }, { call }) {
  let parcel;
  try { parcel = await call.getParcel({ id }); } catch { return { result: 'FAILED' }; }
  if (parcel === null) return { result: 'NOT_FOUND' };
  ${acts.join('\n  ')}
  return { result: 'DONE' };
}`;

test('what numbered steps have done in one order is not done in the other', async () => {
  assert.deepEqual(await refusalsOf(depot(steps), moving(save, notify), sandbox), []);
  assert.match(
    (await refusalsOf(depot(steps), moving(notify, save), sandbox)).join('\n'),
    /^acts: case 1: sendNotice was called before saveState, though "3\. The customer is told with `sendNotice`/m,
  );
});

test('what one sentence has done behind something else is not done before that', async () => {
  const rules =
    'A parcel that `getParcel` does not know is NOT_FOUND. The state is first kept with `saveState` (`id` and `state`), and only after that the customer is told with `sendNotice`. If `saveState` fails, the result is FAILED.';
  assert.deepEqual(await refusalsOf(depot(rules), moving(save, notify), sandbox), []);
  assert.match(
    (await refusalsOf(depot(rules), moving(notify, save), sandbox)).join('\n'),
    /^acts: case 1: sendNotice was called before saveState/m,
  );
  const open = 'The state is kept with `saveState`, and the customer is told with `sendNotice`.';
  assert.deepEqual(await refusalsOf(depot(open), moving(notify, save), sandbox), [], 'in any order');
});

test('steps are read from lists, headings and words, and what stands below a list is none', () => {
  const orders = (rules: string) =>
    successorsOf(subjectOf(depot(rules))).map(({ first, second }) => `${first} ${second}`);
  const all = ['getParcel saveState', 'getParcel sendNotice', 'saveState sendNotice'];
  assert.deepEqual(orders(steps), all);
  assert.deepEqual(orders(steps.replace(/^(\d)\. /gm, '### Step $1: ').replace('\n\n', '\n\n### Failures\n')), all);
  assert.deepEqual(orders(steps.replace(/^(\d)\. /gm, '**Schritt $1 – ** ')), all);
  assert.deepEqual(orders(steps.replace(/^(\d)\. /gm, '第 $1 步：')), all);
  assert.deepEqual(orders(steps.replaceAll('\n', '\n\n')), all);
  assert.deepEqual(orders(steps.replace('`saveState`.', '`saveState`, once `sendNotice` was tried.')), [
    'getParcel saveState',
  ]);
  assert.deepEqual(
    orders(`${steps}\n\nWhere it is said so, \`sendNotice\` comes first, and then \`saveState\`.`),
    all.slice(0, 2),
    'said both ways',
  );
});

const limits = `A ping extends a session with \`extend\`. It is read with \`readSession\`.
- NO_SESSION: there is no such session.
- TOO_MANY: it was extended 100 times or more.
- DOWN: a tool fails.`;

/** A store that extends sessions. */
const store = (rules = limits): Agreed => ({
  rules,
  request: object({ id: text }),
  response: object({ result: { enum: ['alive', 'denied'] }, reason: text, until: integer }, ['reason', 'until']),
  cases: [
    [{ id: 'se-71' }, { result: 'alive', until: 7_200 }],
    [{ id: 'se-79' }, { result: 'denied', reason: 'NO_SESSION' }],
  ],
  tools: [
    reading('readSession', object({ id: text }), { type: ['object', 'null'] }, [
      [{ id: 'se-71' }, { used: 12 }],
      [{ id: 'se-79' }, null],
    ]),
    acting('extend', object({ id: text }), object({ until: integer }), [[{ id: 'se-71' }, { until: 7_200 }]]),
    acting('takeBack', object({ id: text }), object({}), [[{ id: 'se-71' }, {}]]),
  ],
});
const pinged = (...then: string[]) => `export async function handle({ id }, { call }) {
  const denied = (reason) => ({ result: 'denied', reason });
  try {
    const session = await call.readSession({ id });
    if (session === null) return denied('NO_SESSION');
    ${then.join('\n    ')}
    return { result: 'alive', until };
  } catch {
    return denied('DOWN');
  }
}`;
const extend = 'const { until } = await call.extend({ id });';
const check = "if (session.used >= 100) return denied('TOO_MANY');";

test('nothing is done for a request that is refused for what was known before', async () => {
  assert.deepEqual(await refusalsOf(store(), pinged(check, extend), sandbox), []);
  const early =
    /^rare-worlds: case 1, with readSession telling \d+ at \/used: it is refused for what was known before extend acts/m;
  assert.match((await refusalsOf(store(), pinged(extend, check), sandbox)).join('\n'), early);
  const undone = "if (session.used >= 100) { await call.takeBack({ id }); return denied('TOO_MANY'); }";
  assert.match((await refusalsOf(store(), pinged(extend, undone), sandbox)).join('\n'), early, 'and undone');
});

test('what the document has done with every request is done with one that is refused', async () => {
  const always = `${limits}\nEvery ping, refused or not, is counted with \`extend\`; its session must be there.`;
  assert.deepEqual(await refusalsOf(store(always), pinged(extend, check), sandbox), []);
});

test('a text that cases have without an act is no answer to a request that was acted on', async () => {
  const loans: Agreed = {
    rules:
      'A line `LOAN <card>` is answered `GIVEN <number>` or `SORRY <why>`: unknown if `reader` has no such card, quota from five loans on. The loan is made with `lend`. Where a tool fails, the answer is `OUTAGE`.',
    cases: [
      ['LOAN L-0412', 'GIVEN P-20881'],
      ['LOAN L-0999', 'SORRY unknown'],
    ],
    tools: [
      reading('reader', object({ card: text }), { type: ['object', 'null'] }, [
        [{ card: 'L-0412' }, { loans: 2 }],
        [{ card: 'L-0999' }, null],
      ]),
      acting('lend', object({ card: text }), object({ number: text }), [[{ card: 'L-0412' }, { number: 'P-20881' }]]),
    ],
  };
  const lending = (...then: string[]) => `export async function handle(line, { call }) {
  const card = /^LOAN (\\S+)$/.exec(line)?.[1];
  if (card === undefined) return 'SORRY unknown';
  try {
    const reader = await call.reader({ card });
    if (reader === null) return 'SORRY unknown';
    ${then.join('\n    ')}
    return 'GIVEN ' + loan.number;
  } catch {
    return 'OUTAGE';
  }
}`;
  const [lend, quota] = ['const loan = await call.lend({ card });', "if (reader.loans >= 5) return 'SORRY quota';"];
  assert.deepEqual(await refusalsOf(loans, lending(quota, lend), sandbox), []);
  assert.match(
    (await refusalsOf(loans, lending(lend, quota), sandbox)).join('\n'),
    /^rare-worlds: case 1, with reader telling \d+ at \/loans: it is refused/m,
  );
});

test('an answer that tells what refusals tell is one, whatever its name', async () => {
  const moves: Agreed = {
    rules: `A sample is read with \`getSample\`, its place with \`getPlace\`; it is moved with \`moveSample\`.
- UNKNOWN_SAMPLE: there is no such sample.
- PLACE_FULL: the place has no room.
- LAB_DOWN: a tool fails.`,
    request: object({ code: text, place: text }),
    response: object({ outcome: text, from: text }, ['from']),
    cases: [
      [
        { code: 'S-71', place: 'fridge' },
        { outcome: 'MOVED', from: 'bench-7' },
      ],
      [{ code: 'S-79', place: 'fridge' }, { outcome: 'UNKNOWN_SAMPLE' }],
    ],
    tools: [
      reading('getSample', object({ code: text }), { type: ['object', 'null'] }, [
        [{ code: 'S-71' }, { at: 'bench-7' }],
        [{ code: 'S-79' }, null],
      ]),
      reading('getPlace', object({ place: text }), object({ room: integer }), [[{ place: 'fridge' }, { room: 14 }]]),
      acting('moveSample', object({ code: text, place: text }), object({}), [[{ code: 'S-71', place: 'fridge' }, {}]]),
    ],
  };
  const moved = (...then: string[]) => `export async function handle({ code, place }, { call }) {
  try {
    const sample = await call.getSample({ code });
    if (sample === null) return { outcome: 'UNKNOWN_SAMPLE' };
    const { room } = await call.getPlace({ place });
    ${then.join('\n    ')}
    return { outcome: 'MOVED', from: sample.at };
  } catch {
    return { outcome: 'LAB_DOWN' };
  }
}`;
  const [move, full] = ['await call.moveSample({ code, place });', "if (room < 1) return { outcome: 'PLACE_FULL' };"];
  assert.deepEqual(await refusalsOf(moves, moved(full, move), sandbox), []);
  assert.match(
    (await refusalsOf(moves, moved(move, full), sandbox)).join('\n'),
    /^rare-worlds: case 1, with getPlace telling 0 at \/room: it is refused/m,
  );
});

test('a refusal that shares its word with others is not that of which the document speaks', async () => {
  const keeping: Agreed = {
    rules: `Der Zustand wird mit \`setzeZustand\` gesetzt. Nur die Person, die \`leseAuftrag\` nennt, darf das, sonst lautet der Grund KEIN_RECHT.
- Scheitert \`leseAuftrag\`: abgelehnt mit SYSTEMFEHLER.
- Scheitert \`setzeZustand\`: abgelehnt mit NICHT_GESPEICHERT.`,
    request: object({ nummer: text, person: text }),
    response: object({ ergebnis: { enum: ['GESETZT', 'ABGELEHNT'] }, grund: text }, ['grund']),
    cases: [
      [{ nummer: 'WA-71', person: 'm.aydin' }, { ergebnis: 'GESETZT' }],
      [
        { nummer: 'WA-71', person: 'k.olsen' },
        { ergebnis: 'ABGELEHNT', grund: 'KEIN_RECHT' },
      ],
      [
        { nummer: 'WA-79', person: 'k.olsen' },
        { ergebnis: 'ABGELEHNT', grund: 'UNBEKANNT' },
      ],
    ],
    tools: [
      reading('leseAuftrag', object({ nummer: text }), { type: ['object', 'null'] }, [
        [{ nummer: 'WA-71' }, { person: 'm.aydin' }],
        [{ nummer: 'WA-79' }, null],
      ]),
      acting('setzeZustand', object({ nummer: text }), object({ version: integer }), [
        [{ nummer: 'WA-71' }, { version: 12 }],
      ]),
    ],
  };
  const setting = (...then: string[]) => `export async function handle({ nummer, person }, { call }) {
  const nein = (grund) => ({ ergebnis: 'ABGELEHNT', grund });
  let auftrag;
  try { auftrag = await call.leseAuftrag({ nummer }); } catch { return nein('SYSTEMFEHLER'); }
  if (auftrag === null) return nein('UNBEKANNT');
  ${then.join('\n  ')}
  return { ergebnis: 'GESETZT' };
}`;
  const [setze, recht] = [
    "try { await call.setzeZustand({ nummer }); } catch { return nein('NICHT_GESPEICHERT'); }",
    "if (auftrag.person !== person) return nein('KEIN_RECHT');",
  ];
  assert.deepEqual(await refusalsOf(keeping, setting(recht, setze), sandbox), []);
  assert.match(
    (await refusalsOf(keeping, setting(setze, recht), sandbox)).join('\n'),
    /^side-effects: case 2: it is refused, yet setzeZustand was called/m,
  );
});

test('what something that was acted on has as well is no act', async () => {
  const freezing: Agreed = {
    rules:
      'The member is read with `getMember`. A member who owes money is refused with the code 402. The freeze is made with `freezeMembership`. A frozen membership also has `freezeId`; a refused one has code. If a tool fails, the code is 503.',
    request: object({ id: text }),
    response: object({ status: { enum: ['frozen', 'refused'] }, freezeId: text, code: integer }, ['freezeId', 'code']),
    cases: [
      [{ id: 'KY-20711' }, { status: 'frozen', freezeId: 'F-8812' }],
      [{ id: 'KY-41110' }, { status: 'refused', code: 402 }],
    ],
    tools: [
      reading('getMember', object({ id: text }), object({ owes: integer }), [
        [{ id: 'KY-20711' }, { owes: 0 }],
        [{ id: 'KY-41110' }, { owes: 40 }],
      ]),
      acting('freezeMembership', object({ id: text }), object({ freezeId: text }), [
        [{ id: 'KY-20711' }, { freezeId: 'F-8812' }],
        [{ id: 'KY-41110' }, { freezeId: 'F-8819' }],
      ]),
    ],
  };
  const frozen = (...then: string[]) => `export async function handle({ id }, { call }) {
  try {
    const { owes } = await call.getMember({ id });
    ${then.join('\n    ')}
    return { status: 'frozen', freezeId };
  } catch {
    return { status: 'refused', code: 503 };
  }
}`;
  const [freeze, check] = [
    'const { freezeId } = await call.freezeMembership({ id });',
    "if (owes > 0) return { status: 'refused', code: 402 };",
  ];
  assert.deepEqual(await refusalsOf(freezing, frozen(check, freeze), sandbox), []);
  assert.match((await refusalsOf(freezing, frozen(freeze, check), sandbox)).join('\n'), /^side-effects: case 2: /m);
});
