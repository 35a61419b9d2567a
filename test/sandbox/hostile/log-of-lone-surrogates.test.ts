import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('log of lone surrogates', {
  source: `export const handle = (_: any, context: any) => {
  context.log('\\ud800', '\\udc00\\ud800');
  return '\\ud800';
};`,
  ends: ['returned'],
  check: ([report]) => {
    assert.ok(report?.logs[0]?.isWellFormed());
    assert.equal(report?.value, '"\\ud800"');
  },
});
