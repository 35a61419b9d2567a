import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('code by asm js', {
  source: `export const handle = () => {
  function Module(stdlib: any) {
    'use asm';
    function add(a: any, b: any) {
      a = a | 0;
      b = b | 0;
      return (a + b) | 0;
    }
    return { add: add };
  }
  return Module(globalThis).add(20, 22);
};`,
  ends: ['returned'],
  check: ([report]) => assert.equal(report?.value, '42'),
});
