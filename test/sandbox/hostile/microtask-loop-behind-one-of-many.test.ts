import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('microtask loop behind one result of many', {
  source: `export const handle = (request: any) => {
  if (request.index === 7) Promise.resolve().then(() => { for (;;); });
  return request.index;
};`,
  ends: ['returned', 'timed-out'],
  runs: 70,
  check: (reports) => {
    assert.equal(reports[7]?.end, 'timed-out');
    for (const [index, { end, value }] of reports.entries()) if (end === 'returned') assert.equal(value, String(index));
  },
});
