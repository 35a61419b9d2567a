import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('state in a call that is pending when its run ends', {
  source: `export const handle = (request: any, context: any) => {
  context.call
    .look({ of: request.index })
    .then(() => context.call.store({ late: request.index }))
    .then(() => context.log('late'));
  return request.index;
};`,
  ends: ['returned'],
  runs: 70,
  check: (reports) => {
    for (const [index, { value, logs, calls }] of reports.entries()) {
      assert.equal(value, String(index));
      assert.deepEqual([logs, calls.filter(({ tool }) => tool === 'store')], [[], []]);
    }
  },
});
