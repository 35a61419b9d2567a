import assert from 'node:assert/strict';
import type { RunReport } from '../../../sandbox/index.ts';
import { attack } from './attack.ts';

const hostile = {
  'and returns': 'return 1;',
  'and throws': 'throw new Error("as if nothing had been done");',
};
const done = { '{"n":1}': { output: 'true' }, '{"n":2}': { output: 'true' } };

/** What was done stands in the report, whether it was answered or not, and whether the answer was known beforehand or not. */
const check = (reports: RunReport[]): void => {
  for (const { calls } of reports)
    assert.deepEqual(
      calls.map(({ input }) => input),
      ['{"n":1}', '{"n":2}'],
    );
};

for (const [how, end] of Object.entries(hostile))
  for (const kind of ['', 'async '])
    for (const answers of [undefined, { store: done }])
      attack(`call that nobody waits for: ${kind}${how}${answers ? ', with its answer at hand' : ''}`, {
        source: `export ${kind}function handle(_: any, context: any) {
  context.call.store({ n: 1 });
  context.call.store({ n: 2 });
  ${end}
}`,
        ends: [how === 'and returns' ? 'returned' : 'threw'],
        runs: 3,
        ...(answers ? { answers } : {}),
        check,
      });
