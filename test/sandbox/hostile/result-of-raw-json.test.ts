import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('result of raw JSON', {
  source: `export const handle = () => [typeof (JSON as any).rawJSON, typeof (JSON as any).isRawJSON, Number('1e999')];`,
  ends: ['returned'],
  check: ([report]) => assert.equal(report?.value, '["undefined","undefined",null]'),
});
