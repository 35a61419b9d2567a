import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('call flood with answers at hand', {
  source: `export const handle = async (_: any, context: any) => {
  for (;;) await context.call.look({ n: 1 });
};`,
  ends: ['threw'],
  runs: 3,
  answers: { look: { '{"n":1}': { output: '1' } } },
  check: (reports) => {
    for (const { calls, message } of reports) {
      assert.ok(calls.length <= 100);
      assert.match(message ?? '', /more than 100 calls/);
    }
  },
});
