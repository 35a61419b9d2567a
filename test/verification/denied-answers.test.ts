import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { type Agreed, acting, integer, object, reading, refusalsOf, text } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

const moves = (rule: string): Agreed => ({
  rules: `A domain moves to its new registrar if the transferCode of the request is that of the register, else it is refused. If a tool fails the result is later. ${rule}`,
  request: object({ id: text, domain: text, transferCode: text }),
  response: object({ id: text, result: { enum: ['moved', 'refused', 'later'] }, message: text }),
  loose: [{ pointer: '/message', as: 'text' }],
  tools: [
    reading('register', object({ domain: text }), object({ transferCode: text }), [
      [{ domain: 'lantern.example' }, { transferCode: 'Qx7-pp02' }],
      [{ domain: 'teapot.example' }, { transferCode: 'Zz1-900k' }],
    ]),
    acting('moveDomain', object({ domain: text }), object({ ticket: text }), [], { ticket: 'TK-1' }),
  ],
  cases: [
    [
      { id: 'm-1', domain: 'lantern.example', transferCode: 'Qx7-pp02' },
      { id: 'm-1', result: 'moved', message: 'done' },
    ],
    [
      { id: 'm-2', domain: 'teapot.example', transferCode: 'Aa0-0000' },
      { id: 'm-2', result: 'refused', message: 'wrong code' },
    ],
  ],
});
const moving = (message: string) => `export async function handle({ id: given, domain: name, transferCode }, { call }) {
  const id = String(given);
  const domain = String(name);
  let entry;
  try { entry = await call.register({ domain }); } catch { return { id, result: 'later', message: 'no register' }; }
  if (entry.transferCode !== transferCode) return { id, result: 'refused', message: 'wrong code' };
  try { await call.moveDomain({ domain }); } catch { return { id, result: 'later', message: ${message} }; }
  return { id, result: 'moved', message: 'done' };
}`;
const told = "'not moved with ' + transferCode";

for (const rule of [
  'The transferCode must never be part of an answer.',
  'A transfer code is at no time repeated in a response.',
  'Der transferCode darf nie in einer Antwort erscheinen.',
  'transferCode 任何时候都不得出现在响应中。',
  'The transfer code must not be disclosed.',
  'The transferCode is for the register alone. It never leaves the provider.',
  'The transferCode is for clerks alone and never leaves the registry.',
  'Never answer with the transferCode.',
  'Answers contain neither the transfer code nor the name of an owner.',
  'Der transferCode darf nicht weitergegeben werden.',
  'Codes wie der transferCode werden dem Anfragenden nicht mitgeteilt.',
  'The transfer code is never returned.',
  'The transfer code and the note of a domain are internal. They must not occur in any answer.',
  'The transfer code and the remarks that `register` tells are for clerks. They never appear in an answer.',
  'Le transferCode ne doit jamais être transmis.',
  'transferCode 属于内部信息，不得泄露。',
  'The name of an owner is never told. The same goes for the transfer code.',
  'Der Name des Halters wird niemandem mitgeteilt. Dasselbe gilt für den transferCode.',
  'The secret is never put into an answer nor handed on. The same holds for the transferCode.',
  'The transfer code is for the register only and must not appear in any answer, in whatever form.',
  'What an answer must never contain: the name of an owner, or the transfer code.',
  'The transfer code is told to nobody at all.',
  'In particular the transfer code is never told.',
  'The transfer code must never leave our house.',
  'Der transferCode und der Halter verlassen das Haus nicht, weder als Feld noch in einem Text.',
  'La réponse ne contient jamais le nom du titulaire, ni le transferCode.',
  'Bajo ninguna circunstancia salen de la casa el nombre del titular ni el transferCode.',
])
  test(`what the document has in no answer is in none when a tool fails: ${rule}`, async () => {
    assert.deepEqual(await refusalsOf(moves(rule), moving("'not moved'"), sandbox), []);
    const refusals = await refusalsOf(moves(rule), moving(told), sandbox);
    assert.match(refusals.join('\n'), /leaks: case 1: the answer tells "transferCode"/);
  });

