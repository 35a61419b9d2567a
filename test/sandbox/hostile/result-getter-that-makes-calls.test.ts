import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('result with a getter that makes calls', {
  source: `export const handle = (request: any, context: any) => ({
  get made() {
    for (let call = 0; call < 5; call += 1) context.call.store({ of: request.index }).then(() => context.log('late'));
    context.log('written');
    return request.index;
  },
});`,
  ends: ['returned'],
  runs: 20,
  check: (reports) => {
    for (const [index, { value, logs }] of reports.entries()) {
      assert.equal(value, `{"made":${index}}`);
      assert.deepEqual(logs, ['written']);
    }
  },
});
