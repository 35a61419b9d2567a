import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('log of a huge line', {
  source: `export const handle = (_: any, context: any) => {
  context.log('x'.repeat(10_000_000));
  return 1;
};`,
  ends: ['returned'],
  check: ([report]) => assert.ok(JSON.stringify(report?.logs).length < 40_000),
});
