import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import type { Json } from '../../src/kernel/json.ts';
import { type Agreed, integer, object, reading, refusalsOf, text } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

const orNull = (schema: Json): Json => ({ anyOf: [schema, { type: 'null' }] });
const some = object({ loans: integer });

/** A library that looks up a reader and what is on loan; ids of requests look like codes. */
const library = (rows: string): Agreed => ({
  rules: `The reader is read with findReader, and the loans with countLoans. Marks that the reader left are ignored.

| code | message | meaning |
| --- | --- | --- |
| 200 | Read | the reader is known |
| 404 | No reader | findReader answers null |
${rows}`,
  request: object({ id: text, reader: text }),
  response: object({ id: text, code: integer, loans: { type: ['integer', 'null'] } }, ['loans']),
  cases: [
    [
      { id: 'q-501', reader: 'R-44' },
      { id: 'q-501', code: 200, loans: 3 },
    ],
    [
      { id: 'q-502', reader: 'R-71' },
      { id: 'q-502', code: 200, loans: 8 },
    ],
    [
      { id: 'q-503', reader: 'R-99' },
      { id: 'q-503', code: 404 },
    ],
  ],
  tools: [
    reading('findReader', object({ reader: text }), orNull(object({ card: text })), [
      [{ reader: 'R-44' }, { card: 'CA-1' }],
      [{ reader: 'R-71' }, { card: 'CA-2' }],
      [{ reader: 'R-99' }, null],
    ]),
    reading('countLoans', object({ card: text }), some, [
      [{ card: 'CA-1' }, { loans: 3 }],
      [{ card: 'CA-2' }, { loans: 8 }],
    ]),
  ],
});

const librarian = (noReader: string, noLoans: string) => `export async function handle({ id, reader }, { call }) {
  let found;
  try {
    found = await call.findReader({ reader });
  } catch {
    ${noReader}
  }
  if (!found) return { id, code: 404 };
  try {
    return { id, code: 200, loans: (await call.countLoans({ card: found.card })).loans };
  } catch {
    ${noLoans}
  }
}`;

const [unavailable, without] = ['return { id, code: 503 };', 'return { id, code: 200, loans: null };'];

for (const rows of [
  '| 503 | Reading failed | `findReader` or `countLoans` reports an error or does not answer |',
  '| 503 | System unavailable | `findReader` or `countLoans` raises an error |',
])
  test(`a tool is found behind a message that says so as well: ${rows}`, async () => {
    assert.deepEqual(await refusalsOf(library(rows), librarian(unavailable, unavailable), sandbox), []);
    assert.match((await refusalsOf(library(rows), librarian('', unavailable), sandbox)).join('\n'), /none of 503/);
    assert.notDeepEqual(await refusalsOf(library(rows), librarian(unavailable, without), sandbox), []);
  });

for (const rows of [
  '| 503 | No directory | `findReader` fails |\n\nIf countLoans fails, the reader is told as usual, with `loans` set to `null`.',
  '| 503 | No directory | `findReader` fails |\n\nIf countLoans fails: the reader is told all the same; `loans` is `null`.',
])
  test(`a failure that is told by a value alone has no name: ${rows}`, async () => {
    assert.deepEqual(await refusalsOf(library(rows), librarian(unavailable, without), sandbox), []);
    assert.match(
      (await refusalsOf(library(rows), librarian(unavailable, unavailable), sandbox)).join('\n'),
      /where countLoans fails: it is answered otherwise/,
    );
  });

test('a value under another condition is not asked for', async () => {
  const rows =
    '| 503 | No directory | `findReader` fails |\n\nIf countLoans fails, `loans` is `null` unless the reader is blocked. Otherwise a failure of countLoans is 503.';
  assert.deepEqual(await refusalsOf(library(rows), librarian(unavailable, unavailable), sandbox), []);
});

