import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('bundler export that is no function', {
  source: `export const handle = { call: () => 1 };`,
  ends: ['threw', 'refused'],
  // Whoever wrote it knows no name but that of the export.
  check: ([report]) => assert.match(report?.message ?? '', /its export is not a function/),
});
