import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { type Agreed, acting, object, reading, refusalsOf, text } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

/** Visits that are saved; a refused one as well, where the rules have it so. */
const visits = (rules: string, tells: boolean): Agreed => ({
  rules,
  request: object({ ref: text, badge: text }),
  response: object({ ref: text, result: { enum: ['ADMITTED', 'REJECTED', 'ERROR'] }, visit: text }, ['visit']),
  cases: [
    [
      { ref: 'r-1', badge: 'B-7741' },
      { ref: 'r-1', result: 'ADMITTED', visit: 'V-20031' },
    ],
    [
      { ref: 'r-2', badge: 'B-0009' },
      { ref: 'r-2', result: 'REJECTED', ...(tells ? { visit: 'V-20032' } : {}) },
    ],
  ],
  tools: [
    reading('findBadge', object({ badge: text }), { type: 'boolean' }, [[{ badge: 'B-7741' }, true]], false),
    acting(
      'saveVisit',
      object({ badge: text, result: text }),
      object({ visit: text }),
      [
        [{ badge: 'B-7741', result: 'ADMITTED' }, { visit: 'V-20031' }],
        [{ badge: 'B-0009', result: 'REJECTED' }, { visit: 'V-20032' }],
      ],
      { visit: 'V-20099' },
    ),
  ],
});
const guard = (tells: boolean) => `export async function handle(request, { call }) {
  const ref = String(request.ref), badge = String(request.badge);
  try {
    const result = (await call.findBadge({ badge })) ? 'ADMITTED' : 'REJECTED';
    const { visit } = await call.saveVisit({ badge, result });
    return { ref, result, ...(${tells} || result === 'ADMITTED' ? { visit } : {}) };
  } catch { return { ref, result: 'ERROR' }; }
}`;
const docs: [string, boolean][] = [
  [
    'A badge that `findBadge` knows is ADMITTED, another one REJECTED. Every visit is saved with `saveVisit`, also a rejected one. If a tool fails, the result is ERROR.',
    true,
  ],
  [
    'A badge that `findBadge` knows is ADMITTED, another one REJECTED. Every visit is saved with `saveVisit`, whatever the result. If a tool fails, the result is ERROR.',
    true,
  ],
  [
    'A badge that `findBadge` knows is ADMITTED, another one REJECTED. Each visit is saved with `saveVisit(badge, result)`. If a tool fails, the result is ERROR. `visit` is given only with ADMITTED.',
    false,
  ],
  [
    '- If `findBadge` does not know the badge, the visit is REJECTED.\n- Otherwise it is ADMITTED.\n\nThe visit is saved with `saveVisit` in any case. `visit` is given only with ADMITTED. If a tool fails, the result is ERROR.',
    false,
  ],
  [
    '- If `findBadge` knows the badge, the visit is saved with `saveVisit` and the result is `ADMITTED`.\n- Otherwise it is saved as well and the result is `REJECTED`.\n\n`visit` is given only with ADMITTED. If a tool fails, the result is ERROR.',
    false,
  ],
];
for (const [rules, tells] of docs)
  test(`what the document has done whatever the answer is may be done in a refusal: ${rules.slice(75, 175)}`, async () =>
    assert.deepEqual(await refusalsOf(visits(rules, tells), guard(tells), sandbox), []));

test('what no sentence has done in a refusal is not done there', async () => {
  const rules =
    'A badge that `findBadge` knows is ADMITTED, another one REJECTED. A visit that is admitted is saved with `saveVisit`. `visit` is given only with ADMITTED. If a tool fails, the result is ERROR.';
  assert.match((await refusalsOf(visits(rules, false), guard(false), sandbox)).join('\n'), /side-effects: case 2/);
});

const offers: Agreed = {
  rules:
    '- If the lot is open, the offer is recorded with `recordOffer` and the outcome is `noted`.\n- If the lot is sold, the outcome is `sold`.\n- Otherwise the offer is recorded nowhere and the outcome is `gone`.\n\nIf a tool fails, the outcome is `failed`.',
  request: object({ ref: text, lot: text }),
  response: object({ ref: text, outcome: { enum: ['noted', 'gone', 'sold', 'failed'] } }),
  cases: [
    [
      { ref: 'r-1', lot: 'lot-771' },
      { ref: 'r-1', outcome: 'noted' },
    ],
    [
      { ref: 'r-2', lot: 'lot-880' },
      { ref: 'r-2', outcome: 'gone' },
    ],
    [
      { ref: 'r-3', lot: 'lot-990' },
      { ref: 'r-3', outcome: 'sold' },
    ],
  ],
  tools: [
    reading(
      'lotState',
      object({ lot: text }),
      text,
      [
        [{ lot: 'lot-771' }, 'open'],
        [{ lot: 'lot-990' }, 'sold'],
      ],
      'none',
    ),
    acting('recordOffer', object({ lot: text }), object({}), [], {}),
  ],
};
test('what an item has done is done with its answer, whatever a later one says of it', async () => {
  const handler = `export async function handle(request, { call }) {
    const ref = String(request.ref), lot = String(request.lot);
    try {
      const state = await call.lotState({ lot });
      if (state === 'sold') return { ref, outcome: 'sold' };
      if (state !== 'open') return { ref, outcome: 'gone' };
      await call.recordOffer({ lot });
      return { ref, outcome: 'noted' };
    } catch { return { ref, outcome: 'failed' }; }
  }`;
  assert.deepEqual(await refusalsOf(offers, handler, sandbox), []);
});
