import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('call flood unawaited', {
  source: `export const handle = (_: any, context: any) => {
  for (;;) context.call.look({}).catch(() => {});
};`,
  ends: ['threw', 'timed-out', 'out-of-memory', 'killed'],
  check: ([report]) => assert.ok((report?.calls.length ?? 0) <= 100),
});
