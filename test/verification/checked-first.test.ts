import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { type Agreed, acting, object, reading, refusalsOf, text } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

/** Chimneys that are swept on a day with room for it, in German. */
const sweeps = (rule: string): Agreed => ({
  rules: `Die Kundennummer muss bekannt sein, sonst lautet das Ergebnis \`fremd\`. Am Tag muss noch Platz sein, sonst lautet es \`voll\`. ${rule} Das Ergebnis lautet dann \`angemeldet\`, und \`nummer\` nennt den Auftrag. Sonst ist \`nummer\` null.`,
  request: object({ id: text, kunde: text, tag: text }),
  response: object({
    id: text,
    ergebnis: { enum: ['angemeldet', 'fremd', 'voll', 'stoerung'] },
    nummer: { type: ['string', 'null'] },
  }),
  cases: [
    [
      { id: 'k-1', kunde: 'K-2204', tag: '2026-04-14' },
      { id: 'k-1', ergebnis: 'angemeldet', nummer: 'A-66102' },
    ],
    [
      { id: 'k-2', kunde: 'K-3071', tag: '2026-04-17' },
      { id: 'k-2', ergebnis: 'voll', nummer: null },
    ],
    [
      { id: 'k-3', kunde: 'K-0000', tag: '2026-04-14' },
      { id: 'k-3', ergebnis: 'fremd', nummer: null },
    ],
  ],
  tools: [
    reading(
      'kundeSuchen',
      object({ kunde: text }),
      { type: 'boolean' },
      [
        [{ kunde: 'K-2204' }, true],
        [{ kunde: 'K-3071' }, true],
      ],
      false,
    ),
    reading('tagesplan', object({ tag: text }), object({ frei: { type: 'boolean' } }), [
      [{ tag: '2026-04-14' }, { frei: true }],
      [{ tag: '2026-04-17' }, { frei: false }],
    ]),
    acting(
      'terminEintragen',
      object({ kunde: text, tag: text }),
      object({ nummer: text }),
      [[{ kunde: 'K-2204', tag: '2026-04-14' }, { nummer: 'A-66102' }]],
      { nummer: 'A-66999' },
    ),
  ],
});
const handler = (early: string, late: string, plan = 'await call.tagesplan({ tag })') =>
  `export async function handle(request, { call }) {
  const id = String(request.id), kunde = String(request.kunde), tag = String(request.tag);
  try {
    if (!(await call.kundeSuchen({ kunde }))) return { id, ergebnis: 'fremd', nummer: null };
    ${early}
    const { frei } = ${plan};
    if (!frei) return { id, ergebnis: 'voll', nummer: null };
    ${late}
    return { id, ergebnis: 'angemeldet', nummer };
  } catch { return { id, ergebnis: 'stoerung', nummer: null }; }
}`;
const act = 'const { nummer } = await call.terminEintragen({ kunde, tag });';
const rule = 'Erst wenn alle Prüfungen bestanden sind, wird der Termin eingetragen.';

test('what is done once all is checked is not done before, whatever the refusals are called', async () => {
  assert.deepEqual(await refusalsOf(sweeps(rule), handler('', act), sandbox), []);
  assert.match(
    (await refusalsOf(sweeps(rule), handler(act, ''), sandbox)).join('\n'),
    /^side-effects: case 2: the document has "Erst wenn alle Prüfungen/m,
  );
});

test('an answer that keeps back what an act told is no proof by itself', async () => {
  const plain = sweeps('Der Termin wird eingetragen.');
  assert.deepEqual(await refusalsOf(plain, handler(act, ''), sandbox), []);
});

test('one of the systems concerned is whichever tool it is', async () => {
  const agreed = sweeps(`${rule} Fällt eines der beteiligten Systeme aus, so lautet das Ergebnis \`stoerung\`.`);
  const hopeful = 'await call.tagesplan({ tag }).catch(() => ({ frei: true }))';
  assert.deepEqual(await refusalsOf(agreed, handler('', act), sandbox), []);
  assert.match(
    (await refusalsOf(agreed, handler('', act, hopeful), sandbox)).join('\n'),
    /^failing-tools: .*stoerung/m,
  );
});

