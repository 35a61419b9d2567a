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

/** A ticket office whose schema lists no results: cases and prose alone name them. */
const office = (rules: string): Agreed => ({
  rules: `Seats left are read with \`readSeats\`; where there are none the result is \`gone\`. A seat is booked with \`bookSeat\`, and the guest is told with \`tellGuest\`: the result is \`booked\`.\n\n${rules}`,
  request: object({ ref: text, show: text }),
  response: object({ ref: text, result: text, reason: text, told: flag }, ['reason', 'told']),
  cases: [
    [
      { ref: 'r-1', show: 'hamlet-22' },
      { ref: 'r-1', result: 'booked', told: true },
    ],
    [
      { ref: 'r-2', show: 'lear-09' },
      { ref: 'r-2', result: 'denied', reason: 'gone' },
    ],
    [
      { ref: 'r-3', show: '' },
      { ref: 'r-3', result: 'denied', reason: 'no_show' },
    ],
  ],
  tools: [
    reading('readSeats', object({ show: text }), integer, [[{ show: 'hamlet-22' }, 41]], 0),
    acting('bookSeat', object({ show: text }), object({}), [], {}),
    acting('tellGuest', object({ show: text }), object({}), [], {}),
  ],
});

const clerk = (
  unread: object,
  unbooked: object,
  untold: object = {},
) => `export async function handle(request, { call }) {
  const ref = String(request.ref ?? ''), show = request.show;
  if (typeof show !== 'string' || show === '') return { ref, result: 'denied', reason: 'no_show' };
  let seats;
  try { seats = await call.readSeats({ show }); } catch { return { ref, ...${JSON.stringify(unread)} }; }
  if (!(seats > 0)) return { ref, result: 'denied', reason: 'gone' };
  try { await call.bookSeat({ show }); } catch { return { ref, ...${JSON.stringify(unbooked)} }; }
  try { await call.tellGuest({ show }); } catch { return { ref, result: 'booked', told: false, ...${JSON.stringify(untold)} }; }
  return { ref, result: 'booked', told: true };
}`;

const lists = [
  '| Reason | When |\n| --- | --- |\n| `no_show` | no show is named |\n| `gone` | no seats are left |\n| `system` | the seats cannot be read or booked |',
  '- `no_show` if no show is named\n- `gone` if no seats are left\n- `system` if the seats cannot be read or booked',
];
for (const [index, list] of lists.entries()) {
  test(`an item of a list has an outage, where cases show others of that list (${index + 1})`, async () => {
    const [down, gone] = [
      { result: 'denied', reason: 'system' },
      { result: 'denied', reason: 'gone' },
    ];
    assert.deepEqual(await refusalsOf(office(list), clerk(down, down), sandbox), []);
    const blind = (await refusalsOf(office(list), clerk(gone, down), sandbox)).join('\n');
    assert.match(blind, /failing-tools: .*readSeats fails: .*none of system/);
  });
}

test('what of goods is not available is no outage', async () => {
  const list =
    '- `no_show` if no show is named\n- `gone` if no seats are left\n- `closed`: the seats of this show are not available yet';
  const failed = { result: 'denied', reason: 'failed' };
  assert.deepEqual(await refusalsOf(office(list), clerk(failed, failed), sandbox), []);
});

/** Sentences by which whatever fails has one name. */
const sentences: [why: string, sentence: string, name?: string][] = [
  [
    'in German, far from its verb',
    'Schlägt das Lesen der freien Plätze (seats) oder das Buchen eines Platzes (book) fehl, ist das result `system`.',
  ],
  ['in a clause beside its code', '查询 seats 或预订 book 失败时，返回 503，此时不得重复预订。', '503'],
  ['in Spanish', 'Si `readSeats` o `bookSeat` falla, el result es `system`.'],
  ['in Chinese, far from its verb', '查询剩余座位 seats 或预订 book 失败时，result 为 `system`，此时不得重复预订。'],
];
for (const [why, sentence, name = 'system'] of sentences) {
  test(`a failure is named ${why}`, async () => {
    const [down, gone] = [{ result: name }, { result: 'denied', reason: 'gone' }];
    assert.deepEqual(await refusalsOf(office(sentence), clerk(down, down), sandbox), []);
    const blind = (await refusalsOf(office(sentence), clerk(gone, gone), sandbox)).join('\n');
    assert.match(blind, /failing-tools: .*readSeats fails: .*none of (?:system|503)/);
  });
}

test('the name of a failure stands beside what is not taken', async () => {
  const agreed = office('If `readSeats` or `bookSeat` fails, the result is `SYSTEM_DOWN` and no money is taken.');
  const [down, gone] = [{ result: 'SYSTEM_DOWN' }, { result: 'denied', reason: 'gone' }];
  assert.deepEqual(await refusalsOf(agreed, clerk(down, down), sandbox), []);
  const blind = (await refusalsOf(agreed, clerk(down, gone), sandbox)).join('\n');
  assert.match(blind, /failing-tools: .*bookSeat fails: .*none of SYSTEM_DOWN/);
});

const steps =
  '| 1 | `readSeats` for the show | the call fails: result `system` |\n| 2 | `bookSeat` for a seat of the show | the call fails: result `system` |\n\nIf telling the guest fails, the result stays what it is, and `told` is false.';

test('a row has the call of its tool fail', async () => {
  const agreed = {
    ...office(steps),
    response: object({ ref: text, result: { enum: ['booked', 'denied', 'system'] }, reason: text, told: flag }, [
      'reason',
      'told',
    ]),
  };
  assert.deepEqual(await refusalsOf(agreed, clerk({ result: 'system' }, { result: 'system' }), sandbox), []);
  const hopeful = clerk({ result: 'system' }, {}).replace(/catch \{ return \{ ref, \.\.\.\{\} \}; \}/, 'catch {}');
  assert.match((await refusalsOf(agreed, hopeful, sandbox)).join('\n'), /failing-tools: .*bookSeat fails/);
});

test('a member says that one tool failed', async () => {
  const down = { result: 'system' };
  const agreed = office(steps);
  const liar = (await refusalsOf(agreed, clerk(down, down, { told: true }), sandbox)).join('\n');
  assert.match(liar, /failing-tools: case 1, where tellGuest fails: it answers as if nothing had failed, though/);
});
