import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { type Agreed, acting, object, reading, refusalsOf, text } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

/** Kilns that are lit where they are empty. */
const kilns = (rule: string): Agreed => ({
  rules: `\`kilnState\` tells whether a kiln is empty; an empty one is lit with \`lightKiln\`: state LIT, else FULL. A tool fails: state LATER.\n\n${rule}`,
  request: object({ ref: text, kiln: text }),
  response: object({ ref: text, state: { enum: ['LIT', 'FULL', 'LATER'] } }),
  cases: [
    [
      { ref: 'k-1', kiln: 'KN-204' },
      { ref: 'k-1', state: 'LIT' },
    ],
    [
      { ref: 'k-2', kiln: 'KN-771' },
      { ref: 'k-2', state: 'FULL' },
    ],
  ],
  tools: [
    reading(
      'kilnState',
      object({ kiln: text }),
      object({ empty: { type: 'boolean' } }),
      [[{ kiln: 'KN-204' }, { empty: true }]],
      { empty: false },
    ),
    acting('lightKiln', object({ kiln: text }), { type: 'null' }, [], null),
  ],
});
const potter = (onFailure: string) => `export async function handle({ ref, kiln }, { call }) {
  const again = async (work) => { try { return await work(); } catch { return await work(); } };
  try {
    const { empty } = await again(() => call.kilnState({ kiln }));
    if (!empty) return { ref, state: 'FULL' };
    try { await call.lightKiln({ kiln }); } catch (error) { ${onFailure} }
    return { ref, state: 'LIT' };
  } catch { return { ref, state: 'LATER' }; }
}`;
const [once, twice, afterTimeout] = [
  'throw error;',
  'await call.lightKiln({ kiln });',
  "if (error.code !== 'TIMEOUT') throw error; await call.lightKiln({ kiln });",
];

for (const rule of [
  'A look-up MAY be repeated when it fails.',
  'Reading the state is harmless and may be tried again if it fails.',
  'Wenn das Lesen scheitert, darf es erneut versucht werden.',
  '读取失败时可以重试。',
  'kilnState may be called again if it fails.',
  'The undoing tools may be tried up to three times each.',
  "`ref` repeats the request's.",
  "We don't repeat a call.",
  'If lighting fails the kiln may be warm: it is *not* tried again.',
])
  test(`what is said of look-ups or of something else is no leave for acts: ${rule}`, async () => {
    assert.deepEqual(await refusalsOf(kilns(rule), potter(once), sandbox), []);
    for (const again of [twice, afterTimeout])
      assert.match(
        (await refusalsOf(kilns(rule), potter(again), sandbox)).join('\n'),
        /^side-effects: case 1: lightKiln failed once and was called 2 times/m,
      );
  });

for (const rule of [
  'If a tool fails, it may be tried again.',
  'A kiln that cannot be lit may be tried a second time.',
  "Kilns are moody, so if one doesn't light we give lightKiln one more go, just one.",
  'Reads, and the lighting by lightKiln, may be repeated if they fail.',
])
  test(`leave that may be meant for an act is one: ${rule}`, async () => {
    assert.deepEqual(await refusalsOf(kilns(rule), potter(twice), sandbox), []);
  });

for (const rule of [
  'What fails may be tried again. But lighting is attempted at most once: who calls lightKiln must not call it again.',
  'What fails may be tried again, with one exception.\n\nWhatever comes of it, lightKiln is called once at most.',
])
  test(`what is attempted once is not tried again, whatever else may be: ${rule}`, async () => {
    assert.match((await refusalsOf(kilns(rule), potter(twice), sandbox)).join('\n'), /called 2 times instead of 1/);
    assert.deepEqual(await refusalsOf(kilns(rule), potter(once), sandbox), []);
  });
