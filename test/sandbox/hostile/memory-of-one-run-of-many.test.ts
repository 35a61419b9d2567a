import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('memory of one run of many', {
  source: `export const handle = (request: any) => {
  const all: any[] = [];
  while (request.index === 5) all.push(new Array(100_000).fill(1.5));
  return request.index;
};`,
  ends: ['returned', 'timed-out', 'out-of-memory', 'killed'],
  runs: 20,
  check: (reports) => {
    assert.notEqual(reports[5]?.end, 'returned');
    for (const [index, { end, value }] of reports.entries()) if (end === 'returned') assert.equal(value, String(index));
  },
});
