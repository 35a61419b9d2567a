import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { type Agreed, acting, integer, object, reading, refusalsOf, text } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

/** Claims that are paid out, of which the register is written: what a rule says of writing it, and how often it is tried. */
const claims = (rule: string): Agreed => ({
  rules: `\`readClaim\` tells what a claim comes to. It is paid with \`payOut\`, and \`writeRegister\` is called with it. An unknown claim is "unknown". If \`readClaim\` or \`payOut\` fails, the state is "broken". ${rule}`,
  request: object({ claim: text }),
  response: object({ claim: text, state: { enum: ['paid', 'unknown', 'broken'] } }),
  tools: [
    reading(
      'readClaim',
      object({ claim: text }),
      { type: ['integer', 'null'] },
      [
        [{ claim: 'cl-501' }, 4200],
        [{ claim: 'cl-502' }, 910],
      ],
      null,
    ),
    acting('payOut', object({ claim: text, cents: integer }), { type: 'null' }, [], null),
    acting('writeRegister', object({ claim: text }), { type: 'null' }, [], null),
  ],
  cases: [
    [{ claim: 'cl-501' }, { claim: 'cl-501', state: 'paid' }],
    [{ claim: 'cl-502' }, { claim: 'cl-502', state: 'paid' }],
    [{ claim: 'cl-999' }, { claim: 'cl-999', state: 'unknown' }],
  ],
});

const paying = (pay: string, write: string) => `export async function handle({ claim: given }, { call }) {
  const claim = String(given);
  const twice = async (act) => { try { await act(); } catch { await act(); } };
  const once = (act) => act();
  let cents;
  try { cents = await call.readClaim({ claim }); } catch { return { claim, state: 'broken' }; }
  if (cents === null) return { claim, state: 'unknown' };
  try { await ${pay}(() => call.payOut({ claim, cents })); } catch { return { claim, state: 'broken' }; }
  try { await ${write}(() => call.writeRegister({ claim })); } catch { }
  return { claim, state: 'paid' };
}`;

for (const rule of [
  'En cas de panne de `writeRegister` on recommence une fois ; si cela échoue encore, tant pis.',
  'Scheitert `writeRegister`, wird es einmal wiederholt.',
  'Si `writeRegister` falla, se repite una vez.',
  'writeRegister 失败时再试一次。',
  'Writing the register with `writeRegister` is moody, so if it does not work we give it one more go.',
  'La scrittura con `writeRegister` è importante: si tenta fino a due volte in tutto.',
  '`payOut` is called once. The register, `writeRegister`, may need several attempts.',
  '\n\n| Panne de | Nouvel essai |\n|---|---|\n| `payOut` | jamais |\n| `writeRegister` | jusqu’à deux, facultatifs |',
  '`writeRegister` may be repeated once or twice, at the discretion of the provider.',
])
  test(`what may be tried again is tried again: ${rule}`, async () =>
    assert.deepEqual(await refusalsOf(claims(rule), paying('once', 'twice'), sandbox), []));

for (const rule of [
  'Scheitert `writeRegister`, wird es einmal wiederholt. Scheitert `payOut`, ist der Stand "broken"; wiederholt wird es nicht.',
  'Si `writeRegister` échoue, on recommence une fois. Si `payOut` échoue : "broken", sans nouvelle tentative.',
  'If `writeRegister` fails, that does not matter.',
  '`payOut` is called exactly once. The register, `writeRegister`, may need several attempts.',
])
  test(`what may be tried again of one tool may not of another: ${rule}`, async () => {
    const refusals = await refusalsOf(claims(rule), paying('twice', 'twice'), sandbox);
    assert.match(refusals.join('\n'), /side-effects: case 1: payOut failed once and was called 2 times instead of 1/);
  });