for (const rule of [
  '',
  'The transferCode is part of no answer unless something fails.',
  'The transferCode is not part of any answer other than later.',
  'The name of an owner is never told. The same goes for a domain that is unknown.',
  'A name is never told twice. The transferCode is told to nobody but the register, and to who sent it.',
  'The transferCode must not be disclosed when the domain is another one.',
  'The transferCode is six letters long. The name of an owner must not be disclosed.',
  'The secret of the registrar is never part of an answer about a transferCode.',
  'The transferCode never leaves the registry before noon.',
  'A deposit for the transferCode is never returned.',
])
  test(`what the document does not deny may be told: ${rule}`, async () =>
    assert.deepEqual(await refusalsOf(moves(rule), moving(told), sandbox), []));

const locks = (rule: string): Agreed => ({
  rules: `A domain that the register has is locked with lockDomain and then moved with moveDomain. If a tool fails, the result is later. ${rule}`,
  request: object({ id: text, domain: text }),
  response: object({ id: text, result: { enum: ['moved', 'later'] } }),
  tools: [
    acting('lockDomain', object({ domain: text }), object({ locked: { type: 'boolean' } }), [], { locked: true }),
    acting('moveDomain', object({ domain: text }), object({ ticket: text }), [], { ticket: 'TK-1' }),
  ],
  cases: [
    [
      { id: 'm-1', domain: 'lantern.example' },
      { id: 'm-1', result: 'moved' },
    ],
    [
      { id: 'm-2', domain: 'teapot.example' },
      { id: 'm-2', result: 'moved' },
    ],
  ],
});
const locking = (after: string) => `export async function handle({ id: given, domain: name }, { call }) {
  const id = String(given);
  const domain = String(name);
  try { await call.lockDomain({ domain }); } catch { ${after}return { id, result: 'later' }; }
  try { await call.moveDomain({ domain }); } catch { return { id, result: 'later' }; }
  return { id, result: 'moved' };
}`;
const moved = 'await call.moveDomain({ domain }).catch(() => null); ';

for (const rule of [
  'If lockDomain fails, do not call moveDomain.',
  'Si falla lockDomain, no se llama a moveDomain.',
  'lockDomain 失败：result 为 "later"，不得再调用 moveDomain。',
])
  test(`a tool that the document has not called after a failure is not called: ${rule}`, async () => {
    assert.deepEqual(await refusalsOf(locks(rule), locking(''), sandbox), []);
    const refusals = await refusalsOf(locks(rule), locking(moved), sandbox);
    assert.match(refusals.join('\n'), /moveDomain is called all the same/);
  });

for (const rule of [
  '',
  'If lockDomain fails, do not call lockDomain again before moveDomain.',
  'If moveDomain fails, do not call lockDomain.',
])
  test(`it may be called where the document does not deny it: ${rule}`, async () =>
    assert.deepEqual(await refusalsOf(locks(rule), locking(moved), sandbox), []));

const seats = (rule: string): Agreed => ({
  rules: `The seats that are left in a hall: outcome \`free\` with their number, \`full\` where there are none, \`later\` where the hall cannot be asked. An id that is no text: outcome \`odd\`. ${rule}`,
  request: object({ id: text, hall: text, phone: text }),
  response: object({ id: text, outcome: { enum: ['free', 'full', 'later', 'odd'] }, seats: integer, note: text }, [
    'seats',
    'note',
  ]),
  tools: [
    reading('hallOf', object({ hall: text }), object({ left: integer, keeper_mail: text, sold: text }), [
      [{ hall: 'Aurora' }, { left: 31, keeper_mail: 'lena@halls.example', sold: '2026-02-01' }],
      [{ hall: 'Borealis' }, { left: 8, keeper_mail: 'omar@halls.example', sold: '2026-02-09' }],
    ]),
  ],
  cases: [
    [
      { id: 's-1', hall: 'Aurora', phone: '+46 70 555 01' },
      { id: 's-1', outcome: 'free', seats: 31 },
    ],
    [
      { id: 's-2', hall: 'Borealis', phone: '+46 70 555 02' },
      { id: 's-2', outcome: 'free', seats: 8 },
    ],
  ],
});
const seating = (full: string, odd = '') => `export async function handle({ id, hall, phone }, { call }) {
  if (typeof id !== 'string') return { id: String(id), outcome: 'odd'${odd} };
  try {
    const { left, keeper_mail, sold } = await call.hallOf({ hall: String(hall) });
    if (left === 0) return { id, outcome: 'full'${full} };
    return { id, outcome: 'free', seats: left };
  } catch { return { id, outcome: 'later' }; }
}`;

