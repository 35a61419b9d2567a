import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('state in microtasks left behind', {
  source: `export const handle = (request: any, context: any) => {
  let hops = 0;
  const hop = (): any => {
    hops += 1;
    context.log(\`hop \${hops} of \${request.index}\`);
    if (hops < 2_000) return Promise.resolve().then(hop);
  };
  Promise.resolve().then(hop);
  return request.index;
};`,
  ends: ['returned'],
  runs: 30,
  check: (reports) => {
    for (const [index, { value, logs }] of reports.entries()) assert.deepEqual([value, logs], [String(index), []]);
  },
});