/** Doors with an audit trail that matters for opening alone. */
const doors: Agreed = {
  rules: [
    'The provider reads the locker with `readLocker`. A wrong code is "wrong", and one audit entry "wrong" is written with `writeAudit`.',
    'The audit entries named so far are a courtesy: if writing one fails, the outcome stays what it was.',
    'If the code is right, an audit entry "opening" is written before the door is touched, and if that fails, the door stays shut and the outcome is "unavailable". Then `openDoor` is called, once: "open".',
    'If the locker cannot be read, or `openDoor` fails, the outcome is "unavailable".',
  ].join('\n'),
  request: object({ locker: text, code: text }),
  response: object({ locker: text, outcome: { enum: ['open', 'wrong', 'unavailable'] } }),
  tools: [
    reading('readLocker', object({ locker: text }), object({ code: text }), [
      [{ locker: 'lk-17' }, { code: '483201' }],
      [{ locker: 'lk-18' }, { code: '774120' }],
    ]),
    acting('writeAudit', object({ locker: text, event: text }), { type: 'null' }, [], null),
    acting('openDoor', object({ locker: text }), { type: 'null' }, [], null),
  ],
  cases: [
    [
      { locker: 'lk-17', code: '483201' },
      { locker: 'lk-17', outcome: 'open' },
    ],
    [
      { locker: 'lk-18', code: '000111' },
      { locker: 'lk-18', outcome: 'wrong' },
    ],
  ],
};

test('of one thing that a tool does it may matter whether it fails, and of another not', async () => {
  const careful = `export async function handle({ locker, code }, { call }) {
    try {
      const known = await call.readLocker({ locker: String(locker) });
      if (known.code !== code) {
        await call.writeAudit({ locker, event: 'wrong' }).catch(() => null);
        return { locker, outcome: 'wrong' };
      }
      await call.writeAudit({ locker, event: 'opening' });
      await call.openDoor({ locker });
      return { locker, outcome: 'open' };
    } catch { return { locker: String(locker), outcome: 'unavailable' }; }
  }`;
  assert.deepEqual(await refusalsOf(doors, careful, sandbox), []);
});

/** Fees of which refusals are counted. */
const fees: Agreed = {
  rules: [
    '1. The fee is looked up with findFee. If the look-up fails, the decision is SYSTEM.',
    '2. A fee of a customer who had two waivers is KEPT. Such refusals are counted: countRefusal is called once. If counting fails, it is not repeated and the decision stands.',
    '3. Any other fee is WAIVED; nothing is called for that.',
  ].join('\n'),
  request: object({ fee: text }),
  response: object({ fee: text, decision: { enum: ['KEPT', 'WAIVED', 'SYSTEM'] } }),
  tools: [
    reading('findFee', object({ fee: text }), object({ customer: text, waivers: integer }), [
      [{ fee: 'fee-31' }, { customer: 'Ada Lund', waivers: 0 }],
      [{ fee: 'fee-32' }, { customer: 'Bo Field', waivers: 2 }],
    ]),
    acting('countRefusal', object({ customer: text }), { type: 'null' }, [], null),
  ],
  cases: [
    [{ fee: 'fee-31' }, { fee: 'fee-31', decision: 'WAIVED' }],
    [{ fee: 'fee-32' }, { fee: 'fee-32', decision: 'KEPT' }],
  ],
};

test('a decision that stands is answered as if nothing had failed', async () => {
  const steady = `export async function handle({ fee: given }, { call }) {
    const fee = String(given);
    let found;
    try { found = await call.findFee({ fee }); } catch { return { fee, decision: 'SYSTEM' }; }
    if (found.waivers < 2) return { fee, decision: 'WAIVED' };
    await call.countRefusal({ customer: found.customer }).catch(() => null);
    return { fee, decision: 'KEPT' };
  }`;
  assert.deepEqual(await refusalsOf(fees, steady, sandbox), []);
});

/** Films of a genre without those that somebody has seen. */
const films: Agreed = {
  rules: [
    'We read what the user has seen (`watchedFilms`) and which films there are in the genre (`filmsOfGenre`). Films that were seen are dropped.',
    'Not knowing the user is no reason to give up: if the watched films cannot be read we go on as if nothing had been seen.',
    '# Error Handling',
    '- errorCode CATALOG_DOWN: the films of the genre cannot be read; films is empty then. Else errorCode is NONE',
  ].join('\n'),
  request: object({ user: text, genre: text }),
  response: object({
    user: text,
    films: { type: 'array', items: text },
    errorCode: { enum: ['NONE', 'CATALOG_DOWN'] },
  }),
  tools: [
    reading('watchedFilms', object({ user: text }), { type: 'array', items: text }, [
      [{ user: 'u-71' }, ['Glass Harbour']],
      [{ user: 'u-72' }, []],
    ]),
    reading('filmsOfGenre', object({ genre: text }), { type: 'array', items: text }, [
      [{ genre: 'noir' }, ['Glass Harbour', 'Low Tide']],
      [{ genre: 'western' }, ['Red Mesa']],
    ]),
  ],
  cases: [
    [
      { user: 'u-71', genre: 'noir' },
      { user: 'u-71', films: ['Low Tide'], errorCode: 'NONE' },
    ],
    [
      { user: 'u-72', genre: 'western' },
      { user: 'u-72', films: ['Red Mesa'], errorCode: 'NONE' },
    ],
  ],
};

