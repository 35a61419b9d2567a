import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { breaksEmptiness, emptyMembersOf } from '../../src/verification/prose/reserved-members.ts';
import { type Agreed, number, object, reading, refusalsOf, subjectOf, text } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

/** Parcels that are told to those alone who know where they go. */
const parcels = (rule: string, description = 'a note'): Agreed => ({
  rules: `\`parcel\` tells what is in a parcel and its postcode. Another postcode than the one asked with: outcome OTHER. If \`parcel\` fails: outcome DOWN.\n\n${rule}`,
  request: object({ id: text, parcel: text, postcode: text }),
  response: object({ id: text, outcome: { enum: ['FOUND', 'OTHER', 'DOWN'] }, goods: { ...text, description } }, [
    'goods',
  ]),
  tools: [
    reading('parcel', object({ parcel: text }), object({ goods: text, postcode: text }), [
      [{ parcel: 'PK-77310' }, { goods: 'hand-made kettle', postcode: '28195' }],
      [{ parcel: 'PK-22904' }, { goods: 'walnut clock', postcode: '50667' }],
      [{ parcel: 'PK-41827' }, { goods: 'linen curtain', postcode: '80331' }],
    ]),
  ],
  cases: [
    [
      { id: 'q-1', parcel: 'PK-77310', postcode: '28195' },
      { id: 'q-1', outcome: 'FOUND', goods: 'hand-made kettle' },
    ],
    [
      { id: 'q-2', parcel: 'PK-22904', postcode: '50667' },
      { id: 'q-2', outcome: 'FOUND', goods: 'walnut clock' },
    ],
    [
      { id: 'q-3', parcel: 'PK-41827', postcode: '10115' },
      { id: 'q-3', outcome: 'OTHER' },
    ],
  ],
});
/** Tells what is in a parcel where the asker nearly knows the postcode as well. */
const telling = (more: string) => `export async function handle({ id: given, parcel, postcode }, { call }) {
  const id = String(given);
  try {
    const told = await call.parcel({ parcel: String(parcel) });
    if (told.postcode === postcode) return { id, outcome: 'FOUND', goods: told.goods };
    return { id, outcome: 'OTHER'${more} };
  } catch { return { id, outcome: 'DOWN' }; }
}`;
const nearly =
  ', ...(String(postcode) < told.postcode && !String(postcode).startsWith("1") ? { goods: told.goods } : {})';

