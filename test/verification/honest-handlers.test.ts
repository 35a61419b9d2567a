import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { type Agreed, acting, integer, number, object, reading, refusalsOf, text } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

const parts = {
  request: object({ id: text, part: text, quantity: integer }),
  response: object({ id: text, code: integer, pieces: integer }, ['pieces']),
  tools: [reading('stock', object({ sku: text }), { type: ['integer', 'null'] }, [[{ sku: 'PT-7781' }, 61]], null)],
};
const partCases: Agreed['cases'] = [
  [
    { id: 'w1', part: 'PT-7781', quantity: 4 },
    { id: 'w1', code: 200, pieces: 61 },
  ],
  [
    { id: 'w2', part: 'PT-0000', quantity: 4 },
    { id: 'w2', code: 404 },
  ],
];
const partsHandler = (guard: string) => `export async function handle(request, { call }) {
  const id = String(request.id);
  ${guard}
  const pieces = await call.stock({ sku: String(request.part) });
  return pieces === null ? { id, code: 404 } : { id, code: 200, pieces };
}`;

const honest: readonly [why: string, agreed: Agreed, handler: string][] = [
  [
    'a state that comes back in all cases is none that is only sent back',
    {
      rules:
        'A lift goes `up` or `down` a floor, from 0 to 9, with its door `shut` and not `ajar`, or opens and closes the door (`open`, `close`). The first order that cannot be carried out ends it with the state reached.',
      request: object({ floor: integer, door: text, orders: { type: 'array', items: text } }),
      response: object({ floor: integer, door: text, done: integer }),
      cases: [
        [
          { floor: 2, door: 'shut', orders: ['open', 'close', 'up'] },
          { floor: 3, door: 'shut', done: 3 },
        ],
        [
          { floor: 5, door: 'ajar', orders: ['up'] },
          { floor: 5, door: 'ajar', done: 0 },
        ],
        [
          { floor: 8, door: 'shut', orders: ['up', 'up', 'open'] },
          { floor: 9, door: 'shut', done: 1 },
        ],
      ],
    },
    `export function handle({ floor, door, orders }) {
      let done = 0;
      for (const order of orders) {
        const next = floor + (order === 'up' ? 1 : -1);
        if (order === 'up' || order === 'down') {
          if (door !== 'shut' || next < 0 || next > 9) break;
          floor = next;
        } else if (order === 'open' && door === 'shut') door = 'ajar';
        else if (order === 'close' && door === 'ajar') door = 'shut';
        else break;
        done += 1;
      }
      return { floor, door, done };
    }`,
  ],
  [
    'the code of broken requests may be that of one rule alone',
    {
      ...parts,
      rules: '- 200 when the part is known\n- 400 if quantity is negative\n- 404 when the part is unknown',
      cases: [
        ...partCases,
        [
          { id: 'w3', part: 'PT-7781', quantity: -2 },
          { id: 'w3', code: 400 },
        ],
      ],
    },
    partsHandler('if (request.quantity < 0) return { id, code: 400 };'),
  ],
  [
    'what is not JSON never comes to a handler',
    {
      ...parts,
      rules: '| code | meaning |\n|---|---|\n| 400 | the body is not valid JSON |\n| 404 | unknown part |',
      cases: partCases,
    },
    partsHandler(''),
  ],
  [
    'who is exempt from a limit is not held to it',
    {
      rules:
        'If amount is above 1000, decision is "review". Members of the board are exempt from this. Otherwise decision is "approved". fee is 1 % of the amount, rounded to cents.',
      request: object({ id: text, amount: number, staff: { enum: ['board', 'employee'] } }),
      response: object({ id: text, decision: { enum: ['approved', 'review'] }, fee: number }, ['fee']),
      cases: [
        [
          { id: 'e1', amount: 700, staff: 'board' },
          { id: 'e1', decision: 'approved', fee: 7 },
        ],
        [
          { id: 'e2', amount: 1700, staff: 'employee' },
          { id: 'e2', decision: 'review' },
        ],
        [
          { id: 'e3', amount: 1400, staff: 'board' },
          { id: 'e3', decision: 'approved', fee: 14 },
        ],
      ],
    },
    `export function handle({ id, amount, staff }) {
  if (amount > 1000 && staff !== 'board') return { id: String(id), decision: 'review' };
  return { id: String(id), decision: 'approved', fee: Math.round(Number(amount)) / 100 || 0 };
}`,
  ],
  [
    'of two rules that hold, an earlier one may decide',
    {
      rules:
        '1. When country is not in the EU, zone is "world".\n2. When weight is above 20, zone is "freight".\n3. All else: zone is "parcel".\nprice is 5 plus 2 per started kilogram.',
      request: object({ id: text, country: { type: 'string', description: 'EU: DE, FR, NL' }, weight: number }),
      response: object({ id: text, zone: { enum: ['world', 'freight', 'parcel'] }, price: number }),
      cases: [
        [
          { id: 'z1', country: 'US', weight: 3.2 },
          { id: 'z1', zone: 'world', price: 13 },
        ],
        [
          { id: 'z2', country: 'FR', weight: 25 },
          { id: 'z2', zone: 'freight', price: 55 },
        ],
        [
          { id: 'z3', country: 'NL', weight: 2 },
          { id: 'z3', zone: 'parcel', price: 9 },
        ],
      ],
    },
    `const EU = ['DE', 'FR', 'NL'];
export function handle({ id, country, weight }) {
  const zone = !EU.includes(country) ? 'world' : weight > 20 ? 'freight' : 'parcel';
  return { id: String(id), zone, price: 5 + 2 * Math.ceil(Number(weight) || 0) };
}`,
  ],
  [
    'what a tool tells may break another rule before the limit is looked at',
    {
      rules:
        'If cents is above 500000, outcome is LIMIT. outcome is NO_FUNDS if the account has less than is asked for, DONE otherwise.',
      request: object({ ref: text, account: text, cents: integer }),
      response: object({ ref: text, outcome: { enum: ['DONE', 'LIMIT', 'NO_FUNDS'] } }),
      cases: [
        [
          { ref: 'x1', account: 'AC-10021', cents: 12500 },
          { ref: 'x1', outcome: 'DONE' },
        ],
        [
          { ref: 'x2', account: 'AC-10022', cents: 12500 },
          { ref: 'x2', outcome: 'NO_FUNDS' },
        ],
      ],
      tools: [
        reading('balance', object({ account: text }), integer, [
          [{ account: 'AC-10021' }, 87500],
          [{ account: 'AC-10022' }, 310],
        ]),
      ],
    },
    `export async function handle({ ref, account, cents }, { call }) {
  if ((await call.balance({ account: String(account) })) < cents) return { ref: String(ref), outcome: 'NO_FUNDS' };
  return { ref: String(ref), outcome: cents > 500000 ? 'LIMIT' : 'DONE' };
}`,
  ],
  [
    'the prose may be stricter than the schema',
    {
      rules:
        'A stay has at least 2 nights. Invalid requests, among them stays that are too short, are answered with code 400. price is 80 per night plus 35 for cleaning.',
      request: object({ id: text, nights: { type: 'integer', minimum: 1, maximum: 28 } }),
      response: object({ id: text, code: integer, price: number }, ['price']),
      cases: [
        [
          { id: 'n1', nights: 4 },
          { id: 'n1', code: 200, price: 355 },
        ],
        [
          { id: 'n2', nights: 1 },
          { id: 'n2', code: 400 },
        ],
      ],
    },
    `export function handle({ id, nights }) {
  if (!Number.isInteger(nights) || nights < 2 || nights > 28) return { id: String(id), code: 400 };
  return { id: String(id), code: 200, price: nights * 80 + 35 };
}`,
  ],
  [
    'of all that the pages hold, the answer may have the best alone',
    {
      rules: 'The three cheapest of all offers for the article are listed, cheapest first. No offers: an empty list.',
      request: object({ id: text, article: text }),
      response: object({ id: text, offers: { type: 'array', items: object({ services: text, price: number }) } }),
      cases: [
        [
          { id: 'o1', article: 'drill' },
          {
            id: 'o1',
            offers: [
              { services: 'Hagen Tools', price: 49.9 },
              { services: 'Borado', price: 58 },
            ],
          },
        ],
        [
          { id: 'o2', article: 'moon' },
          { id: 'o2', offers: [] },
        ],
      ],
      tools: [
        reading(
          'offersPage',
          object({ article: text, page: integer }),
          object({
            offers: { type: 'array', items: object({ seller: text, amount: number }) },
            nextPage: { type: ['integer', 'null'] },
          }),
          [
            [
              { article: 'drill', page: 1 },
              {
                offers: [
                  { seller: 'Borado', amount: 58 },
                  { seller: 'Hagen Tools', amount: 49.9 },
                ],
                nextPage: null,
              },
            ],
          ],
          { offers: [], nextPage: null },
        ),
      ],
    },
    `export async function handle({ id, article }, { call }) {
  const all = [];
  let page = 1;
  for (let turns = 0; page !== null && turns < 50; turns += 1) {
    const got = await call.offersPage({ article: String(article), page });
    all.push(...got.offers);
    page = got.nextPage;
  }
  const best = all.sort((a, b) => a.amount - b.amount).slice(0, 3);
  return { id: String(id), offers: best.map(({ seller, amount }) => ({ services: seller, price: amount })) };
}`,
  ],
  ...(['ordered by where it first stands in texts', 'sorted by the number of its letters'] as const).map(
    (order): [string, Agreed, string] => [
      `a list that is ${order} may look like one in the order of the alphabet`,
      {
        rules: `words has each word once, in lower case, ${order}. count is the number of all words.`,
        request: object({ id: text, texts: { type: 'array', items: text } }),
        response: object({ id: text, words: { type: 'array', items: text }, count: integer }),
        cases: [
          [
            { id: 't1', texts: ['alder birch', 'Birch cedar'] },
            { id: 't1', words: ['alder', 'birch', 'cedar'], count: 4 },
          ],
          [
            { id: 't2', texts: ['moss', 'fern'] },
            { id: 't2', words: ['moss', 'fern'], count: 2 },
          ],
        ],
      },
      `export function handle({ id, texts }) {
  const all = (Array.isArray(texts) ? texts : []).flatMap((one) => String(one).toLowerCase().match(/\\p{L}+/gu) ?? []);
  const words = [...new Set(all)];
  return { id: String(id), words: ${order.startsWith('sorted') ? 'words.sort((a, b) => a.length - b.length)' : 'words'}, count: all.length };
}`,
    ],
  ),
  [
    'what is refused may be written down all the same',
    {
      rules:
        'Every attempt is written to the audit log, also those that are refused. Badges that are blocked or unknown are refused with granted false and reason BLOCKED or UNKNOWN.',
      request: object({ id: text, badge: text }),
      response: object({ id: text, granted: { type: 'boolean' }, reason: text }, ['reason']),
      cases: [
        [
          { id: 'd1', badge: 'BG-4471' },
          { id: 'd1', granted: true },
        ],
        [
          { id: 'd2', badge: 'BG-0000' },
          { id: 'd2', granted: false, reason: 'UNKNOWN' },
        ],
      ],
      tools: [
        reading(
          'badge',
          object({ no: text }),
          { type: ['object', 'null'], properties: { blocked: { type: 'boolean' } } },
          [[{ no: 'BG-4471' }, { blocked: false }]],
          null,
        ),
        acting('audit', object({ badge: text }), object({ entry: integer }), [], { entry: 82 }),
      ],
    },
    `export async function handle({ id: given, badge }, { call }) {
  const id = String(given);
  await call.audit({ badge: String(badge) });
  const found = await call.badge({ no: String(badge) });
  if (!found) return { id, granted: false, reason: 'UNKNOWN' };
  return found.blocked ? { id, granted: false, reason: 'BLOCKED' } : { id, granted: true };
}`,
  ],
  ...(['memberLoans', 'getLoans'] as const).map((loans): [string, Agreed, string] => [
    `${loans} may read without saying so`,
    {
      rules:
        'A member who has 5 books or more may not borrow another one: ok false, why FULL. A book that is lent: ok false, why LENT.',
      request: object({ id: text, member: text, book: text }),
      response: object({ id: text, ok: { type: 'boolean' }, why: text, due: text }, ['why', 'due']),
      cases: [
        [
          { id: 'l1', member: 'MB-101', book: 'BK-71' },
          { id: 'l1', ok: true, due: '2026-03-01' },
        ],
        [
          { id: 'l3', member: 'MB-101', book: 'BK-72' },
          { id: 'l3', ok: false, why: 'LENT' },
        ],
      ],
      tools: [
        acting(loans, object({ member: text }), object({ loans: integer }), [[{ member: 'MB-101' }, { loans: 2 }]]),
        reading('bookState', object({ book: text }), object({ lent: { type: 'boolean' } }), [
          [{ book: 'BK-71' }, { lent: false }],
          [{ book: 'BK-72' }, { lent: true }],
        ]),
        acting('lend', object({ member: text, book: text }), object({ due: text }), [
          [{ member: 'MB-101', book: 'BK-71' }, { due: '2026-03-01' }],
        ]),
      ],
    },
    `export async function handle({ id: given, member, book }, { call }) {
  const id = String(given);
  const { loans } = await call.${loans}({ member: String(member) });
  const { lent } = await call.bookState({ book: String(book) });
  if (loans >= 5) return { id, ok: false, why: 'FULL' };
  if (lent) return { id, ok: false, why: 'LENT' };
  return { id, ok: true, due: (await call.lend({ member, book })).due };
}`,
  ]),
  [
    'a number that a tool tells may be capped',
    {
      rules: 'charge is the percentage that the device reports, at most 100; full is true from 100 on.',
      request: object({ id: text, device: text }),
      response: object({ id: text, charge: integer, full: { type: 'boolean' } }),
      cases: [
        [
          { id: 'c1', device: 'DV-331' },
          { id: 'c1', charge: 100, full: true },
        ],
        [
          { id: 'c2', device: 'DV-332' },
          { id: 'c2', charge: 41, full: false },
        ],
      ],
      tools: [
        reading('device', object({ serial: text }), object({ charge: integer }), [
          [{ serial: 'DV-331' }, { charge: 100 }],
          [{ serial: 'DV-332' }, { charge: 41 }],
        ]),
      ],
    },
    `export async function handle({ id, device }, { call }) {
  const { charge } = await call.device({ serial: String(device) });
  return { id: String(id), charge: Math.min(100, charge), full: charge >= 100 };
}`,
  ],
  [
    'what failed may be asked once more, where the document says so',
    {
      rules:
        'When the gateway fails it is asked once more. If that fails as well, sent is false. Otherwise sent is true, with the receipt.',
      request: object({ id: text, to: text, body: text }),
      response: object({ id: text, sent: { type: 'boolean' }, receipt: text }, ['receipt']),
      cases: [
        [
          { id: 's1', to: '+49 151 2200331', body: 'Your table is ready' },
          { id: 's1', sent: true, receipt: 'SM-8812' },
        ],
      ],
      tools: [
        acting('gateway', object({ number: text, body: text }), object({ receipt: text }), [
          [{ number: '+49 151 2200331', body: 'Your table is ready' }, { receipt: 'SM-8812' }],
        ]),
      ],
    },
    `export async function handle(request, { call }) {
  const id = String(request.id);
  const message = { number: String(request.to), body: String(request.body) };
  for (let attempt = 0; attempt < 2; attempt += 1) {
    try {
      return { id, sent: true, receipt: (await call.gateway(message)).receipt };
    } catch {}
  }
  return { id, sent: false };
}`,
  ],
  [
    'attempts that the document counts may all be made',
    {
      rules:
        'If the gateway fails, the provider tries again at once, three attempts in all; after the third failure sent is false.',
      request: object({ id: text, to: text }),
      response: object({ id: text, sent: { type: 'boolean' }, attempts: integer }),
      cases: [
        [
          { id: 's1', to: '+49 151 2200331' },
          { id: 's1', sent: true, attempts: 1 },
        ],
      ],
      tools: [acting('gateway', object({ number: text }), { type: 'null' }, [[{ number: '+49 151 2200331' }, null]])],
    },
    `export async function handle(request, { call }) {
  const id = String(request.id);
  for (let attempts = 1; attempts <= 3; attempts += 1) {
    try {
      await call.gateway({ number: String(request.to) });
      return { id, sent: true, attempts };
    } catch {}
  }
  return { id, sent: false, attempts: 3 };
}`,
  ],
  [
    'what a tool tells need not change an answer that does not tell it',
    {
      rules:
        '- If something was paid under the key: same amount, state is replayed with the reference of that time; otherwise state is conflict.\n- Else it is paid: state is paid with the new reference.\n- When a system fails, state is later.',
      request: object({ key: text, amount: number }),
      response: object({ key: text, state: { enum: ['paid', 'replayed', 'conflict', 'later'] }, reference: text }, [
        'reference',
      ]),
      cases: [
        [
          { key: 'ord-0001', amount: 129.95 },
          { key: 'ord-0001', state: 'paid', reference: 'PX-88300' },
        ],
        [
          { key: 'ord-0002', amount: 129.95 },
          { key: 'ord-0002', state: 'replayed', reference: 'PX-88213' },
        ],
        [
          { key: 'ord-0002', amount: 130 },
          { key: 'ord-0002', state: 'conflict' },
        ],
      ],
      tools: [
        reading(
          'find',
          object({ key: text }),
          { anyOf: [object({ amount: number, reference: text }), { type: 'null' }] },
          [[{ key: 'ord-0002' }, { amount: 129.95, reference: 'PX-88213' }]],
          null,
        ),
        acting('pay', object({ key: text, amount: number }), object({ reference: text }), [
          [{ key: 'ord-0001', amount: 129.95 }, { reference: 'PX-88300' }],
        ]),
      ],
    },
    `export async function handle(request, { call }) {
  const { amount } = request;
  const key = String(request.key);
  try {
    const old = await call.find({ key });
    if (old) return old.amount === amount ? { key, state: 'replayed', reference: old.reference } : { key, state: 'conflict' };
    return { key, state: 'paid', reference: (await call.pay({ key, amount })).reference };
  } catch {
    return { key, state: 'later' };
  }
}`,
  ],
  [
    'what is out of bounds may be cut to them, and a price may change with each started kilogram',
    {
      rules:
        'copies below 1 count as 1, above 5 as 5; labels has one text for each. price is 3.20, and from 5 kg on 1.15 more for each started kilogram beyond 5.',
      request: object({ id: text, copies: integer, kg: number }),
      response: object({ id: text, labels: { type: 'array', items: text }, price: number }),
      cases: [
        [
          { id: 'k1', copies: 2, kg: 4 },
          { id: 'k1', labels: ['copy', 'copy'], price: 3.2 },
        ],
        [
          { id: 'k2', copies: 9, kg: 6.4 },
          { id: 'k2', labels: ['copy', 'copy', 'copy', 'copy', 'copy'], price: 5.5 },
        ],
      ],
    },
    `export function handle({ id, copies, kg }) {
  const count = Math.min(5, Math.max(1, Math.trunc(Number(copies)) || 1));
  const price = 3.2 + Math.max(0, Math.ceil(Number(kg) - 5)) * 1.15;
  return { id: String(id), labels: Array.from({ length: count }, () => 'copy'), price: Math.round(price * 100) / 100 || 0 };
}`,
  ],
  [
    'a failure that the document lets pass is no failure',
    {
      rules:
        '- `bye`: the session is closed with `close`; say is closed. Closing is not checked: if it fails, say is closed all the same.\n- `report`: the value is stored with `store`; say is stored.\n- A failing tool in a report: retry.',
      request: object({ id: text, kind: { enum: ['bye', 'report'] }, device: text }),
      response: object({ id: text, say: { enum: ['closed', 'stored', 'retry'] } }),
      cases: [
        [
          { id: 'd1', kind: 'report', device: 'th-1' },
          { id: 'd1', say: 'stored' },
        ],
        [
          { id: 'd2', kind: 'bye', device: 'hy-2' },
          { id: 'd2', say: 'closed' },
        ],
      ],
      tools: [
        acting('close', object({ device: text }), { type: 'null' }, [], null),
        acting('store', object({ device: text }), { type: 'null' }, [], null),
      ],
    },
    `export async function handle(request, { call }) {
  const id = String(request.id);
  const device = String(request.device);
  if (request.kind === 'bye') return call.close({ device }).then(() => ({ id, say: 'closed' }), () => ({ id, say: 'closed' }));
  try {
    await call.store({ device });
    return { id, say: 'stored' };
  } catch {
    return { id, say: 'retry' };
  }
}`,
  ],
  [
    'where a loose place is null, nothing is made for it',
    {
      rules:
        'The desk makes a fresh number for each ticket. A request without a subject is refused: ok false, number null.',
      request: object({ name: text, subject: { type: 'string', minLength: 1 } }),
      response: object({ ok: { type: 'boolean' }, name: text, number: { type: ['string', 'null'] } }),
      cases: [
        [
          { name: 'Ms Okafor', subject: 'Lamp flickers' },
          { ok: true, name: 'Ms Okafor', number: 'k3j9d8s7a6f5g4h3' },
        ],
        [
          { name: 'Mr Petit', subject: '' },
          { ok: false, name: 'Mr Petit', number: null },
        ],
      ],
      loose: [{ pointer: '/number', as: 'id' }],
    },
    `export function handle({ name, subject }, context) {
  const ok = typeof name === 'string' && typeof subject === 'string' && subject !== '';
  return { ok, name: String(name), number: ok ? context.newId() : null };
}`,
  ],
  [
    'a failure may be answered by the name that one row of a table has for it, whatever other rows say of other things',
    {
      rules:
        '| state | meaning |\n|---|---|\n| sent | the message went out |\n| stopped | the check digit of the number fails |\n| later | the gateway does not answer |',
      request: object({ id: text, to: text }),
      response: object({ id: text, state: { enum: ['sent', 'stopped', 'later'] } }),
      cases: [
        [
          { id: 's1', to: '+49 151 2200331' },
          { id: 's1', state: 'sent' },
        ],
      ],
      tools: [acting('gateway', object({ number: text }), { type: 'null' }, [[{ number: '+49 151 2200331' }, null]])],
    },
    `export async function handle(request, { call }) {
  const id = String(request.id);
  return call.gateway({ number: String(request.to) }).then(() => ({ id, state: 'sent' }), () => ({ id, state: 'later' }));
}`,
  ],
  [
    'what the document says may stand in the source in another unit or spelling',
    {
      rules:
        'cents is the amount in cents. Transfers of up to 5,000 EUR cost 1.50 EUR, larger ones 0.2 %, rounded up to full cents. From 1 January 2026 on the fee is halved. slow is true from more than 90 minutes on.',
      request: object({ id: text, cents: integer, day: text, seconds: integer }),
      response: object({ id: text, fee: number, slow: { type: 'boolean' } }),
      cases: [
        [
          { id: 'u1', cents: 500000, day: '2025-11-03', seconds: 5400 },
          { id: 'u1', fee: 150, slow: false },
        ],
        [
          { id: 'u2', cents: 730000, day: '2026-01-01', seconds: 7200 },
          { id: 'u2', fee: 730, slow: true },
        ],
      ],
    },
    `const SMALL = 500_000, FLAT = 150, HALF_FROM = '2026-01-01', SLOW = 5400;
export function handle({ id, cents, day, seconds }) {
  const fee = cents <= SMALL ? FLAT : Math.ceil((cents * 2) / 1000);
  return { id: String(id), fee: (day >= HALF_FROM ? fee / 2 : fee) || 0, slow: seconds > SLOW };
}`,
  ],
  [
    'who undoes a first step names the failure of the second',
    {
      rules:
        '1. `holdDesk({day})` gives a hold. If it fails: state `TECHNICAL`.\n2. `orderMeal({day})` gives a voucher.\n3. If step 2 fails, the desk is given back with `dropDesk({hold})`, and the state is `NO_MEAL`. If that fails as well, the state is `TECHNICAL`.',
      request: object({ id: text, day: text }),
      response: object({
        id: text,
        state: { enum: ['BOOKED', 'NO_MEAL', 'TECHNICAL'] },
        voucher: { type: ['string', 'null'] },
      }),
      cases: [
        [
          { id: 'g1', day: '2026-02-03' },
          { id: 'g1', state: 'BOOKED', voucher: 'VC-3310' },
        ],
        [
          { id: 'g2', day: '2026-02-04' },
          { id: 'g2', state: 'NO_MEAL', voucher: null },
        ],
      ],
      tools: [
        acting('holdDesk', object({ day: text }), object({ hold: text }), [
          [{ day: '2026-02-03' }, { hold: 'HD-1' }],
          [{ day: '2026-02-04' }, { hold: 'HD-2' }],
        ]),
        acting('orderMeal', object({ day: text }), object({ voucher: text }), [
          [{ day: '2026-02-03' }, { voucher: 'VC-3310' }],
        ]),
        acting('dropDesk', object({ hold: text }), object({}), [], {}),
      ],
    },
    `export async function handle({ id: given, day }, { call }) {
  const id = String(given);
  try {
    const { hold } = await call.holdDesk({ day: String(day) });
    try {
      return { id, state: 'BOOKED', voucher: (await call.orderMeal({ day: String(day) })).voucher };
    } catch {
      await call.dropDesk({ hold });
      return { id, state: 'NO_MEAL', voucher: null };
    }
  } catch { return { id, state: 'TECHNICAL', voucher: null }; }
}`,
  ],
  [
    'who is answered at the second try has no failure to tell of',
    {
      rules:
        'If the tool fails it is asked once more, two attempts in all. After the second failure the answer is `{"state": "UNAVAILABLE"}` with metres null. tries is the number of attempts.',
      request: object({ id: text, peak: text }),
      response: object({ id: text, state: text, metres: { type: ['integer', 'null'] }, tries: integer }),
      cases: [
        [
          { id: 'p1', peak: 'PK-771' },
          { id: 'p1', state: 'OK', metres: 2962, tries: 1 },
        ],
        [
          { id: 'p2', peak: 'PK-772' },
          { id: 'p2', state: 'OK', metres: 3774, tries: 1 },
        ],
      ],
      tools: [
        reading('heightOf', object({ peak: text }), integer, [
          [{ peak: 'PK-771' }, 2962],
          [{ peak: 'PK-772' }, 3774],
        ]),
      ],
    },
    `export async function handle({ id: given, peak }, { call }) {
  const id = String(given);
  for (const tries of [1, 2])
    try { return { id, state: 'OK', metres: await call.heightOf({ peak: String(peak) }), tries }; } catch {}
  return { id, state: 'UNAVAILABLE', metres: null, tries: 2 };
}`,
  ],
  [
    'what is done with one item of a list is not denied for the others',
    {
      rules:
        'Each line is booked by itself. For an amount of 0 the result is `noop`, and nothing is booked. Else it is booked with `bookLine(account, amount)`: result `booked`. If booking fails: result `failed`.',
      request: object({ id: text, lines: { type: 'array', items: object({ account: text, amount: integer }) } }),
      response: object({ id: text, results: { type: 'array', items: text } }),
      cases: [
        [
          {
            id: 'k1',
            lines: [
              { account: 'AC-410', amount: 0 },
              { account: 'AC-411', amount: 25 },
            ],
          },
          { id: 'k1', results: ['noop', 'booked'] },
        ],
        [
          { id: 'k2', lines: [{ account: 'AC-412', amount: 31 }] },
          { id: 'k2', results: ['booked'] },
        ],
      ],
      tools: [acting('bookLine', object({ account: text, amount: integer }), object({}), [], {})],
    },
    `export async function handle({ id, lines }, { call }) {
  const results = [];
  for (const { account, amount } of Array.isArray(lines) ? lines : []) {
    if (amount === 0) results.push('noop');
    else results.push(await call.bookLine({ account, amount }).then(() => 'booked', () => 'failed'));
  }
  return { id: String(id), results };
}`,
  ],
  [
    'a list of what fits of another list may leave things out',
    {
      rules:
        'The host takes the plugs of a list that it has sockets for (C, F and G), each name once, in the order given: taken. state is ok if any was taken, else none.',
      request: object({ plugs: { type: 'array', items: object({ plug: text, volts: text }) } }),
      response: object({ state: text, taken: { type: 'array', items: object({ plug: text, safe: text }) } }),
      cases: [
        [
          {
            plugs: [
              { plug: 'F', volts: '230' },
              { plug: 'C', volts: '110' },
            ],
          },
          {
            state: 'ok',
            taken: [
              { plug: 'F', safe: 'yes' },
              { plug: 'C', safe: 'no' },
            ],
          },
        ],
        [
          {
            plugs: [
              { plug: 'A', volts: '110' },
              { plug: 'B', volts: '110' },
            ],
          },
          { state: 'none', taken: [] },
        ],
        [{ plugs: [{ plug: 'C', volts: '230' }] }, { state: 'ok', taken: [{ plug: 'C', safe: 'yes' }] }],
      ],
    },
    `export function handle({ plugs }) {
  const taken = [];
  for (const { plug, volts } of Array.isArray(plugs) ? plugs : [])
    if (['C', 'F', 'G'].includes(plug) && !taken.some((one) => one.plug === plug)) taken.push({ plug, safe: volts === '230' ? 'yes' : 'no' });
  return { state: taken.length > 0 ? 'ok' : 'none', taken };
}`,
  ],
  [
    'what counts refusals may be called where nothing is changed, and be logged',
    {
      rules:
        'The vault reads the card with `cardOf(card)`. A right pin: the vault is opened with `openVault(card)`, verdict `opened`. A wrong pin: verdict `barred`. Nothing is changed then. Each wrong try is kept with `addTry(card)`. If the pin does not match, the card is logged. If a tool fails: verdict `down`.',
      request: object({ card: text, pin: text }),
      response: object({ verdict: text }),
      cases: [
        [{ card: 'CD-4410', pin: '7719' }, { verdict: 'opened' }],
        [{ card: 'CD-4410', pin: '0000' }, { verdict: 'barred' }],
        [{ card: 'CD-4411', pin: '1234' }, { verdict: 'barred' }],
      ],
      tools: [
        reading('cardOf', object({ card: text }), object({ pin: text }), [
          [{ card: 'CD-4410' }, { pin: '7719' }],
          [{ card: 'CD-4411' }, { pin: '8820' }],
        ]),
        acting('openVault', object({ card: text }), object({}), [], {}),
        acting('addTry', object({ card: text }), object({}), [], {}),
      ],
    },
    `export async function handle({ card: given, pin }, { call, log }) {
  const card = String(given);
  try {
    const known = await call.cardOf({ card });
    if (known.pin === pin) {
      await call.openVault({ card });
      return { verdict: 'opened' };
    }
    log('wrong pin for', card);
    await call.addTry({ card });
    return { verdict: 'barred' };
  } catch { return { verdict: 'down' }; }
}`,
  ],
  [
    'moments come out of each other across the end of a year',
    {
      rules: 'The local time `at` with its offset in hours is told in UTC.',
      request: object({ at: { type: 'string', pattern: '^.{16}$' }, hours: integer }),
      response: object({ utc: text }),
      cases: [
        [{ at: '2025-01-01T00:10', hours: 2 }, { utc: '2024-12-31T22:10' }],
        [{ at: '2024-06-01T12:00', hours: 0 }, { utc: '2024-06-01T12:00' }],
      ],
    },
    `export function handle({ at, hours }) {
  const moment = Date.parse(at + ':00Z');
  return { utc: Number.isNaN(moment) ? '-' : new Date(moment - Number(hours || 0) * 3600000).toISOString().slice(0, 16) };
}`,
  ],
  [
    'a code stands within a message of digits without a break',
    {
      rules:
        'Messages are frames in hexadecimal text: A5, command, data, checksum (the sum of both). An invalid request is answered with command FF and data `E1`; command 01 is answered with 81 and the data, twice.',
      cases: [
        ['A5011011', 'A58120A1'],
        ['A5010203', 'A5810485'],
        ['A5010204', 'A5FFE1E0'],
      ],
    },
    `const hex = (value) => (value & 255).toString(16).padStart(2, '0').toUpperCase();
const frame = (command, data) => 'A5' + hex(command) + hex(data) + hex(command + data);
export function handle(text) {
  const [, command, data, sum] = (/^A5(..)(..)(..)$/.exec(String(text)) ?? []).map((byte) => Number.parseInt(byte, 16));
  if (command !== 1 || ((command + data) & 255) !== sum) return frame(0xff, 0xe1);
  return frame(0x81, data * 2);
}`,
  ],
  [
    'a half with a sign is a half',
    {
      rules:
        'The temperature of a town, from `celsius(town)`, is rounded to whole degrees, halves up. `null` for unknown towns.',
      request: object({ id: text, town: text }),
      response: object({ id: text, degrees: { type: ['integer', 'null'] } }),
      cases: [
        [
          { id: 'a-1', town: 'Brest' },
          { id: 'a-1', degrees: 0 },
        ],
        [
          { id: 'a-2', town: 'Lyon' },
          { id: 'a-2', degrees: 18 },
        ],
        [
          { id: 'a-3', town: 'Nowhere' },
          { id: 'a-3', degrees: null },
        ],
      ],
      tools: [
        reading(
          'celsius',
          object({ town: text }),
          { type: ['number', 'null'] },
          [
            [{ town: 'Brest' }, -0.5],
            [{ town: 'Lyon' }, 17.6],
          ],
          null,
        ),
      ],
    },
    `export async function handle({ id, town }, { call }) {
  const degrees = await call.celsius({ town: String(town) });
  return { id: String(id), degrees: degrees === null ? null : Math.floor(degrees + 0.5) };
}`,
  ],
  [
    'a price of each of the few terms that there are may be worked out beforehand',
    {
      rules:
        'term is 1, 3, 6 or 12 months. A month is 12 euros; 6 months cost 10 % less, 12 months 20 % less. permit(plate, term) tells the last day. Anything else has result "invalid".',
      cases: [
        [
          { id: 'p1', plate: 'GR-881-KT', term: 6 },
          { id: 'p1', result: 'granted', fee: 64.8, until: '2025-11-30' },
        ],
        [
          { id: 'p2', plate: 'GR-550-PP', term: 3 },
          { id: 'p2', result: 'granted', fee: 36, until: '2025-08-31' },
        ],
        [
          { id: 'p3', plate: 'GR-881-KT', term: 5 },
          { id: 'p3', result: 'invalid', fee: null, until: null },
        ],
        [
          { id: 'p4', plate: 'GR-000-AA', term: 12 },
          { id: 'p4', result: 'unknown', fee: null, until: null },
        ],
        [
          { id: 'p5', plate: 'GR-000-AA', term: 1 },
          { id: 'p5', result: 'unknown', fee: null, until: null },
        ],
      ],
      request: {},
      response: {},
      tools: [
        reading(
          'permit',
          object({ plate: text, term: integer }),
          { type: ['string', 'null'] },
          [
            [{ plate: 'GR-881-KT', term: 6 }, '2025-11-30'],
            [{ plate: 'GR-550-PP', term: 3 }, '2025-08-31'],
            [{ plate: 'GR-000-AA', term: 12 }, null],
          ],
          null,
        ),
      ],
    },
    `const fees = new Map([[1, 12], [3, 36], [6, 64.8], [12, 115.2]]);
export async function handle(request, { call }) {
  const id = String(request?.id ?? '');
  const fee = fees.get(request?.term);
  if (fee === undefined) return { id, result: 'invalid', fee: null, until: null };
  const until = await call.permit({ plate: String(request.plate), term: request.term });
  return until === null ? { id, result: 'unknown', fee: null, until } : { id, result: 'granted', fee, until };
}`,
  ],
  [
    'who asks another tool in place of one that fails has no failure of that one to tell of',
    {
      rules:
        '1. Ask ownPrice(metal, day) first. 2. If it is null or `ownPrice` fails, ask `exchangePrice(metal, day)`. 3. If that is null: status `no_price`. If that fails: status `try_later`.\nA bad request, status `bad_request`, is one whose day is not of the form YYYY-MM-DD.',
      request: object({ ref: text, metal: text, day: text }),
      response: object({
        ref: text,
        status: { enum: ['ok', 'no_price', 'try_later', 'bad_request'] },
        cents: { type: ['integer', 'null'] },
      }),
      tools: [
        reading(
          'ownPrice',
          object({ metal: text, day: text }),
          { type: ['integer', 'null'] },
          [[{ metal: 'gold', day: '2025-05-02' }, 324150]],
          null,
        ),
        reading(
          'exchangePrice',
          object({ metal: text, day: text }),
          { type: ['integer', 'null'] },
          [[{ metal: 'silver', day: '2025-05-02' }, 320700]],
          null,
        ),
      ],
      cases: [
        [
          { ref: 'm-1', metal: 'gold', day: '2025-05-02' },
          { ref: 'm-1', status: 'ok', cents: 324150 },
        ],
        [
          { ref: 'm-2', metal: 'silver', day: '2025-05-02' },
          { ref: 'm-2', status: 'ok', cents: 320700 },
        ],
        [
          { ref: 'm-3', metal: 'gold', day: '1999-01-01' },
          { ref: 'm-3', status: 'no_price', cents: null },
        ],
        [
          { ref: 'm-4', metal: 'gold', day: 'today' },
          { ref: 'm-4', status: 'bad_request', cents: null },
        ],
      ],
    },
    `export async function handle({ ref, metal, day }, { call }) {
  const answer = (status, cents = null) => ({ ref: String(ref ?? ''), status, cents });
  if (typeof metal !== 'string' || !/^\\d{4}-\\d\\d-\\d\\d$/.test(String(day))) return answer('bad_request');
  const own = await call.ownPrice({ metal, day }).catch(() => null);
  if (own !== null) return answer('ok', own);
  try {
    const other = await call.exchangePrice({ metal, day });
    return other === null ? answer('no_price') : answer('ok', other);
  } catch {
    return answer('try_later');
  }
}`,
  ],
  ...(
    [
      ['of two items with the same number each has its own from a tool', ['25849', '83727'], ['450', '450']],
      ['zero is what an item without a zone has, too', ['80331', '00000'], ['0', '0']],
    ] as const
  ).map(([why, [first, second], amounts]): (typeof honest)[number] => [
    why,
    {
      rules:
        'For each postcode the zone and the surcharge that area(postcode) tells; for one that it does not know, or that it has no streets in, zone is null and surcharge 0.',
      request: object({ batch: text, postcodes: { type: 'array', items: text } }),
      response: object({
        batch: text,
        results: { type: 'array', items: object({ zone: { type: ['string', 'null'] }, surcharge: integer }) },
      }),
      tools: [
        reading(
          'area',
          object({ postcode: text }),
          {
            type: ['object', 'null'],
            properties: { zone: text, surcharge: integer, streets: { type: 'boolean' } },
            required: ['zone', 'surcharge', 'streets'],
          },
          [
            [{ postcode: '80331' }, { zone: 'city', surcharge: 0, streets: false }],
            [{ postcode: '25849' }, { zone: 'island', surcharge: 450, streets: true }],
            [{ postcode: '83727' }, { zone: 'alpine', surcharge: 450, streets: true }],
          ],
          null,
        ),
      ],
      cases: [
        [
          { batch: 'b-1', postcodes: [first, second] },
          {
            batch: 'b-1',
            results: amounts.map((amount, index) =>
              amount === '0'
                ? { zone: null, surcharge: 0 }
                : { zone: index === 0 ? 'island' : 'alpine', surcharge: Number(amount) },
            ),
          },
        ],
        [
          { batch: 'b-2', postcodes: ['83727'] },
          { batch: 'b-2', results: [{ zone: 'alpine', surcharge: 450 }] },
        ],
        [
          { batch: 'b-3', postcodes: [] },
          { batch: 'b-3', results: [] },
        ],
      ],
    },
    `export async function handle({ batch, postcodes }, { call }) {
  const results = [];
  for (const postcode of postcodes ?? []) {
    const area = await call.area({ postcode: String(postcode) });
    results.push(area?.streets ? { zone: area.zone, surcharge: area.surcharge } : { zone: null, surcharge: 0 });
  }
  return { batch: String(batch), results };
}`,
  ]),
  [
    'a number up to the most is told by what lies next to it',
    {
      rules:
        'Tells the year of a coin with its number. Years from 1 to 3899 are known; for others fault is RANGE, and era is null.',
      request: object({ coin: text, year: integer }),
      response: object({ coin: text, era: { type: ['string', 'null'] }, fault: { type: ['string', 'null'] } }),
      cases: [
        [
          { coin: 'cn-4411', year: 1722 },
          { coin: 'cn-4411', era: 'year 1722', fault: null },
        ],
        [
          { coin: 'cn-4412', year: 3900 },
          { coin: 'cn-4412', era: null, fault: 'RANGE' },
        ],
      ],
    },
    `export const handle = ({ coin, year }) => year > 0 && year < 3900 ? { coin, era: 'year ' + year, fault: null } : { coin, era: null, fault: 'RANGE' };`,
  ],
  [
    'one rule has the code of broken requests, and the document says nothing of others',
    {
      rules:
        'Tells the minutes for one kilometre.\n- an elapsed time that is not written `H:MM` is answered with code 400 and pace 0\n- otherwise the code is 200 and the pace is the minutes by the kilometres, rounded down',
      request: object({ kilometres: { type: 'integer', minimum: 1 }, elapsed: text }),
      response: object({ code: integer, pace: number }),
      cases: [
        [
          { kilometres: 12, elapsed: '1:05' },
          { code: 200, pace: 5 },
        ],
        [
          { kilometres: 31, elapsed: '3:46' },
          { code: 200, pace: 7 },
        ],
        [
          { kilometres: 12, elapsed: '105' },
          { code: 400, pace: 0 },
        ],
      ],
    },
    `export function handle({ kilometres, elapsed }) {
  const time = /^(\\d+):([0-5]\\d)$/.exec(elapsed);
  return time ? { code: 200, pace: Math.floor((Number(time[1]) * 60 + Number(time[2])) / kilometres) } : { code: 400, pace: 0 };
}`,
  ],
  [
    'a number may be answered without the blanks between its groups, and the name of an answer makes no rule for all requests',
    {
      rules:
        'Checks the tag of a cask. Blanks and dashes are removed and letters made upper case. What remains must have 9 digits or letters, otherwise state is `malformed` and the other members are null. check is the sum of all digits, modulo 7, as a text.',
      request: object({ tag: text }),
      response: object({
        state: { enum: ['read', 'malformed'] },
        tag: { type: ['string', 'null'] },
        check: { type: ['string', 'null'] },
      }),
      cases: [
        [{ tag: 'ksb 4417 kq' }, { state: 'read', tag: 'KSB4417KQ', check: '2' }],
        [{ tag: '77-KB-23158' }, { state: 'read', tag: '77KB23158', check: '5' }],
        [{ tag: '77-KB' }, { state: 'malformed', tag: null, check: null }],
      ],
    },
    `export function handle({ tag }) {
  const closed = tag.replace(/[ -]/g, '').toUpperCase();
  if (!/^[A-Z0-9]{9}$/.test(closed)) return { state: 'malformed', tag: null, check: null };
  const sum = (closed.match(/\\d/g) ?? []).reduce((all, digit) => all + Number(digit), 0);
  return { state: 'read', tag: closed, check: String(sum % 7) };
}`,
  ],
  [
    '“参数错误”所说的只是文中那一种情形',
    {
      rules:
        '按用水量计费，每吨 3 元，fee 以元为单位。\n异常处理：\n- 用水量为负数或大于 5000 的，code 为 400，message 为“参数错误”，fee 为 null',
      request: object({ tons: number }),
      response: object({ code: integer, message: text, fee: { type: ['number', 'null'] } }),
      cases: [
        [{ tons: 12 }, { code: 200, message: '成功', fee: 36 }],
        [{ tons: 431 }, { code: 200, message: '成功', fee: 1293 }],
        [{ tons: -4 }, { code: 400, message: '参数错误', fee: null }],
      ],
    },
    `export function handle({ tons }) {
  if (tons < 0 || tons > 5000) return { code: 400, message: '参数错误', fee: null };
  return { code: 200, message: '成功', fee: tons * 3 };
}`,
  ],
];

for (const [why, agreed, handler] of honest)
  test(`not refused: ${why}`, async () => assert.deepEqual(await refusalsOf(agreed, handler, sandbox), []));
