import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('chance is seeded', {
  source: `export const handle = (_: any, context: any) => [Math.random(), Math.random(), context.newId()];`,
  ends: ['returned'],
  runs: 3,
  check: (reports) => {
    for (const { value } of reports) assert.equal(value, reports[0]?.value);
  },
});
