import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('log flood', {
  source: `export const handle = (_: any, context: any) => {
  for (let index = 0; index < 100_000; index += 1) context.log('line', index);
  return 1;
};`,
  ends: ['returned', 'timed-out'],
  check: ([report]) => assert.ok(JSON.stringify(report?.logs).length < 200_000),
});
