import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { candidatesFolder, measureOf, tryCandidate } from '../../scripts/try-candidate.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

type Edit = readonly [from: string, to: string];

async function trialOf(agreement: string, file: string, edits: readonly Edit[], inJob: readonly Edit[] = []) {
  const read = (name: string) => readFile(new URL(`${agreement}/${name}`, candidatesFolder), 'utf8');
  const order = measureOf(JSON.parse(edited(await read('job.json'), inJob)));
  return tryCandidate(order, edited(await read(`${file}.ts`), edits), sandbox);
}

function edited(text: string, edits: readonly Edit[]): string {
  return edits.reduce((all, [from, to]) => {
    assert.ok(all.includes(from), `wanted ${JSON.stringify(from)} in the text`);
    return all.replace(from, to);
  }, text);
}

// One small change to a sound handler each, and the finding that must come of it.
const refused: readonly [what: string, agreement: string, file: string, edit: Edit, finding: RegExp][] = [
  [
    'an empty answer',
    'password-policy',
    'sound',
    ["{ ticket: String(ticket ?? ''), acceptable: false, faults: [] }", '{} as Response'],
    /^generated-requests: .*the answer is empty/,
  ],
  [
    'an empty request that is accepted',
    'ticket-states',
    'sound',
    ["{ ticket, accepted: false, state: 'open' }", "{ ticket, accepted: true, state: 'open' }"],
    /^generated-requests: .*an empty object.*accepted: false/,
  ],
  [
    'a missing member that is blamed on a system',
    'hotel-booking',
    'sound',
    ["typeof request.roomType !== 'string'", 'false'],
    /^generated-requests: .*without roomType.*INVALID_REQUEST/,
  ],
  [
    'an answer without a member that no tool tells',
    'regional-sales',
    'sound',
    [
      "code: 404, message: 'Not found' }",
      "code: 404, ...(store.length > 8 ? {} : { message: 'Not found' }) } as Response",
    ],
    /^generated-requests: .*that the schema allows .*breaks its schema at "".*message/,
  ],
  [
    'a success of its own making where the peer says nothing',
    'parts-order',
    'sound',
    ['toISOString(), lines });', 'toISOString(), lines }).catch(() => ({ orderId, accepted: true, eta: undefined }));'],
    /^requester-peer: .*success without an answer/,
  ],
  [
    'a text that is no message at all',
    'next-appointment-xml',
    'sound-a',
    ['<fault visit="" code="bad-request"/>', ''],
    /^generated-requests: .*no message at all/,
  ],
  ['an empty id', 'parts-order', 'sound', ['`po-$' + '{context.newId()}`', "''"], /^case 1: .*an id that is not empty/],
  [
    'a time in another unit',
    'word-search',
    'sound',
    ['context.now() / 1000', 'context.now() * 1000'],
    /^case 1: .*a time of the same form/,
  ],
  [
    'a bound of the schema that is left out',
    'catalogue-pages',
    'sound',
    ['pageSize > 50', 'pageSize >= 50'],
    /^limits: .*pageSize 50, which the schema allows/,
  ],
  [
    'a limit of the document that is let through',
    'payment-refund',
    'sound',
    ['amount <= 0', 'amount < 0'],
    /^limits: .*amount 0 the answer has no AMOUNT/,
  ],
  [
    'too little that is acted on',
    'stock-reserve',
    'sound-a',
    ['quantity < 1 || ', ''],
    /^limits: .*quantity 0, which the schema forbids/,
  ],
  [
    'an event that the document does not list',
    'ticket-states',
    'sound',
    ["closed: { reopen: 'open' }", "closed: { reopen: 'open', close: 'open' }"],
    /^transitions: close leaves closed as it is/,
  ],
  [
    'words for numbers',
    'tank-levels',
    'sound-b',
    [' || Number.isNaN(h) || Number.isNaN(a)', ''],
    /^generated-requests: .*the answer says NaN/,
  ],
  [
    'an act before the check, whatever comes of it',
    'stock-reserve',
    'sound-a',
    [
      '    if (stock.pieces <',
      '    if (stock.pieces < quantity) await context.call.reserve({ sku, quantity }).catch(() => null);\n    if (stock.pieces <',
    ],
    /^side-effects: .*whether reserve succeeds or not/,
  ],
  [
    'the second page, asked for and left out',
    'overdue-invoices',
    'sound-b',
    ['[...page.items, ...(rest ?? [])]', 'rest && page.items'],
    /^paging: .*of the second page is not in the answer/,
  ],
];

