import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('bundler source url comment', {
  source: `export const handle = () => { throw new Error('x'); };
//# sourceURL=file:///etc/passwd`,
  ends: ['threw'],
  check: ([report]) => assert.deepEqual(Object.keys(report?.position ?? {}), ['line', 'column']),
});
