import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import type { Json, JsonObject } from '../../src/kernel/json.ts';
import { type Agreed, acting, findingsOf, integer, object, reading, refusalsOf, text } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

const nullable = (type: string) => ({ type: [type, 'null'] });

const transfer: Agreed = {
  rules:
    'take gives the litres that it really took from the tank "from". They are poured into the tank "to" with pour. If pour fails, what was taken is poured back into the tank it came from, and state is "kept". If take fails, or pouring back does, state is "broken". Otherwise state is "moved".',
  request: object({ job: text, from: text, to: text, litres: integer }),
  response: object({ job: text, state: { enum: ['moved', 'kept', 'broken'] } }),
  cases: [
    [
      { job: 'p1', from: 'tank-A7', to: 'tank-C2', litres: 400 },
      { job: 'p1', state: 'moved' },
    ],
    [
      { job: 'p2', from: 'tank-A9', to: 'tank-B5', litres: 250 },
      { job: 'p2', state: 'moved' },
    ],
  ],
  tools: [
    acting('take', object({ tank: text, litres: integer }), integer, [
      [{ tank: 'tank-A7', litres: 400 }, 380],
      [{ tank: 'tank-A9', litres: 250 }, 250],
    ]),
    acting('pour', object({ tank: text, litres: integer }), text, [], 'poured'),
  ],
};

const poursBack = `export async function handle({ job, from, to, litres }, { call }) {
  try {
    const taken = await call.take({ tank: from, litres });
    try {
      await call.pour({ tank: to, litres: taken });
      return { job, state: 'moved' };
    } catch {
      await call.pour({ tank: from, litres: taken });
      return { job, state: 'kept' };
    }
  } catch {
    return { job, state: 'broken' };
  }
}`;

const contracts: Agreed = {
  rules:
    'terms tells start and end of a lease, or null for one that is unknown. payments are the dates count months after start for each count from 1, at most "months" of them and none later than end. There are none for an unknown lease.',
  request: object({ lease: text, months: integer }),
  response: object({ lease: text, payments: { type: 'array', items: text } }),
  cases: [
    [
      { lease: 'lease-81', months: 9 },
      { lease: 'lease-81', payments: ['2031-03-17', '2031-04-17', '2031-05-17'] },
    ],
    [
      { lease: 'lease-82', months: 2 },
      { lease: 'lease-82', payments: ['2033-07-05', '2033-08-05'] },
    ],
    [
      { lease: 'lease-99', months: 4 },
      { lease: 'lease-99', payments: [] },
    ],
  ],
  tools: [
    reading(
      'terms',
      object({ lease: text }),
      { type: ['object', 'null'], properties: { start: text, end: nullable('string') }, required: ['start', 'end'] },
      [
        [{ lease: 'lease-81' }, { start: '2031-02-17', end: '2031-05-17' }],
        [{ lease: 'lease-82' }, { start: '2033-06-05', end: null }],
      ],
      null,
    ),
  ],
};

const payments = `const plus = (start, months) => {
  const [year, month, day] = start.split('-').map(Number);
  return new Date(Date.UTC(year, month - 1 + months, day)).toISOString().slice(0, 10);
};
export async function handle({ lease, months }, { call }) {
  const terms = await call.terms({ lease });
  if (!terms) return { lease, payments: [] };
  const all = Array.from({ length: months }, (_, nth) => plus(terms.start, nth + 1));
  return { lease, payments: all.filter((day) => terms.end === null || day <= terms.end) };
}`;

const reasons: Agreed = {
  rules:
    'grade gives the grade of a stone. outcome is "graded" and reason the grade. If it gives null, outcome is "unknown" and reason the stone. If grade fails, outcome is "offline" and reason is the empty string.',
  request: object({ stone: text }),
  response: object({ outcome: { enum: ['graded', 'unknown', 'offline'] }, reason: text }),
  cases: [
    [{ stone: 'ruby-4471' }, { outcome: 'graded', reason: 'VVS-18' }],
    [{ stone: 'opal-9020' }, { outcome: 'unknown', reason: 'opal-9020' }],
  ],
  tools: [reading('grade', object({ stone: text }), nullable('string'), [[{ stone: 'ruby-4471' }, 'VVS-18']], null)],
};

