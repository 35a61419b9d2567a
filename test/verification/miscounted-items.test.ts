import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { type Agreed, integer, object, reading, refusalsOf, text } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

/** Looms that are looked through, each with what is on it. */
const looms = (rule: string): Agreed => ({
  rules: `Each loom is looked up with \`loomOf\`, in the order asked. It is "idle" where nothing is on it, "weaving" otherwise, and "gone" where there is none. ${rule} A tool that fails makes the loom "gone".`,
  request: object({ looms: { type: 'array', items: text, minItems: 1 } }),
  response: object({
    looms: { type: 'array', items: object({ loom: text, state: { enum: ['idle', 'weaving', 'gone'] } }) },
    busy: integer,
  }),
  tools: [
    reading(
      'loomOf',
      object({ loom: text }),
      { ...(object({ cloth: text }) as object), type: ['object', 'null'] },
      [
        [{ loom: 'L-31' }, { cloth: 'linen' }],
        [{ loom: 'L-32' }, { cloth: '' }],
      ],
      null,
    ),
  ],
  cases: [
    [
      { looms: ['L-31', 'L-32'] },
      {
        looms: [
          { loom: 'L-31', state: 'weaving' },
          { loom: 'L-32', state: 'idle' },
        ],
        busy: 1,
      },
    ],
    [{ looms: ['L-77'] }, { looms: [{ loom: 'L-77', state: 'gone' }], busy: 0 }],
  ],
});

const looking = (busy: string) => `
export async function handle(request: any, { call }: any) {
  const looms: any[] = [];
  for (const loom of request.looms) {
    const found = await call.loomOf({ loom }).catch(() => null);
    looms.push({ loom, state: found === null ? 'gone' : found.cloth === '' ? 'idle' : 'weaving' });
  }
  const weaving = looms.filter(({ state }) => state === 'weaving').length;
  return { looms, busy: ${busy} };
}`;

test('an answer has no more items of a kind than it counts', async () => {
  const rule = '`busy` is the number of looms that are weaving.';
  assert.deepEqual(await refusalsOf(looms(rule), looking('weaving'), sandbox), []);
  const refusals = await refusalsOf(looms(rule), looking('weaving > 0 ? 1 : 0'), sandbox);
  assert.match(refusals.join('\n'), /tables: busy is 1, and the answer has [2-9] such items/);
});

test('what no sentence counts may be as it is', async () => {
  const rule = '`busy` is 1 where a loom is weaving, 0 where none is.';
  assert.deepEqual(await refusalsOf(looms(rule), looking('weaving > 0 ? 1 : 0'), sandbox), []);
});