const seeing = (unread: string) => `export async function handle({ user: given, genre }, { call }) {
  const user = String(given);
  let films;
  try { films = await call.filmsOfGenre({ genre: String(genre) }); } catch { return { user, films: [], errorCode: ${unread} }; }
  const seen = await call.watchedFilms({ user }).catch(() => []);
  return { user, films: films.filter((film) => !seen.includes(film)), errorCode: 'NONE' };
}`;

test('a tool that is named after a part of what fails is not meant where another is named after all of it', async () => {
  assert.deepEqual(await refusalsOf(films, seeing("'CATALOG_DOWN'"), sandbox), []);
  const refusals = await refusalsOf(films, seeing("'NONE'"), sandbox);
  assert.match(refusals.join('\n'), /failing-tools: case 1, where filmsOfGenre fails/);
});

const frame = (words: string) => Buffer.from(words).toString('base64');

/** Buoys that send frames in base64. */
const buoys: Agreed = {
  rules:
    'Messages are base64 of `device|sequence|value` and `device|sequence|word`. The reading is stored with `store`: ACK. If `store` fails: NAK:DOWN. A frame that cannot be read is answered with device `?`, sequence 0 and NAK:FRAME, and nothing is stored.',
  tools: [acting('store', object({ device: text, value: integer }), { type: 'null' }, [], null)],
  cases: [
    [frame('BUOY7|41|205'), frame('BUOY7|41|ACK')],
    [frame('NORTH2|9|-31'), frame('NORTH2|9|ACK')],
    [frame('NORTH2;9'), frame('?|0|NAK:FRAME')],
  ],
};

const radio = (down: string) => `const A = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const decode = (text) => {
  if (typeof text !== 'string' || !/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)) return '';
  const bits = [...text.replace(/=+$/, '')].map((sign) => A.indexOf(sign).toString(2).padStart(6, '0')).join('');
  return (bits.match(/.{8}/g) ?? []).map((byte) => String.fromCharCode(parseInt(byte, 2))).join('');
};
const encode = (text) => {
  const bits = [...text].map((sign) => sign.charCodeAt(0).toString(2).padStart(8, '0')).join('');
  const signs = (bits.match(/.{1,6}/g) ?? []).map((six) => A[parseInt(six.padEnd(6, '0'), 2)]).join('');
  return signs + '='.repeat((4 - (signs.length % 4)) % 4);
};
export async function handle(request, { call }) {
  const [, device, sequence, value] = /^([A-Z0-9]{3,8})\\|(\\d{1,5})\\|(-?\\d{1,5})$/.exec(decode(request)) ?? [];
  if (device === undefined) return encode('?|0|NAK:FRAME');
  try { await call.store({ device, value: Number(value) }); } catch { return encode(device + '|' + sequence + '|${down}'); }
  return encode(device + '|' + sequence + '|ACK');
}`;

test('a frame in base64 is read for the name of a failure, and is no id', async () => {
  assert.deepEqual(await refusalsOf(buoys, radio('NAK:DOWN'), sandbox), []);
  const refusals = await refusalsOf(buoys, radio('ACK'), sandbox);
  assert.match(refusals.join('\n'), /failing-tools: case 1, where store fails/);
});