test('a failing tool is told by its own name, where the document has it so', async () => {
  const named = {
    ...library('\nIf a tool fails, the answer is code 503 with the name of that tool in `tool`.'),
    response: object({ id: text, code: integer, loans: integer, tool: text }, ['loans', 'tool']),
  };
  const failing = (reader: string, loans: string) =>
    librarian(`return { id, code: 503, tool: '${reader}' };`, `return { id, code: 503, tool: '${loans}' };`);
  assert.deepEqual(await refusalsOf(named, failing('findReader', 'countLoans'), sandbox), []);
  assert.match(
    (await refusalsOf(named, failing('findReader', 'findReader'), sandbox)).join('\n'),
    /does not name countLoans/,
  );
});

test('the only tool of a requester may be called just that', async () => {
  const agreed: Agreed = {
    rules: 'The question names an account, and the answer its price.',
    request: object({ account: text }),
    response: object({ price: integer }),
    cases: [
      [{ account: '40017' }, { price: 731 }],
      [{ account: '58820' }, { price: 419 }],
    ],
    task: {
      description:
        'Ask the price for a port. The account comes from our own tool. If the tool fails, status is `unavailable` and no question is sent; so it is if no answer comes.',
      inputSchema: object({ port: text }),
      outputSchema: object({ status: { enum: ['ok', 'unavailable'] }, price: integer }, ['price']),
      examples: [
        { testCase: 1, input: { port: 'DEHAM' }, output: { status: 'ok', price: 731 } },
        { testCase: 2, input: { port: 'PTLIS' }, output: { status: 'ok', price: 419 } },
      ],
    },
    tools: [
      reading('contractFor', object({ port: text }), object({ account: text }), [
        [{ port: 'DEHAM' }, { account: '40017' }],
        [{ port: 'PTLIS' }, { account: '58820' }],
      ]),
    ],
  };
  const asking = (outside: string, inside: string) => `export async function perform({ port }, { send, call }) {
  ${outside}
  try {
    ${inside}
    return { status: 'ok', price: (await send({ account })).price };
  } catch {
    return { status: 'unavailable' };
  }
}`;
  const lookUp = 'const { account } = await call.contractFor({ port });';
  assert.deepEqual(await refusalsOf(agreed, asking('', lookUp), sandbox), []);
  assert.match((await refusalsOf(agreed, asking(lookUp, ''), sandbox)).join('\n'), /contractFor fails: it throws/);
});

test('a list of which a later page cannot be had is not complete', async () => {
  const page = object({ items: { type: 'array', items: text }, next: { type: ['string', 'null'] } });
  const agreed: Agreed = {
    rules: 'Pages are asked for one after the other, with the `next` of the page before as `cursor`, until it is null.',
    request: object({ hall: text, cursor: { type: ['string', 'null'] } }),
    response: page,
    cases: [
      [
        { hall: 'H7', cursor: null },
        { items: ['Arvo AG', 'Belt Ltd'], next: 'c-20' },
      ],
      [
        { hall: 'H7', cursor: 'c-20' },
        { items: ['Corda SA'], next: null },
      ],
      [
        { hall: 'H2', cursor: null },
        { items: ['Dyne Oy'], next: null },
      ],
    ],
    task: {
      description:
        'List all items of a hall. If a page cannot be had, what there is so far is told, and the list is not complete.',
      inputSchema: object({ hall: text }),
      outputSchema: object({ items: { type: 'array', items: text }, complete: { type: 'boolean' } }),
      examples: [
        { testCase: 1, input: { hall: 'H7' }, output: { items: ['Arvo AG', 'Belt Ltd', 'Corda SA'], complete: true } },
        { testCase: 2, input: { hall: 'H7' }, output: { items: ['Arvo AG', 'Belt Ltd', 'Corda SA'], complete: true } },
        { testCase: 3, input: { hall: 'H2' }, output: { items: ['Dyne Oy'], complete: true } },
      ],
    },
  };
  const listing = (failed: string) => `export async function perform({ hall }, { send }) {
  const items = [];
  let cursor = null;
  do {
    let page;
    try {
      page = await send({ hall, cursor });
    } catch {
      return { items, complete: ${failed} };
    }
    items.push(...page.items);
    cursor = page.next;
  } while (cursor !== null);
  return { items, complete: true };
}`;
  assert.deepEqual(await refusalsOf(agreed, listing('false'), sandbox), []);
  assert.match((await refusalsOf(agreed, listing('items.length > 0'), sandbox)).join('\n'), /says that it is complete/);
});
