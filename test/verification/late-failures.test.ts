import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { type Agreed, object, reading, refusalsOf, text } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

const bands = (more: string): Agreed => ({
  rules: `The zone of a postcode is looked up with \`zoneOf\`: \`NO_ZONE\` where it has none, else \`FOUND\` with the zone. \`UNAVAILABLE\`: the zones cannot be read. ${more}`,
  request: object({ ref: text, postcode: text }),
  response: object({ ref: text, code: { enum: ['FOUND', 'NO_ZONE', 'UNAVAILABLE'] }, zone: text }, ['zone']),
  cases: [
    [
      { ref: 'z-1', postcode: '10115' },
      { ref: 'z-1', code: 'FOUND', zone: 'B-1' },
    ],
    [
      { ref: 'z-2', postcode: '99999' },
      { ref: 'z-2', code: 'NO_ZONE' },
    ],
  ],
  tools: [
    reading(
      'zoneOf',
      object({ postcode: text }),
      { ...(object({ zone: text }) as object), type: ['object', 'null'] },
      [[{ postcode: '10115' }, { zone: 'B-1' }]],
      null,
    ),
  ],
});
const looking = (onFailure: string) => `export async function handle({ ref, postcode }, { call }) {
  const read = async () => {
    try { return await call.zoneOf({ postcode }); } catch (error) { ${onFailure} }
  };
  try {
    const found = await read();
    return found === null ? { ref, code: 'NO_ZONE' } : { ref, code: 'FOUND', zone: found.zone };
  } catch (error) {
    if (error.code === 'ESCAPES') throw error;
    return { ref, code: 'UNAVAILABLE' };
  }
}`;

for (const [what, onFailure, message] of [
  [
    'a time-out told as if there were none',
    "if (error.code === 'TIMEOUT') return null; throw error;",
    /^failing-tools: case 1, where zoneOf times out: the answer has none of UNAVAILABLE, as where zoneOf fails otherwise$/m,
  ],
  [
    'any other failure told as if there were none',
    "if (error.code !== 'TIMEOUT') return null; throw error;",
    /^failing-tools: case 1, where zoneOf times out: the answer has UNAVAILABLE, and not where zoneOf fails otherwise$/m,
  ],
  [
    'a time-out that escapes',
    "if (error.code === 'TIMEOUT') throw { code: 'ESCAPES' }; throw error;",
    /^failing-tools: case 1, where zoneOf times out: it throws/m,
  ],
] as const)
  test(`where the document knows one way to fail, both are answered alike: ${what}`, async () => {
    assert.match((await refusalsOf(bands(''), looking(onFailure), sandbox)).join('\n'), message);
  });

test('trying again after a time-out alone is no other answer', async () => {
  const again = "if (error.code === 'TIMEOUT') return await call.zoneOf({ postcode }); throw error;";
  assert.deepEqual(await refusalsOf(bands('Reading may be tried again.'), looking(again), sandbox), []);
});

test('where the document speaks of time-outs, they may be another matter', async () => {
  const other = "if (error.code === 'TIMEOUT') return null; throw error;";
  const refusals = await refusalsOf(
    bands('A look-up that times out counts as one without a zone.'),
    looking(other),
    sandbox,
  );
  assert.deepEqual(
    refusals.filter((one) => one.includes('times out:')),
    [],
  );
});