/** Tours of a museum, of whose system no tool is named. */
const tours = (more = ''): Agreed => ({
  rules: `A ticket that is not valid: code BAD. A room that nobody knows: code LOST. "DOWN" is the code when the guide system does not answer. ${more}`,
  request: object({ id: text, ticket: text, room: text }),
  response: object({ id: text, code: text, title: { type: ['string', 'null'] } }),
  cases: [
    [
      { id: 't-1', ticket: 'T-40071', room: 'R-31' },
      { id: 't-1', code: 'FOUND', title: 'The globe of Gotha' },
    ],
    [
      { id: 't-2', ticket: 'T-00000', room: 'R-31' },
      { id: 't-2', code: 'BAD', title: null },
    ],
    [
      { id: 't-3', ticket: 'T-40071', room: 'R-99' },
      { id: 't-3', code: 'LOST', title: null },
    ],
  ],
  tools: [
    reading('ticket', object({ ticket: text }), { type: 'boolean' }, [[{ ticket: 'T-40071' }, true]], false),
    reading(
      'room',
      object({ room: text }),
      { type: ['string', 'null'] },
      [[{ room: 'R-31' }, 'The globe of Gotha']],
      null,
    ),
  ],
});
const touring = (unasked: string, title = 'null') => `export async function handle(request, { call }) {
  const id = String(request.id);
  try {
    const isValid = await call.ticket({ ticket: String(request.ticket) })${unasked};
    if (!isValid) return { id, code: 'BAD', title: null };
    const title = await call.room({ room: String(request.room) });
    return { id, code: title === null ? 'LOST' : 'FOUND', title };
  } catch (error) { return { id, code: 'DOWN', title: ${title} }; }
}`;

test('a system that no tool is named after may be that of all', async () => {
  assert.deepEqual(await refusalsOf(tours(), touring(''), sandbox), []);
  assert.match(
    (await refusalsOf(tours(), touring('.catch(() => false)'), sandbox)).join('\n'),
    /^failing-tools: .*DOWN/m,
  );
});

for (const denial of [
  'Details of the failure are not passed on.',
  'Fehlermeldungen der Systeme werden nicht weitergegeben.',
  '错误信息不得返回。',
])
  test(`what a failing tool says is not told: ${denial}`, async () => {
    assert.match(
      (await refusalsOf(tours(denial), touring('', 'error.message'), sandbox)).join('\n'),
      /^failing-tools: .*the answer repeats what the tool said, though "/m,
    );
    assert.deepEqual(await refusalsOf(tours(), touring('', 'error.message'), sandbox), []);
  });

/** Beds of a hut that are given back where no guide is free. */
const huts = (rule: string): Agreed => ({
  rules: `The beds are booked, then the guide. ${rule} If the beds cannot be booked: OFFLINE.`,
  request: object({ id: text, date: text }),
  response: object({ id: text, outcome: { enum: ['BOOKED', 'NO_GUIDE', 'OFFLINE'] }, beds: text }, ['beds']),
  cases: [
    [
      { id: 'h-1', date: '2026-07-11' },
      { id: 'h-1', outcome: 'BOOKED', beds: 'SK-3301' },
    ],
    [
      { id: 'h-2', date: '2026-07-12' },
      { id: 'h-2', outcome: 'NO_GUIDE' },
    ],
  ],
  tools: [
    acting('bookBeds', object({ date: text }), object({ number: text }), [
      [{ date: '2026-07-11' }, { number: 'SK-3301' }],
      [{ date: '2026-07-12' }, { number: 'SK-3302' }],
    ]),
    acting('bookGuide', object({ date: text }), object({ isFree: { type: 'boolean' } }), [
      [{ date: '2026-07-11' }, { isFree: true }],
      [{ date: '2026-07-12' }, { isFree: false }],
    ]),
    acting('cancelBeds', object({ number: text }), object({}), [[{ number: 'SK-3302' }, {}]], {}),
  ],
});
const booking = (failed: string) => `export async function handle(request, { call }) {
  const id = String(request.id), date = String(request.date);
  let number, guide;
  try { ({ number } = await call.bookBeds({ date })); } catch { return { id, outcome: 'OFFLINE' }; }
  try { guide = await call.bookGuide({ date }); } catch { ${failed} }
  if (guide?.isFree) return { id, outcome: 'BOOKED', beds: number };
  await call.cancelBeds({ number }).catch(() => null);
  return { id, outcome: 'NO_GUIDE' };
}`;
const leaving = booking("return { id, outcome: 'NO_GUIDE' };");

test('what a case undoes with an answer is undone with that answer where an act failed', async () => {
  const agreed = huts('If no guide is free or the booking fails, the beds are cancelled again: NO_GUIDE.');
  assert.deepEqual(await refusalsOf(agreed, booking(''), sandbox), []);
  assert.match(
    (await refusalsOf(agreed, leaving, sandbox)).join('\n'),
    /^side-effects: bookBeds acted and a later act failed, and cancelBeds is not called/m,
  );
});

test('what only one of two reasons has undone is left for the other', async () =>
  assert.deepEqual(
    await refusalsOf(huts('Where no guide is free, the beds are cancelled: NO_GUIDE.'), leaving, sandbox),
    [],
  ));

test('what a tool tells by yes and no alone matters where the cases have both', async () => {
  const deaf = '{ frei: Boolean(await call.tagesplan({ tag })) && !tag.endsWith("7") }';
  assert.match(
    (await refusalsOf(sweeps(rule), handler('', act, deaf), sandbox)).join('\n'),
    /^tool-influence: .*tagesplan is called, but nothing that it could answer changes the outcome, though the cases have it yes and no/m,
  );
});