for (const [what, agreement, file, edit, finding] of refused) {
  test(`refused: ${what}`, async () => {
    const { refusedFor } = await trialOf(agreement, file, [edit]);
    assert.ok(
      refusedFor.some((why) => finding.test(why)),
      `wanted ${finding} among ${JSON.stringify(refusedFor)}`,
    );
  });
}

const firstPage: Edit = ['page.nextCursor === null', 'page.nextCursor !== undefined'];

test('where the document does not want all, a page that is not read is no reason to refuse', async () => {
  const { refusedFor, verification } = await trialOf(
    'overdue-invoices',
    'sound-b',
    [firstPage],
    [['all overdue invoices', 'overdue invoices']],
  );
  assert.deepEqual(refusedFor, []);
  assert.deepEqual(
    verification?.warnings.filter(({ check }) => check === 'paging').map(({ code }) => code),
    ['CANDIDATE_PAGES_UNREAD'],
  );
});

test('refused: two equal members of which one must lie behind the other', async () => {
  const { refusedFor } = await trialOf(
    'hotel-booking',
    'sound',
    [['nights < 1', 'nights < 0']],
    [[String.raw`"checkOut\": \"2026-08-05`, String.raw`"checkOut\": \"2026-08-04`]],
  );
  assert.ok(
    refusedFor.some((why) => /^limits: .*checkOut equal to checkIn/.test(why)),
    JSON.stringify(refusedFor),
  );
});

test('a member that nobody looks at may be missing: only warned of', async () => {
  const { refusedFor, verification } = await trialOf(
    'stock-reserve',
    'sound-a',
    [],
    [
      [
        String.raw`\"sku\": {\n      \"type\": \"string\"\n    },`,
        String.raw`\"sku\": {\n      \"type\": \"string\"\n    },\n    \"sent\": {\n      \"type\": \"string\"\n    },`,
      ],
      [String.raw`\"required\": [\n    \"messageId\",`, String.raw`\"required\": [\n    \"sent\",\n    \"messageId\",`],
      [String.raw`\"sku\": \"BR-7710\",`, String.raw`\"sku\": \"BR-7710\",\n  \"sent\": \"now\",`],
      [String.raw`\"sku\": \"BR-7711\",`, String.raw`\"sku\": \"BR-7711\",\n  \"sent\": \"now\",`],
      [String.raw`\"sku\": \"BR-0000\",`, String.raw`\"sku\": \"BR-0000\",\n  \"sent\": \"now\",`],
    ],
  );
  assert.deepEqual(refusedFor, []);
  assert.match(
    verification?.warnings.map(({ message }) => message).join('; ') ?? '',
    /without sent.*the answer has none of 400/,
  );
});

test('a protocol that has pages itself is left alone', async () => {
  const { verification } = await trialOf('catalogue-pages', 'sound', []);
  const report = verification?.reports.find(({ name }) => name === 'paging');
  assert.deepEqual([report?.result, report?.message], ['skipped', 'the protocol itself has pages']);
});

test('a tool that tells days in no order leaves it to the handler', async () => {
  const { verification } = await trialOf('overdue-invoices', 'sound-a', [
    [
      'items.sort((a, b) => a.due.localeCompare(b.due));',
      "if (items[0]?.due.startsWith('2025-08')) items.push(items.shift()!);",
    ],
  ]);
  assert.match(
    verification?.failures.find(({ check }) => check === 'sorting')?.message ?? '',
    /the list of listOverdue/,
  );
});

test('a text that the cases alone tell is warned of, though its place takes other values', async () => {
  const { verification } = await trialOf('tank-levels', 'faulty-one-tank', []);
  assert.match(verification?.warnings.find(({ check }) => check === 'literal-audit')?.message ?? '', /473\.06/);
});

test('ids of a text are data word by word', async () => {
  const { refusedFor } = await trialOf('tank-levels', 'sound-a', [
    ['if (!found)', "if (found?.[1] === 'T-4410') return 'TANK T-4410 LITRES 473.06 STATE OK';\n  if (!found)"],
  ]);
  assert.ok(
    refusedFor.some((why) => /^literal-audit: .*"T-4410"/.test(why)),
    JSON.stringify(refusedFor),
  );
});

for (const [agreement, why] of [
  ['frame-relay', 'words that all texts share are no data'],
  ['book-order', 'a handler may tell the failures of a tool apart by their words'],
  ['credit-decision', 'a second limit, and a member that nobody looks at, are no fault'],
] as const) {
  for (const file of ['sound-a', 'sound-b'])
    test(`not refused: ${agreement}/${file}: ${why}`, async () => {
      assert.deepEqual((await trialOf(agreement, file, [])).refusedFor, []);
    });
}
