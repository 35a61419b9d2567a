import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('log of nothing flood', {
  source: `export const handle = (_: any, context: any) => {
  for (let index = 0; index < 1_000_000; index += 1) context.log();
  return 1;
};`,
  ends: ['returned', 'timed-out'],
  check: ([report]) => assert.ok((report?.logs.length ?? 0) < 20_000),
});