/** A phonebook whose failures are told by a member that is null, with another beside it. */
const phonebook: Agreed = {
  rules: [
    '- `found: true` travels with `person`.',
    '- `found: false` is the answer for a number that nobody has.',
    '- `found: null` means that we cannot say. It travels with `retry`: `true` if the directory failed, `false` if the request did not fit its schema.',
  ].join('\n'),
  request: object({ ref: text, number: text }),
  response: object({ ref: text, found: { type: ['boolean', 'null'] }, person: text, retry: { type: 'boolean' } }, [
    'person',
    'retry',
  ]),
  tools: [
    reading(
      'directoryEntry',
      object({ number: text }),
      { type: ['string', 'null'] },
      [[{ number: 'n-440' }, 'Mia Holt']],
      null,
    ),
  ],
  cases: [
    [
      { ref: 'a-1', number: 'n-440' },
      { ref: 'a-1', found: true, person: 'Mia Holt' },
    ],
    [
      { ref: 'a-2', number: 'n-900' },
      { ref: 'a-2', found: false },
    ],
  ],
};

test('a truth value without its member is no name of a failure', async () => {
  const honest = `export async function handle(request, { call }) {
    const ref = typeof request?.ref === 'string' ? request.ref : '';
    if (typeof request?.number !== 'string') return { ref, found: null, retry: false };
    let person;
    try { person = await call.directoryEntry({ number: request.number }); } catch { return { ref, found: null, retry: true }; }
    return person === null ? { ref, found: false } : { ref, found: true, person };
  }`;
  assert.deepEqual(await refusalsOf(phonebook, honest, sandbox), []);
});

for (const rule of [
  'A note may be added, but nothing from the failure itself.',
  'What the system said about its trouble stays with us.',
  'A note is optional. Don’t paste in what the store said.',
  'Einzelheiten der Störung werden nicht mitgeteilt.',
  'Une note est permise, mais sans détail technique.',
  '不得透露失败原因。',
  '障害の内容は書かない。',
])
  test(`nothing of what a failing tool says is told where the document has it so: ${rule}`, async () => {
    const agreed = (more: string): Agreed => ({
      ...fees,
      rules: `${fees.rules}\n4. ${more}`,
      response: object({ fee: text, decision: { enum: ['KEPT', 'WAIVED', 'SYSTEM'] }, note: text }, ['note']),
    });
    const noting = (note: string) => `export async function handle({ fee: given }, { call }) {
      const fee = String(given);
      let found;
      try { found = await call.findFee({ fee }); } catch (error) { return { fee, decision: 'SYSTEM', note: ${note} }; }
      if (found.waivers < 2) return { fee, decision: 'WAIVED' };
      await call.countRefusal({ customer: found.customer }).catch(() => null);
      return { fee, decision: 'KEPT' };
    }`;
    assert.deepEqual(await refusalsOf(agreed(rule), noting("'please ask later'"), sandbox), []);
    assert.deepEqual(await refusalsOf(agreed('A note may be added.'), noting('String(error.message)'), sandbox), []);
    const refusals = await refusalsOf(agreed(rule), noting('String(error.message)'), sandbox);
    assert.match(
      refusals.join('\n'),
      /failing-tools: case \d, where findFee fails: the answer repeats what the tool said/,
    );
  });

/** Meters that are locked while a reading is handed in; a reading below the last one is refused by the book. */
const meters: Agreed = {
  rules:
    'The meter is locked with `lockMeter`, the reading is booked with `bookReading`, which tells whether the book takes it, and the meter is unlocked with `unlockMeter`. A reading that the book does not take is refused. If `lockMeter` or `bookReading` fails the state is "later".',
  request: object({ meter: text, reading: integer }),
  response: object({ meter: text, state: { enum: ['booked', 'refused', 'later'] } }),
  tools: [
    acting('lockMeter', object({ meter: text }), { type: 'null' }, [], null),
    acting('bookReading', object({ meter: text, reading: integer }), { type: 'boolean' }, [
      [{ meter: 'WM-118', reading: 4402 }, true],
      [{ meter: 'WM-240', reading: 99 }, false],
    ]),
    acting('unlockMeter', object({ meter: text }), { type: 'null' }, [], null),
  ],
  cases: [
    [
      { meter: 'WM-118', reading: 4402 },
      { meter: 'WM-118', state: 'booked' },
    ],
    [
      { meter: 'WM-240', reading: 99 },
      { meter: 'WM-240', state: 'refused' },
    ],
  ],
};

