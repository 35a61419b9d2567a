import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('call flood', {
  source: `export const handle = async (_: any, context: any) => {
  for (;;) await context.call.look({});
};`,
  ends: ['threw'],
  check: ([report]) => assert.equal(report?.calls.length, 100),
});