const grades = `export async function handle({ stone }, { call }) {
  try {
    const grade = await call.grade({ stone });
    return grade === null ? { outcome: 'unknown', reason: String(stone) } : { outcome: 'graded', reason: grade };
  } catch {
    return { outcome: 'offline', reason: '' };
  }
}`;

const sailing: Agreed = {
  rules:
    'depth tells the water over the bar in cm, or null for a harbour that is unknown: outcome is "unknown". tide gives what the tide adds to it. outcome is "open" if both together are at least the draught, "closed" otherwise. If a tool fails, outcome is "broken". If tide fails, we count on low water.',
  request: object({ harbour: text, draught: integer }),
  response: object({ harbour: text, outcome: { enum: ['open', 'closed', 'unknown', 'broken'] } }),
  cases: [
    [
      { harbour: 'port-51', draught: 410 },
      { harbour: 'port-51', outcome: 'open' },
    ],
    [
      { harbour: 'port-62', draught: 530 },
      { harbour: 'port-62', outcome: 'closed' },
    ],
    [
      { harbour: 'port-70', draught: 210 },
      { harbour: 'port-70', outcome: 'unknown' },
    ],
  ],
  tools: [
    reading('depth', object({ harbour: text }), nullable('integer'), [
      [{ harbour: 'port-51' }, 360],
      [{ harbour: 'port-62' }, 440],
      [{ harbour: 'port-70' }, null],
    ]),
    reading('tide', object({ harbour: text }), integer, [
      [{ harbour: 'port-51' }, 90],
      [{ harbour: 'port-62' }, 70],
    ]),
  ],
};

const sails = `export async function handle({ harbour, draught }, { call }) {
  try {
    const depth = await call.depth({ harbour });
    if (depth === null) return { harbour, outcome: 'unknown' };
    const tide = await call.tide({ harbour }).catch(() => 0);
    return { harbour, outcome: depth + tide >= draught ? 'open' : 'closed' };
  } catch {
    return { harbour, outcome: 'broken' };
  }
}`;

test('a tool with a sentence of its own is not held to the one about any', async () => {
  assert.deepEqual(await refusalsOf(sailing, sails, sandbox), []);
});

test('refused all the same: a tool without such a sentence', async () => {
  const rules = sailing.rules.replace(' If tide fails, we count on low water.', '');
  assert.match((await refusalsOf({ ...sailing, rules }, sails, sandbox)).join('\n'), /where tide fails: .*broken/);
});

test('the same tool may put back what it failed to put elsewhere', async () => {
  assert.deepEqual(await refusalsOf(transfer, poursBack, sandbox), []);
});

test('refused all the same: who asks the same again', async () => {
  const twice = poursBack.replace('pour({ tank: from,', 'pour({ tank: to,');
  assert.match((await refusalsOf(transfer, twice, sandbox)).join('\n'), /side-effects: .*pour failed once/);
});

test('refused all the same: who goes on though the document has nothing of it', async () => {
  const rules = transfer.rules
    .replace(/If pour fails, .*?"kept"\./, 'If pour fails, state is "kept".')
    .replace(', or pouring back does,', '');
  assert.match(
    (await refusalsOf({ ...transfer, rules }, poursBack, sandbox)).join('\n'),
    /side-effects: .*pour failed once/,
  );
});

test('a date that a tool tells may be a bound of what is worked out', async () => {
  assert.deepEqual(await refusalsOf(contracts, payments, sandbox), []);
});

test('refused all the same: dates by heart', async () => {
  const byHeart = payments.replace('day <= terms.end)', "day <= '2031-05-17')");
  assert.notDeepEqual(await refusalsOf(contracts, byHeart, sandbox), []);
});

test('a text may be empty where the document has it so', async () => {
  assert.deepEqual(await refusalsOf(reasons, grades, sandbox), []);
});

test('refused all the same: an empty text that nobody agreed on', async () => {
  const rules = reasons.rules.replace(' and reason is the empty string', '');
  assert.match((await refusalsOf({ ...reasons, rules }, grades, sandbox)).join('\n'), /empty text at \/reason/);
});