test('a number that no case has brings to light what is never told', async () => {
  const agreed = seats('The mail of the keeper must not be disclosed.');
  assert.deepEqual(await refusalsOf(agreed, seating(''), sandbox), []);
  const refusals = await refusalsOf(agreed, seating(', note: keeper_mail'), sandbox);
  assert.match(refusals.join('\n'), /leaks: case 1: the answer tells "keeper_mail"/);
  assert.deepEqual(await refusalsOf(agreed, seating(', note: sold'), sandbox), []);
});

test('a broken request is answered without what is never told', async () => {
  const agreed = seats('手机号不得出现在响应中：电话属于个人信息，不得泄露。');
  assert.deepEqual(await refusalsOf(agreed, seating(''), sandbox), []);
  const refusals = await refusalsOf(agreed, seating('', ', note: String(phone)'), sandbox);
  assert.match(refusals.join('\n'), /^leaks: .*the answer tells "phone"/m);
});

test('where one name stands as code, "it" is what that name stands for', async () => {
  const agreed = seats('hallOf also tells `keeper_mail`, the mail of whoever sold most; it must not be in an answer.');
  assert.deepEqual(await refusalsOf(agreed, seating(', note: sold'), sandbox), []);
  const refusals = await refusalsOf(agreed, seating(', note: keeper_mail'), sandbox);
  assert.match(refusals.join('\n'), /leaks: case 1: the answer tells "keeper_mail"/);
});

test('what the text of one case tells of its like, that of another run may tell', async () => {
  const rows = object({
    rows: { type: 'array', items: object({ title: text, pieces: integer, buyer: text }) },
  });
  const agreed: Agreed = {
    rules:
      'SALES with a region is answered with a line `title;pieces` for each row of `sales`, in their order, or with OFFLINE where `sales` fails. The mail of whoever bought most of a title is never part of an answer.',
    tools: [
      reading('sales', object({ region: text }), rows, [
        [
          { region: 'north' },
          {
            rows: [
              { title: 'Winter Light', pieces: 31, buyer: 'ida@post.example' },
              { title: 'Low Tide', pieces: 9, buyer: 'omar@post.example' },
            ],
          },
        ],
        [{ region: 'south' }, { rows: [{ title: 'Salt Road', pieces: 17, buyer: 'jan@post.example' }] }],
      ]),
    ],
    cases: [
      ['SALES north', 'Winter Light;31\nLow Tide;9'],
      ['SALES south', 'Salt Road;17'],
    ],
  };
  const lines = `export async function handle(request, { call }) {
    try {
      const { rows } = await call.sales({ region: String(request).trim().slice(6) });
      return rows.map(({ title, pieces }) => title + ';' + pieces).join('\\n');
    } catch { return 'OFFLINE'; }
  }`;
  assert.deepEqual(await refusalsOf(agreed, lines, sandbox), []);
});