test('what undoes an act on the same thing is no act of a refusal', async () => {
  const tidy = `export async function handle({ meter: given, reading }, { call }) {
    const meter = String(given);
    try { await call.lockMeter({ meter }); } catch { return { meter, state: 'later' }; }
    let taken;
    try { taken = await call.bookReading({ meter, reading }); } catch { taken = undefined; }
    await call.unlockMeter({ meter }).catch(() => null);
    return { meter, state: taken === undefined ? 'later' : taken ? 'booked' : 'refused' };
  }`;
  assert.deepEqual(
    (await refusalsOf(meters, tidy, sandbox)).filter((why) => why.includes('unlockMeter')),
    [],
  );
});

test('what an example of a tool has done for a refusal may be done in it', async () => {
  const codes: Agreed = {
    rules:
      'The challenge is read with `readChallenge`. A right code: `closeChallenge` is called, ok true. A wrong one: `burnTry` is called, ok false with left, one less than before; with none left, closeChallenge and raiseAlarm are called as well, whichever first. If a tool fails: ok false, left -1.',
    request: object({ ref: text, user: text, code: text }),
    response: object({ ref: text, ok: { type: 'boolean' }, left: integer }, ['left']),
    tools: [
      reading('readChallenge', object({ user: text }), object({ key: text, code: text, tries: integer }), [
        [{ user: 'kim' }, { key: 'ch-41', code: '204866', tries: 3 }],
        [{ user: 'lou' }, { key: 'ch-52', code: '530019', tries: 1 }],
      ]),
      acting('burnTry', object({ key: text }), { type: 'null' }, [[{ key: 'ch-52' }, null]]),
      acting('closeChallenge', object({ key: text }), { type: 'null' }, [
        [{ key: 'ch-41' }, null],
        [{ key: 'ch-52' }, null],
      ]),
      acting('raiseAlarm', object({ user: text }), { type: 'null' }, [[{ user: 'lou' }, null]]),
    ],
    cases: [
      [
        { ref: 'a-1', user: 'kim', code: '204866' },
        { ref: 'a-1', ok: true },
      ],
      [
        { ref: 'a-2', user: 'lou', code: '111111' },
        { ref: 'a-2', ok: false, left: 0 },
      ],
    ],
  };
  const proving = `export async function handle({ ref: given, user: who, code }, { call }) {
    const [ref, user] = [String(given), String(who)];
    try {
      const { key, code: own, tries } = await call.readChallenge({ user });
      if (own === code) { await call.closeChallenge({ key }); return { ref, ok: true }; }
      await call.burnTry({ key });
      const left = tries - 1;
      if (left === 0) { await call.raiseAlarm({ user }); await call.closeChallenge({ key }); }
      return { ref, ok: false, left };
    } catch { return { ref, ok: false, left: -1 }; }
  }`;
  assert.deepEqual(await refusalsOf(codes, proving, sandbox), []);
});

test('what declined is not among what nothing further happens of', async () => {
  const shows: Agreed = {
    rules:
      'The show is paid with `takePayment`. A receipt of null means that the bank declined: 402, and nothing further happens. Else the seat is booked with `bookSeat`: 200 with the seat. If a tool fails: 503.',
    request: object({ ref: text, cents: integer }),
    response: object({ ref: text, status: integer, seat: text }, ['seat']),
    tools: [
      acting('takePayment', object({ cents: integer }), object({ receipt: { type: ['string', 'null'] } }), [
        [{ cents: 2900 }, { receipt: 'rc-4410' }],
        [{ cents: 8700 }, { receipt: null }],
      ]),
      acting('bookSeat', object({ receipt: text }), object({ seat: text }), [
        [{ receipt: 'rc-4410' }, { seat: 'F-17' }],
      ]),
    ],
    cases: [
      [
        { ref: 'o-1', cents: 2900 },
        { ref: 'o-1', status: 200, seat: 'F-17' },
      ],
      [
        { ref: 'o-2', cents: 8700 },
        { ref: 'o-2', status: 402 },
      ],
    ],
  };
  const showing = `export async function handle({ ref: given, cents }, { call }) {
    const ref = String(given);
    try {
      const { receipt } = await call.takePayment({ cents });
      if (receipt === null) return { ref, status: 402 };
      return { ref, status: 200, seat: (await call.bookSeat({ receipt })).seat };
    } catch { return { ref, status: 503 }; }
  }`;
  assert.deepEqual(await refusalsOf(shows, showing, sandbox), []);
});