const rides = (rule: string): Agreed => ({
  rules: `\`passenger\` has the balance of a card. The price is charged with \`charge\`, then the seat is taken with \`takeSeat\`: state "booked". ${rule}`,
  request: object({ ride: text, card: text, cents: integer }),
  response: object({ ride: text, state: { enum: ['booked', 'short', 'broken'] }, refund: integer }, ['refund']),
  tools: [
    reading('passenger', object({ card: text }), object({ paid: integer }), [
      [{ card: 'C-7701' }, { paid: 900 }],
      [{ card: 'C-8802' }, { paid: 10 }],
    ]),
    acting('charge', object({ card: text, cents: integer }), { type: 'null' }, [], null),
    acting('payBack', object({ card: text, cents: integer }), { type: 'null' }, [], null),
    acting('takeSeat', object({ ride: text }), { type: 'null' }, [], null),
  ],
  cases: [
    [
      { ride: 'r-17', card: 'C-7701', cents: 320 },
      { ride: 'r-17', state: 'booked' },
    ],
    [
      { ride: 'r-18', card: 'C-8802', cents: 320 },
      { ride: 'r-18', state: 'short' },
    ],
  ],
});
const riding = `export async function handle({ ride, card, cents }, { call }) {
  try {
    const { paid } = await call.passenger({ card });
    if (paid < cents) return { ride, state: 'short' };
    await call.charge({ card, cents });
    try { await call.takeSeat({ ride }); } catch {
      await call.payBack({ card, cents });
      return { ride, state: 'broken' };
    }
    return { ride, state: 'booked' };
  } catch { return { ride, state: 'broken' }; }
}`;

for (const rule of [
  'Si `takeSeat` échoue, on rembourse avec `payBack`.',
  'Wird kein Platz frei, zahlt `payBack` zurück, falls bezahlt war.',
  'Lost seats are made good with `payBack`.',
  'The refund is `paid` × (days left / 365), rounded down to whole cents; it is given by the passenger. Failure codes: "broken".',
])
  test(`a tool that the cases have no use for need not be called, and a rounded number is no failure: ${rule}`, async () => {
    assert.deepEqual(await refusalsOf(rides(rule), riding, sandbox), []);
  });

const barrier: Agreed = {
  rules:
    '`出场 <车牌>`：用`findCar`查询车辆，用`takeFee`收费，再用`liftBar`抬杆。收费后没能抬杆的，用`giveBack`退还该费用。\n\n| 响应 | 含义 |\n| --- | --- |\n| `放行 <车牌>` | 已抬杆 |\n| `拒绝 未入场` | 该车不在场内 |\n| `拒绝 未缴费` | 收费没有成功 |\n| `错误 系统` | 查询车辆记录失败，或没能抬杆 |\n| `错误 格式` | 没有这个命令 |',
  cases: [
    ['出场 沪A63K18', '放行 沪A63K18'],
    ['出场 浙B0927M', '放行 浙B0927M'],
    ['出场 苏E55Q02', '拒绝 未入场'],
    ['离开 沪A63K18', '错误 格式'],
  ],
  tools: [
    {
      ...(reading(
        'findCar',
        object({ plate: text }),
        object({ yuan: { type: ['integer', 'null'] } }),
        [
          [{ plate: '沪A63K18' }, { yuan: 18 }],
          [{ plate: '浙B0927M' }, { yuan: 24 }],
        ],
        { yuan: null },
      ) as Record<string, Json>),
      description: '查询场内车辆',
    },
    ...['takeFee', 'liftBar', 'giveBack'].map((name, index) => ({
      ...(acting(name, object({ plate: text }), object({ done: { type: 'boolean' } }), [
        [{ plate: '沪A63K18' }, { done: true }],
        [{ plate: '浙B0927M' }, { done: true }],
      ]) as Record<string, Json>),
      description: ['从车主账户收费', '抬起出口栏杆', '退还费用'][index] as string,
    })),
  ],
};
const leaving = (undo: string) => `export async function handle(text, { call }) {
  const [, plate] = /^出场 (\\S+)$/.exec(String(text).trim()) ?? [];
  if (plate === undefined) return '错误 格式';
  const done = (promise) => promise.then(({ done }) => done, () => false);
  let car;
  try { car = await call.findCar({ plate }); } catch { return '错误 系统'; }
  if (car.yuan === null) return '拒绝 未入场';
  if (!(await done(call.takeFee({ plate })))) return '拒绝 未缴费';
  if (await done(call.liftBar({ plate }))) return '放行 ' + plate;
  ${undo}
  return '错误 系统';
}`;

test('the name of an answer says nothing of which tool fails, and what undoes is not called where nothing failed', async () => {
  assert.deepEqual(await refusalsOf(barrier, leaving('await done(call.giveBack({ plate }));'), sandbox), []);
});