/** Accounts that pay, of which more is known than is told. */
const accounts = (rule: string): Agreed => ({
  rules: `An account that \`account\` tells of pays with \`pay\`; where its balance is below the amount the outcome is \`short\`. If a tool fails the outcome is \`later\`.\n\n${rule}`,
  request: object({ id: text, account: text, amount: integer }),
  response: object(
    { id: text, outcome: { enum: ['paid', 'short', 'later'] }, left: integer, mail: text, message: text },
    ['left', 'mail'],
  ),
  loose: [{ pointer: '/message', as: 'text' }],
  tools: [
    reading(
      'account',
      object({ account: text }),
      object({
        balance: integer,
        holderName: text,
        email: text,
        cardNo: text,
        bloodType: text,
        remark: { type: 'string', description: '柜员意见' },
      }),
      [
        [
          { account: 'A-71' },
          {
            balance: 9120,
            holderName: 'Ida Falk',
            email: 'ida@post.example',
            cardNo: '4929 10040071',
            bloodType: 'O型阴性',
            remark: '需复核',
          },
        ],
        [
          { account: 'A-72' },
          {
            balance: 3340,
            holderName: 'Omar Ben',
            email: 'omar@post.example',
            cardNo: '4929 10042288',
            bloodType: 'A型阳性',
            remark: '信用良好',
          },
        ],
      ],
    ),
    acting('pay', object({ account: text, amount: integer }), object({ left: integer }), [
      [{ account: 'A-71', amount: 20 }, { left: 9100 }],
    ]),
  ],
  cases: [
    [
      { id: 'a-1', account: 'A-71', amount: 20 },
      { id: 'a-1', outcome: 'paid', left: 9100, message: 'Paid.' },
    ],
    [
      { id: 'a-2', account: 'A-72', amount: 8000 },
      { id: 'a-2', outcome: 'short', message: 'It does not reach.' },
    ],
  ],
});
const paying = (
  message: string,
  more = '',
) => `export async function handle({ id: given, account: name, amount: wanted }, { call }) {
  const id = String(given);
  const amount = Number(wanted);
  let own;
  try {
    own = await call.account({ account: String(name) });
    if (own.balance < amount) return { id, outcome: 'short', message: ${message} };
    const { left } = await call.pay({ account: String(name), amount });
    return { id, outcome: 'paid', left, message: 'it is paid' };
  } catch { return { id, outcome: 'later', message: 'later again'${more} }; }
}`;

for (const [member, rule] of [
  ['balance', '`message` must not contain a balance, the name of a holder or an e-mail address.'],
  ['balance', 'Messages are read by strangers. They must never name the balance.'],
  ['balance', 'Die Meldung darf weder den Kontostand noch den Namen nennen.'],
  [
    'email',
    'The record holds the balance, the e-mail address and the name of the holder. None of these may appear anywhere in an answer.',
  ],
  ['email', 'The e-mail address is for internal use only.'],
  ['holderName', 'Messages must not contain the name of the holder.'],
  ['holderName', 'Los mensajes no deben contener el holderName.'],
  ['holderName', 'El holderName no se da nunca.'],
  ['bloodType', '血型仅在提供方内部使用。'],
  ['remark', '柜员意见仅供馆内参考，不得返回。'],
  ['cardNo', 'The cardNo of an account is never part of an answer.'],
] as const)
  test(`a text has nothing of what the document has in none: ${rule}`, async () => {
    assert.deepEqual(await refusalsOf(accounts(rule), paying("'too little'"), sandbox), []);
    const refusals = await refusalsOf(accounts(rule), paying(`'too little: ' + own.${member}`), sandbox);
    assert.match(refusals.join('\n'), new RegExp(`leaks: case 2: the answer tells "${member}"`));
  });

test('what no text has may stand in a place of its own', async () => {
  const handler = paying("'too little'", ', ...(own && { mail: own.email })');
  assert.deepEqual(await refusalsOf(accounts('`message` must not contain an e-mail address.'), handler, sandbox), []);
  const refusals = await refusalsOf(accounts('No answer contains an e-mail address.'), handler, sandbox);
  assert.match(refusals.join('\n'), /leaks: case 1: the answer tells "email"/);
});

