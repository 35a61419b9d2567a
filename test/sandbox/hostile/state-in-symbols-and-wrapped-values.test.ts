import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('state in symbols and wrapped values', {
  source: `// The registry of symbols outlives a run, and so do the symbols that the language has: neither may have anything hang on it.
const kept = new WeakMap();
export const handle = () => {
  const registered: any = Symbol.for('left behind');
  const wrapped: any[] = [Object(registered), Object('text'), Object(1n), Object(Symbol.iterator)];
  const holders: any[] = [Symbol, Symbol.prototype, globalThis, String.prototype, BigInt.prototype];
  const seen = [kept.has(Symbol.iterator as any), registered.description, wrapped.some((one) => one.mark !== undefined), holders.some((one) => one[registered] !== undefined)];
  kept.set(Symbol.iterator as any, 1);
  for (const one of [...wrapped, ...holders]) {
    try {
      one.mark = 1;
    } catch {}
    try {
      Object.defineProperty(one, registered, { value: 1 });
    } catch {}
  }
  return seen;
};`,
  ends: ['returned'],
  runs: 70,
  check: (reports) => {
    for (const { value } of reports) assert.equal(value, '[false,"left behind",false,false]');
  },
});