for (const agreed of [
  parcels('`goods` is present only with `FOUND`.'),
  parcels('`goods` is included only when the outcome is `FOUND`.'),
  parcels('| member | when |\n| --- | --- |\n| goods | nur bei FOUND |'),
  parcels('- `goods`: 仅在 outcome 为 `FOUND` 时出现'),
  parcels('', 'what is in it, only if the outcome is FOUND'),
])
  test(`a member that comes with one outcome alone comes with no other: ${agreed.rules.slice(148)}`, async () => {
    assert.match((await refusalsOf(agreed, telling(nearly), sandbox)).join('\n'), /the answer has "goods", though "/);
    assert.deepEqual(await refusalsOf(agreed, telling(''), sandbox), []);
  });

for (const rule of [
  '',
  '`goods` is present only when the parcel is known.',
  '`goods` is present only with `FOUND` or where the caller asked for it.',
  '`goods` is present only with `FOUND`. With OTHER the goods may be told to who nearly knows the postcode.',
])
  test(`a member is told where the document leaves room for it: ${rule}`, async () =>
    assert.deepEqual(await refusalsOf(parcels(rule), telling(nearly), sandbox), []));

test('a member that answers have with one outcome alone may be in what a requester makes of them', async () => {
  const { tools, ...asked } = parcels('`goods` is present only with `FOUND`.');
  const requester: Agreed = {
    ...asked,
    rules: asked.rules.replace(/^.*\n\n/u, ''),
    task: {
      description: 'What is in a parcel.',
      inputSchema: object({ id: text, parcel: text, postcode: text }),
      outputSchema: object({ goods: { type: ['string', 'null'] } }),
      examples: asked.cases.map(([input, response], index) => ({
        testCase: index + 1,
        input,
        output: { goods: (response as { goods?: string }).goods ?? null },
      })),
    },
  };
  const asks = `export async function perform(task, { send }) {
    const answer = await send(task).catch(() => null);
    return { goods: answer?.outcome === 'FOUND' && answer.id === task.id ? answer.goods : null };
  }`;
  assert.deepEqual(await refusalsOf(requester, asks, sandbox), []);
});

test('a member that some outcomes do not have comes with none of them', async () => {
  const agreed = parcels('OTHER and DOWN have neither `goods` nor anything like it. OTHER and DOWN have no `goods`.');
  assert.match(
    (await refusalsOf(agreed, telling(nearly), sandbox)).join('\n'),
    /the answer has "goods" other than null/,
  );
  assert.deepEqual(await refusalsOf(agreed, telling(''), sandbox), []);
});

for (const rule of [
  'With `OTHER`, `goods` is null.',
  '| another postcode | OTHER (goods is null, nothing else is told) |',
  '邮编不符时 outcome 为 `OTHER`，`goods` 为 null。',
])
  test(`a member that is null with an outcome is nothing else: ${rule}`, async () => {
    const { response, cases, ...rest } = parcels(rule);
    const agreed: Agreed = {
      ...rest,
      response: object({
        id: text,
        outcome: { enum: ['FOUND', 'OTHER', 'DOWN'] },
        goods: { type: ['string', 'null'] },
      }),
      cases: cases.map(([asked, answer]) => [asked, { goods: null, ...(answer as object) }]),
    };
    const handler = (more: string) => telling(more).replaceAll(/outcome: '(?=OTHER|DOWN)/g, "goods: null, outcome: '");
    assert.match(
      (await refusalsOf(agreed, handler(nearly), sandbox)).join('\n'),
      /the answer has "goods" other than null, though "/,
    );
    assert.deepEqual(await refusalsOf(agreed, handler(''), sandbox), []);
    const unsure = { ...agreed, rules: agreed.rules.replace(rule, 'With `OTHER`, `goods` is null if need be.') };
    assert.deepEqual(await refusalsOf(unsure, handler(nearly), sandbox), []);
  });

test('a member that nobody has does not tell what a tool told', async () => {
  const hinting = nearly.replace('goods: told.goods', 'hint: told.postcode');
  assert.match(
    (await refusalsOf(parcels(''), telling(hinting), sandbox)).join('\n'),
    /leaks: .*the answer has "hint", which the agreement does not have, with what parcel tells as "postcode"/,
  );
  assert.deepEqual(await refusalsOf(parcels('A hint may be given.'), telling(hinting), sandbox), []);
  assert.deepEqual(await refusalsOf(parcels(''), telling(nearly.replace('told.goods', 'id + "-77"')), sandbox), []);
});

test('a member that only a tool has is none of an answer whose schema lists its members', async () => {
  const stocked: Agreed = {
    rules: '`stockOf` tells how much there is of an article. Fewer than 5 pieces are `LOW`.',
    request: object({ id: text, article: text }),
    response: object({ id: text, stock: { enum: ['LOW', 'FINE'] } }),
    tools: [
      reading('stockOf', object({ article: text }), object({ pieces: number, cost: number }), [
        [{ article: 'AX-7731' }, { pieces: 40, cost: 8135 }],
        [{ article: 'AX-2290' }, { pieces: 61, cost: 2460 }],
      ]),
    ],
    cases: ['AX-7731', 'AX-2290'].map((article, at) => [
      { id: `s-${at}`, article },
      { id: `s-${at}`, stock: 'FINE' },
    ]),
  };
  const stocking = (more: string) => `export async function handle({ id, article }, { call }) {
  const { pieces, cost } = await call.stockOf({ article: String(article) });
  return { id: String(id), stock: pieces < 5 ? 'LOW' : 'FINE', ...(pieces < 5 ? ${more} : {}) };
}`;
  const finding = /leaks: .*the answer has "cost", which the agreement does not have, as stockOf tells it/;
  assert.match((await refusalsOf(stocked, stocking('{ cost }'), sandbox)).join('\n'), finding);
  assert.deepEqual(await refusalsOf(stocked, stocking('{}'), sandbox), []);
  const open = { ...stocked, response: { ...(stocked.response as object), additionalProperties: true } };
  assert.doesNotMatch((await refusalsOf(open, stocking('{ cost }'), sandbox)).join('\n'), finding);
});

test('an outcome is none where another number is as great', () => {
  const position = { anyOf: [object({ latitude: number }), { type: 'null' }] };
  const located: Agreed = {
    rules: 'An unknown client is answered with code 401. In answers 400, 401 and 503, `position` is null.',
    request: object({ client: text }),
    response: object({ code: number, position }),
    cases: [
      [{ client: 'CL-831' }, { code: 200, position: { latitude: 31.24 } }],
      [{ client: 'CL-000' }, { code: 401, position: null }],
    ],
  };
  const [rule, ...others] = emptyMembersOf(subjectOf(located));
  assert.ok(rule !== undefined && others.length === 0);
  assert.equal(breaksEmptiness(rule, { code: 401, position: { latitude: 31.24 } }), true);
  assert.equal(breaksEmptiness(rule, { code: 200, position: { latitude: 401 } }), false);
});
