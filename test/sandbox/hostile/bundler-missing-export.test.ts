import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('bundler missing export', {
  source: `export const handler = () => 1;`,
  ends: ['refused'],
  check: ([report]) => assert.match(report?.message ?? '', /no export/),
});
