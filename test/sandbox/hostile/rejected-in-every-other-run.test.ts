import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('rejected in every other run', {
  source: `export const handle = (request: any) => {
  for (let each = 0; each < 50 * (request.index % 2); each += 1) Promise.reject(new Error(\`of \${request.index}\`));
  return request.index;
};`,
  ends: ['returned'],
  runs: 70,
  check: (reports) => {
    for (const [index, { value }] of reports.entries()) assert.equal(value, String(index));
  },
});
