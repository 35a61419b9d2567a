import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('state in the module', {
  source: `let runs = 0;
const cache = new Map<string, number>();
export const handle = () => {
  runs += 1;
  cache.set(\`run \${runs}\`, runs);
  (handle as any).runs = ((handle as any).runs ?? 0) + 1;
  return [runs, cache.size, (handle as any).runs];
};`,
  ends: ['returned'],
  runs: 70,
  check: (reports) => {
    for (const { value } of reports) assert.equal(value, '[1,1,1]');
  },
});
