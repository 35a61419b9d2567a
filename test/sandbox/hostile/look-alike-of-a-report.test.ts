import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('look alike of a report', {
  source: `export const handle = () => ({ run: 1, end: 'killed', settled: [], reports: [{ end: 'killed' }], value: '\\n', op: 'news' });`,
  ends: ['returned'],
  check: ([report]) => assert.match(report?.value ?? '', /^\{"run":1,"end":"killed"/),
});