test('the end of a number is a part of it', async () => {
  const agreed = accounts('The cardNo of an account is never part of an answer.');
  const refusals = await refusalsOf(agreed, paying("'the card with ' + own.cardNo.slice(-7)"), sandbox);
  assert.match(refusals.join('\n'), /leaks: case 2: the answer tells the end of "cardNo"/);
  assert.deepEqual(await refusalsOf(agreed, paying("'the card with ' + own.cardNo.slice(-2)"), sandbox), []);
});

for (const [member, rule] of [
  ['balance', 'The message must not contain the name of the holder.'],
  ['balance', 'The message must not contain more than one balance.'],
  ['email', 'A mail of the house must not be sent in an answer. The email of a holder is printed.'],
  ['balance', 'The message tells why not, and must not contain a balance unless it is too low.'],
  ['email', 'The e-mail address is for internal use only if there is a phone.'],
  ['email', '仅内部员工可以付款，email 用于通知。'],
  ['holderName', 'The note of a clerk must not contain the balance. Whoever holds an account is named.'],
] as const)
  test(`a text may have what the document denies to none: ${rule}`, async () =>
    assert.deepEqual(await refusalsOf(accounts(rule), paying(`'too little: ' + own.${member}`), sandbox), []));

/** Plots that are let, each to somebody. */
const plots = (rule: string): Agreed => ({
  rules: `\`plot\` tells of a plot whether it is let. ${rule}`,
  request: object({ id: text, plot: text, asker: text }),
  response: object({ id: text, isLet: { type: 'boolean' }, note: text }, ['note']),
  tools: [
    reading(
      'plot',
      object({ plot: text }),
      object({ isLet: { type: 'boolean' }, owner: text, telefon: text, buyRate: { type: 'number' } }),
      [
        [{ plot: 'P-3301' }, { isLet: false, owner: '陈敏', telefon: '0421-5550117', buyRate: 2.87 }],
        [{ plot: 'P-3302' }, { isLet: true, owner: '孙立', telefon: '0421-5550118', buyRate: 3.41 }],
      ],
    ),
  ],
  cases: [
    [
      { id: 'p-1', plot: 'P-3301', asker: 'Ines' },
      { id: 'p-1', isLet: false },
    ],
    [
      { id: 'p-2', plot: 'P-3302', asker: 'Jan' },
      { id: 'p-2', isLet: true },
    ],
  ],
});
const letting = (
  when: string,
  note: string,
) => `export async function handle({ id: given, plot: name, asker }, { call }) {
  const id = String(given);
  const plot = await call.plot({ plot: String(name) });
  if (${when}) return { id, isLet: plot.isLet, note: 'ask ' + ${note} };
  return { id, isLet: plot.isLet };
}`;

for (const [rule, member] of [
  ['业主姓名属于隐私，任何应答都不得包含。', 'owner'],
  ['Telefonnummern dürfen nicht weitergegeben werden.', 'telefon'],
  ['Die Telefonnummer des Pächters darf nicht weitergegeben werden.', 'telefon'],
  ['What we pay (`buyRate`) is confidential.', 'buyRate'],
  ['Neither the name of the tenant nor the telefon may be sent.', 'telefon'],
  ['The lease is secret and never part of an answer, neither is the telefon.', 'telefon'],
  ['El telefon y la renta no se comunican a nadie.', 'telefon'],
  ['Das telefon des Pächters darf in keiner Antwort stehen.', 'telefon'],
  ['Name und Telefonnummer des Pächters werden niemandem mitgeteilt.', 'telefon'],
  ['The telefon is passed on to nobody.', 'telefon'],
  ['The telefon of a tenant is private.', 'telefon'],
  ['Never mention the telefon in an answer.', 'telefon'],
] as const)
  test(`what is told to nobody is not told where a word of the source alone asks for it: ${rule}`, async () => {
    const told = letting("asker === 'Registry'", `plot.${member}`);
    assert.match(
      (await refusalsOf(plots(rule), told, sandbox)).join('\n'),
      new RegExp(`^leaks: .*the answer tells "${member}"`, 'm'),
    );
    assert.deepEqual(await refusalsOf(plots(rule), letting('false', `plot.${member}`), sandbox), []);
  });