const order: Agreed = {
  rules:
    'stock tells how many there are and the price in cents of one, or null for an item that is unknown: state is then "unknown". With too few, state is "short" and nothing is ordered. Otherwise place orders them, and state is "placed". On failure order is null.',
  request: object({ messageId: text, item: text, count: integer }),
  response: object({ messageId: text, state: { enum: ['placed', 'short', 'unknown'] }, order: nullable('object') }),
  cases: [
    [
      { messageId: 'm1', item: 'cup-A7', count: 20 },
      { messageId: 'm1', state: 'placed', order: { number: 'OD-7001', cents: 5600 } },
    ],
    [
      { messageId: 'm2', item: 'cup-B9', count: 90 },
      { messageId: 'm2', state: 'short', order: null },
    ],
    [
      { messageId: 'm3', item: 'cup-X1', count: 10 },
      { messageId: 'm3', state: 'unknown', order: null },
    ],
  ],
  tools: [
    reading('stock', object({ item: text }), nullable('object'), [
      [{ item: 'cup-A7' }, { left: 310, cents: 280 }],
      [{ item: 'cup-B9' }, { left: 30, cents: 300 }],
      [{ item: 'cup-X1' }, null],
    ]),
    acting('place', object({ item: text, count: integer }), text, [[{ item: 'cup-A7', count: 20 }, 'OD-7001']]),
  ],
};

const letsThrough = `export async function handle({ messageId, item, count }, { call }) {
  const found = await call.stock({ item });
  if (found === null) return { messageId, state: 'unknown', order: null };
  if (found.left < count) return { messageId, state: 'short', order: null };
  const number = await call.place({ item, count });
  return { messageId, state: 'placed', order: { number, cents: found.cents * count } };
}`;

test('a failing tool may pass through where all that an answer can say is said of something else', async () => {
  assert.deepEqual(await refusalsOf(order, letsThrough, sandbox), []);
  const state = { enum: ['placed', 'short', 'unknown', 'broken'] };
  const open = object({ messageId: text, state, order: nullable('object') });
  assert.notDeepEqual(await refusalsOf({ ...order, response: open }, letsThrough, sandbox), [], 'one value is left');
  const told = object(
    { messageId: text, state: { enum: ['placed', 'short', 'unknown'] }, order: nullable('object'), note: text },
    ['note'],
  );
  assert.notDeepEqual(await refusalsOf({ ...order, response: told }, letsThrough, sandbox), [], 'a text may say it');
});

test('a refusal stays the one that it was where the failure of a tool leaves the answer the same', async () => {
  const plans: Agreed = {
    rules: `A plan is read with \`getPlan\`, changed with \`changePlan\`, and each attempt is written down with \`writeAudit\`.

- 409: the plan cannot be changed; the attempt is written down.
- 503: \`getPlan\` fails (nothing is written to the audit log), or \`changePlan\` fails (an entry of the event is written).
- When \`writeAudit\` fails, the answer is the same, but \`entry\` is null.`,
    request: object({ id: text, plan: text }),
    response: object({ code: integer, entry: { type: ['string', 'null'] } }),
    cases: [
      [
        { id: 'S-71', plan: 'large' },
        { code: 200, entry: 'AU-501' },
      ],
      [
        { id: 'S-72', plan: 'large' },
        { code: 409, entry: 'AU-502' },
      ],
    ],
    tools: [
      reading('getPlan', object({ id: text }), object({ isFixed: { type: 'boolean' } }), [
        [{ id: 'S-71' }, { isFixed: false }],
        [{ id: 'S-72' }, { isFixed: true }],
      ]),
      acting('changePlan', object({ id: text, plan: text }), object({}), [[{ id: 'S-71', plan: 'large' }, {}]]),
      acting('writeAudit', object({ id: text, code: integer }), object({ entry: text }), [
        [{ id: 'S-71', code: 200 }, { entry: 'AU-501' }],
        [{ id: 'S-72', code: 409 }, { entry: 'AU-502' }],
      ]),
    ],
  };
  const changing = `export async function handle({ id, plan }, { call }) {
  const noted = async (code) => {
    try { return { code, entry: (await call.writeAudit({ id, code })).entry }; } catch { return { code, entry: null }; }
  };
  let isFixed;
  try { ({ isFixed } = await call.getPlan({ id })); } catch { return { code: 503, entry: null }; }
  if (isFixed) return noted(409);
  try { await call.changePlan({ id, plan }); } catch { return noted(503); }
  return noted(200);
}`;
  assert.deepEqual(await refusalsOf(plans, changing, sandbox), []);
  for (const mark of ['-', '+', '●']) {
    const rules = plans.rules
      .replaceAll('\n- ', `\n${mark} `)
      .replace('of the event is', 'with the event `NOT_CHANGED` is');
    assert.deepEqual(await refusalsOf({ ...plans, rules }, changing, sandbox), [], `with ${mark} before each item`);
  }
});

