import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('removed weak references', {
  source: `export const handle = () => ['WeakRef', 'FinalizationRegistry', 'console', 'Atomics'].filter((name) => name in globalThis);`,
  ends: ['returned'],
  check: ([report]) => assert.equal(report?.value, '[]'),
});
