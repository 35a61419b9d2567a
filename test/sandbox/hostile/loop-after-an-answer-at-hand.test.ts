import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('loop after an answer at hand', {
  source: `export const handle = async (_: any, context: any) => {
  await context.call.look({ n: 1 });
  for (;;);
};`,
  ends: ['timed-out'],
  runs: 2,
  answers: { look: { '{"n":1}': { output: '1' } } },
  check: (reports) => {
    for (const { calls } of reports)
      assert.deepEqual(calls, [{ tool: 'look', input: '{"n":1}', answer: { output: '1' } }]);
  },
});
