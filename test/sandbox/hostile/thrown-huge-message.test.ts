import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('thrown huge message', {
  source: `export const handle = () => { throw new Error('x'.repeat(5_000_000)); };`,
  ends: ['timed-out', 'threw'],
  check: ([report]) => assert.ok((report?.message?.length ?? 0) < 2_000),
});
