import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('promise that never settles', {
  source: `export const handle = () => new Promise(() => {});`,
  ends: ['timed-out'],
  runs: 3,
  check: ([report]) => assert.match(report?.message ?? '', /never|cannot settle/),
});