test('a call that a sentence only points at is the one that the sentence before it names', async () => {
  const seats: Agreed = {
    rules: `The event is read with \`getEvent\`.

**Hold.** \`holdSeats\` is called.

**Release.** Where fewer seats are held than asked for, \`releaseSeats\` is called, and the answer is SOLD_OUT. The result of this call does not change the answer: even if it fails, the result remains that of the step that led here.

NO_EVENTS means that \`getEvent\` failed, NOT_HELD that \`holdSeats\` failed.`,
    request: object({ id: text, seats: integer }),
    response: object({ result: { enum: ['HELD', 'SOLD_OUT', 'NO_EVENTS', 'NOT_HELD'] } }),
    cases: [
      [{ id: 'E-71', seats: 2 }, { result: 'HELD' }],
      [{ id: 'E-72', seats: 3 }, { result: 'SOLD_OUT' }],
    ],
    tools: [
      reading('getEvent', object({ id: text }), object({ hall: text }), [
        [{ id: 'E-71' }, { hall: 'H-1' }],
        [{ id: 'E-72' }, { hall: 'H-2' }],
      ]),
      acting('holdSeats', object({ hall: text, seats: integer }), object({ hold: text, held: integer }), [
        [
          { hall: 'H-1', seats: 2 },
          { hold: 'HO-1', held: 2 },
        ],
        [
          { hall: 'H-2', seats: 3 },
          { hold: 'HO-2', held: 1 },
        ],
      ]),
      acting('releaseSeats', object({ hold: text }), object({}), [[{ hold: 'HO-2' }, {}]]),
    ],
  };
  const holding = (onRelease: string) => `export async function handle({ id, seats }, { call }) {
  let hall;
  try { ({ hall } = await call.getEvent({ id })); } catch { return { result: 'NO_EVENTS' }; }
  let held;
  try { held = await call.holdSeats({ hall, seats }); } catch { return { result: 'NOT_HELD' }; }
  if (held.held === seats) return { result: 'HELD' };
  try { await call.releaseSeats({ hold: held.hold }); } catch { ${onRelease} }
  return { result: 'SOLD_OUT' };
}`;
  assert.deepEqual(await refusalsOf(seats, holding(''), sandbox), []);
});

test('a courtesy that fails makes no failure of the answer', async () => {
  const shelter: Agreed = {
    rules: `The animal is kept with \`reserve\`. Then the keeper is told (\`tellKeeper\`). This is a courtesy: if it fails, the response does not change.

- **NotKept**: the animal could not be kept because the system failed.`,
    request: object({ animal: text }),
    response: object({ decision: { enum: ['YES', 'ERROR'] }, error: text }, ['error']),
    cases: [[{ animal: 'A-114' }, { decision: 'YES' }]],
    tools: [
      acting('reserve', object({ animal: text }), object({}), [[{ animal: 'A-114' }, {}]]),
      acting('tellKeeper', object({ animal: text }), object({}), [[{ animal: 'A-114' }, {}]]),
    ],
  };
  const keeping = (told: string) => `export async function handle({ animal }, { call }) {
  try {
    await call.reserve({ animal });
    ${told}
    return { decision: 'YES' };
  } catch {
    return { decision: 'ERROR', error: 'NotKept' };
  }
}`;
  assert.deepEqual(
    await refusalsOf(shelter, keeping('await call.tellKeeper({ animal }).catch(() => {});'), sandbox),
    [],
  );
  assert.match(
    (await findingsOf(shelter, keeping('await call.tellKeeper({ animal });'), sandbox)).join('\n'),
    /where tellKeeper fails: the answer (?:is a failure|has NotKept), though "This is a courtesy/,
  );
});