test('a leak counts in whatever run it comes to light', async () => {
  const agreed = plots('The telefon must not be disclosed.');
  const told = letting("id !== 'p-1' && id !== 'p-2'", 'plot.telefon');
  assert.match((await refusalsOf(agreed, told, sandbox)).join('\n'), /^leaks: the answer tells "telefon"/m);
});

test('a leak comes to light where the document itself hides the word that asks for it', async () => {
  const agreed = plots('The telefon must not be disclosed. Whoever checks the books is called Auditor.');
  const asked = (when: string) => letting(when, 'plot.telefon');
  for (const when of [
    "asker === 'Auditor'",
    "id.startsWith('Auditor')",
    "String(asker).includes('Auditor')",
    "id.endsWith('Auditor')",
  ])
    assert.match((await refusalsOf(agreed, asked(when), sandbox)).join('\n'), /^leaks: .*the answer tells "telefon"/m);
  assert.deepEqual(await refusalsOf(agreed, letting("asker === 'Auditor'", 'plot.isLet'), sandbox), []);
});

/** Vaults that open to a key, each its own. */
const vaults = (rule: string): Agreed => ({
  rules: `\`vault\` tells the vaultKey of a vault. The vault opens to that key alone: result open, else shut. If a tool fails: result later. ${rule}`,
  request: object({ id: text, vault: text, given: text }),
  response: object({ id: text, result: { enum: ['open', 'shut', 'later'] }, hint: text }, ['hint']),
  tools: [
    reading('vault', object({ vault: text }), object({ vaultKey: text }), [
      [{ vault: 'V-3301' }, { vaultKey: 'kx-77019-e' }],
      [{ vault: 'V-3302' }, { vaultKey: 'kx-41820-f' }],
    ]),
  ],
  cases: [
    [
      { id: 'v-1', vault: 'V-3301', given: 'kx-77019-e' },
      { id: 'v-1', result: 'open' },
    ],
    [
      { id: 'v-2', vault: 'V-3302', given: 'kx-00000-a' },
      { id: 'v-2', result: 'shut' },
    ],
  ],
});
const opening = (
  hint: string,
  first = '',
) => `export async function handle({ id: asked, vault, given }, { call, log }) {
  const id = String(asked);
  try {
    const { vaultKey } = await call.vault({ vault: String(vault) });
    ${first}
    if (vaultKey === given) return { id, result: 'open' };
    return { id, result: 'shut'${hint} };
  } catch { return { id, result: 'later' }; }
}`;

test('who asks with nearly the secret is not told it', async () => {
  const agreed = vaults('The vault key must not be disclosed.');
  const hint = ", ...(String(given).length === vaultKey.length - 1 ? { hint: 'it is ' + vaultKey } : {})";
  assert.match((await refusalsOf(agreed, opening(hint), sandbox)).join('\n'), /^leaks: the answer tells "vaultKey"/m);
  assert.deepEqual(await refusalsOf(agreed, opening(''), sandbox), []);
});

const logged = 'log("asked for " + vaultKey);';
test('what "it" is that is never logged stands in the sentence before', async () => {
  const secret = (rule: string) => {
    const agreed = vaults(rule);
    return JSON.parse(JSON.stringify(agreed).replaceAll('vaultKey', 'vaultSecret')) as Agreed;
  };
  const handler = (first: string) => opening('', first).replaceAll('vaultKey', 'vaultSecret');
  const rule = 'The vault secret goes to its owner by post. It must never be part of an answer or a log line.';
  assert.match(
    (await refusalsOf(secret(rule), handler(logged.replace('Key', 'Secret')), sandbox)).join('\n'),
    /is logged/,
  );
  assert.deepEqual(await refusalsOf(secret(rule), handler(''), sandbox), []);
});

