import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('log of control characters', {
  source: `export const handle = (_: any, context: any) => {
  context.log('\\u001b[2J\\u001b]0;owned\\u0007\\u009b31m\\u202e\\u2066\\u061c\\u200f\\u2028\\u0000\\r');
  throw new Error('\\u001b[31mred\\u0000');
};`,
  ends: ['threw'],
  check: ([report]) => {
    const told = `${report?.logs.join('')}${report?.message}`;
    assert.doesNotMatch(told, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\p{Bidi_Control}]/u);
    assert.match(told, /owned.*red/s);
  },
});
