import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('poisoned realm seen by later runs', {
  source: `export const handle = (request: any) => {
  const scope: any = globalThis;
  const before = [typeof scope.mark, typeof (Array.prototype as any).mark, typeof (Object as any).mark, typeof (Symbol.prototype as any).mark, (Math as any).PI > 3];
  for (const target of [scope, Array.prototype, Object, Symbol.prototype, Math, Function.prototype, handle]) {
    try {
      (target as any).mark = request;
    } catch {}
  }
  return before;
};`,
  ends: ['returned'],
  runs: 5,
  check: (reports) => {
    for (const { value } of reports) assert.equal(value, '["undefined","undefined","undefined","undefined",true]');
  },
});