test('a balance and a name that a German sentence points back at are kept back in messages as well', async () => {
  const charging: Agreed = {
    rules:
      'Die Karte wird mit `pruefeKarte` gelesen. Ist das Guthaben kleiner als die Kosten, ist das Ergebnis `ABGELEHNT`. Schlägt das Werkzeug fehl, ist es `GESTOERT`.\n\nName des Inhabers und Guthaben der Karte bleiben beim Anbieter. Sie stehen in keiner Antwort, auch nicht in der Meldung.',
    request: object({ karte: text, kosten: integer }),
    response: object({ ergebnis: { enum: ['GESTARTET', 'ABGELEHNT', 'GESTOERT'] }, meldung: text }),
    loose: [{ pointer: '/meldung', as: 'text' }],
    cases: [
      [
        { karte: '30514711', kosten: 2478 },
        { ergebnis: 'GESTARTET', meldung: 'Die Ladung wurde gestartet.' },
      ],
      [
        { karte: '30519080', kosten: 885 },
        { ergebnis: 'ABGELEHNT', meldung: 'Das Guthaben reicht nicht.' },
      ],
    ],
    tools: [
      reading('pruefeKarte', object({ karte: text }), object({ guthabenCent: integer, inhaber: text }), [
        [{ karte: '30514711' }, { guthabenCent: 8250, inhaber: 'Frauke Petersen' }],
        [{ karte: '30519080' }, { guthabenCent: 640, inhaber: 'Jannis Holm' }],
      ]),
    ],
  };
  const charged = (refusal: string) => `export async function handle({ karte, kosten }, { call }) {
  try {
    const { guthabenCent, inhaber } = await call.pruefeKarte({ karte });
    if (guthabenCent < kosten) return { ergebnis: 'ABGELEHNT', meldung: ${refusal} };
    return { ergebnis: 'GESTARTET', meldung: 'Es wird geladen.' };
  } catch {
    return { ergebnis: 'GESTOERT', meldung: 'Zurzeit nicht möglich.' };
  }
}`;
  assert.deepEqual(await refusalsOf(charging, charged("'Das Guthaben der Karte reicht nicht.'"), sandbox), []);
  for (const told of ["inhaber + ', Ihr Guthaben reicht nicht.'", "'Ihr Guthaben beträgt ' + guthabenCent + ' Cent.'"])
    assert.match((await refusalsOf(charging, charged(told), sandbox)).join('\n'), /^leaks: .*the answer tells/m, told);
});

/** Animals that are referred to a clinic, which learns what it needs. */
const referrals = (rule: string): Agreed => ({
  rules: `The requester reads the card of the animal with animalCard and sends caseId, species and contact. contact is desk@birch.example. ${rule}`,
  request: object({ caseId: text, species: text, contact: text }),
  response: object({ caseId: text, slot: text }),
  tools: [
    reading('animalCard', object({ animal: text }), object({ species: text, ownerPhone: text }), [
      [{ animal: 'an-301' }, { species: 'dog', ownerPhone: '0171 5550142' }],
      [{ animal: 'an-302' }, { species: 'cat', ownerPhone: '0160 5550977' }],
    ]),
  ],
  cases: [
    [
      { caseId: 'c-11', species: 'dog', contact: 'desk@birch.example' },
      { caseId: 'c-11', slot: 'Mon 9:40' },
    ],
    [
      { caseId: 'c-12', species: 'cat', contact: 'desk@birch.example' },
      { caseId: 'c-12', slot: 'Tue 8:15' },
    ],
  ],
  task: {
    description: 'Asks the clinic for a slot for an animal; note is "card" where the card cannot be read.',
    inputSchema: object({ caseId: text, animal: text, urgent: { type: 'boolean' } }),
    outputSchema: object({ slot: { type: ['string', 'null'] }, note: { type: ['string', 'null'] } }),
    examples: [
      {
        testCase: 1,
        input: { caseId: 'c-11', animal: 'an-301', urgent: false },
        output: { slot: 'Mon 9:40', note: null },
      },
      {
        testCase: 2,
        input: { caseId: 'c-12', animal: 'an-302', urgent: false },
        output: { slot: 'Tue 8:15', note: null },
      },
    ],
  },
});
const referring = (contact: string) => `export async function perform({ caseId, animal, urgent }, { call, send }) {
  let card;
  try { card = await call.animalCard({ animal }); } catch { return { slot: null, note: 'card' }; }
  const answer = await send({ caseId, species: card.species, contact: ${contact} });
  if (answer?.caseId !== caseId || typeof answer.slot !== 'string') throw new Error('another answer');
  return { slot: answer.slot, note: null };
}`;