test('a sentence that says what comes of an act that could not be done goes before the name of other failures', async () => {
  const rides: Agreed = {
    rules:
      'Rides are read with `findRides`; the driver of the first is asked for a seat with `requestSeat`.\n\n* The rides cannot be read: 502.\n* The seat request cannot be sent: 200, and `asked` is false.\n* There is no ride: 404.',
    request: object({ ref: text, from: text }),
    response: object({ ref: text, code: integer, rides: { type: 'array', items: text }, asked: { type: 'boolean' } }),
    cases: [
      [
        { ref: 'c-1', from: 'Erkner' },
        { ref: 'c-1', code: 200, rides: ['R-3180', 'R-3051'], asked: true },
      ],
      [
        { ref: 'c-2', from: 'Xanten' },
        { ref: 'c-2', code: 404, rides: [], asked: false },
      ],
    ],
    tools: [
      reading(
        'findRides',
        object({ from: text }),
        { type: 'array', items: text },
        [[{ from: 'Erkner' }, ['R-3180', 'R-3051']]],
        [],
      ),
      {
        ...(acting('requestSeat', object({ ride: text }), object({ id: text }), [], { id: 'SR-5512' }) as JsonObject),
        description: 'Sends the driver of a ride a request for a seat.',
      },
    ],
  };
  const asks = `export async function handle({ ref, from }, { call }) {
  let rides;
  try { rides = await call.findRides({ from }); } catch { return { ref, code: 502, rides: [], asked: false }; }
  if (rides.length === 0) return { ref, code: 404, rides: [], asked: false };
  try { await call.requestSeat({ ride: rides[0] }); } catch { return { ref, code: 200, rides, asked: false }; }
  return { ref, code: 200, rides, asked: true };
}`;
  assert.deepEqual(await refusalsOf(rides, asks, sandbox), []);
});

test('what was told before a tool failed may be a reason of its own to refuse', async () => {
  const pages: Agreed = {
    rules:
      'Hits are read with `readHits` by query and cursor until there is no further cursor. Two hits are a page.\n\n- `502`: the first batch could not be read.\n- `206`: a batch behind the first could not be read; those before it are all there is.\n- `404`: there is no such page, whether or not all could be read.',
    request: object({ ref: text, query: text, page: { type: 'integer', minimum: 1 } }),
    response: object({ ref: text, code: integer, hits: { type: 'array', items: text } }),
    cases: [
      [
        { ref: 'q-1', query: 'hinge', page: 2 },
        { ref: 'q-1', code: 200, hits: ['EP3822160', 'FR3098772'] },
      ],
      [
        { ref: 'q-2', query: 'hinge', page: 1 },
        { ref: 'q-2', code: 200, hits: ['EP3410021', 'US1120339'] },
      ],
      [
        { ref: 'q-3', query: 'lever', page: 2 },
        { ref: 'q-3', code: 404, hits: [] },
      ],
    ],
    tools: [
      reading(
        'readHits',
        object({ query: text, cursor: text }, ['cursor']),
        object({ hits: { type: 'array', items: text }, next: { type: ['string', 'null'] } }),
        [
          [{ query: 'hinge' }, { hits: ['EP3410021', 'US1120339'], next: 'c2-77ab' }],
          [
            { query: 'hinge', cursor: 'c2-77ab' },
            { hits: ['EP3822160', 'FR3098772'], next: null },
          ],
          [{ query: 'lever' }, { hits: ['DE1020180'], next: null }],
        ],
      ),
    ],
  };
  const reads = (nothing: number) => `export async function handle({ ref, query, page }, { call }) {
  const all = [];
  let cursor, code = 200;
  try {
    for (let read = 0; read < 5 && (read === 0 || cursor); read++) {
      const batch = await call.readHits(cursor ? { query, cursor } : { query });
      all.push(...batch.hits);
      cursor = batch.next;
    }
  } catch {
    if (all.length === 0) return { ref, code: ${nothing}, hits: [] };
    code = 206;
  }
  const hits = all.slice(page * 2 - 2, page * 2);
  return hits.length === 0 ? { ref, code: 404, hits } : { ref, code, hits };
}`;
  assert.deepEqual(await refusalsOf(pages, reads(502), sandbox), []);
  assert.match((await refusalsOf(pages, reads(404), sandbox)).join('\n'), /readHits fails: .*none of .*502/);
});