for (const rule of [
  'Name and phone of the owner are never sent, in whatever member.',
  'The phone of the owner is not passed on.',
])
  test(`what goes to no peer is not sent: ${rule}`, async () => {
    assert.deepEqual(await refusalsOf(referrals(rule), referring("'desk@birch.example'"), sandbox), []);
    const phone = "urgent ? card.ownerPhone : 'desk@birch.example'";
    const refusals = await refusalsOf(referrals(rule), referring(phone), sandbox);
    assert.match(refusals.join('\n'), /leaks: .*the request tells "ownerPhone", though/);
  });

test('what no answer has may be asked with', async () => {
  const rule = 'The phone of the owner is never part of an answer.';
  const phone = "urgent ? card.ownerPhone : 'desk@birch.example'";
  assert.deepEqual(await refusalsOf(referrals(rule), referring(phone), sandbox), []);
});

/** Books whose records may have a note that no example has. */
const books = (rule: string): Agreed => ({
  rules: `A book is looked up with \`recordOf\`: its shelf is told. If \`recordOf\` fails, the shelf is "?". ${rule}`,
  request: object({ ref: text, book: text }),
  response: object({ ref: text, shelf: text }),
  tools: [
    reading('recordOf', object({ book: text }), object({ shelf: text, clerkNote: text }, ['clerkNote']), [
      [{ book: 'B-1' }, { shelf: 'North 14' }],
      [{ book: 'B-2' }, { shelf: 'South 02' }],
    ]),
  ],
  cases: [
    [
      { ref: 'b-1', book: 'B-1' },
      { ref: 'b-1', shelf: 'North 14' },
    ],
    [
      { ref: 'b-2', book: 'B-2' },
      { ref: 'b-2', shelf: 'South 02' },
    ],
  ],
});
const shelving = (shelf: string, failed = "'?'") => `export async function handle({ ref: given, book }, { call }) {
  const ref = String(given);
  try {
    const record = await call.recordOf({ book: String(book) });
    return { ref, shelf: ${shelf} };
  } catch (error) { return { ref, shelf: ${failed} }; }
}`;

test('what no example of a tool tells is not told either', async () => {
  const rule = 'The record may carry a clerkNote. It MUST NOT be part of a BookReply.';
  const noted = shelving("[record.shelf, record.clerkNote].filter(Boolean).join(', ')");
  assert.deepEqual(await refusalsOf(books(rule), shelving('record.shelf'), sandbox), []);
  assert.match(
    (await refusalsOf(books(rule), noted, sandbox)).join('\n'),
    /leaks: case 1: the answer tells "clerkNote"/,
  );
  assert.deepEqual(await refusalsOf(books(''), noted, sandbox), []);
});

test('texts of errors that are not passed on are not told', async () => {
  const rule = 'Texts of errors given by a tool may hold host names and must not be passed on.';
  const passing = shelving('record.shelf', "'? ' + error.message");
  assert.match(
    (await refusalsOf(books(rule), passing, sandbox)).join('\n'),
    /the answer repeats what the tool said, though/,
  );
  assert.deepEqual(await refusalsOf(books(''), passing, sandbox), []);
});
