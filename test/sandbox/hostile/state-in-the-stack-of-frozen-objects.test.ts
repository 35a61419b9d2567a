import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('state in the stack of frozen objects', {
  source: `const places = (): any[] => [Object.prototype, Array.prototype, Array.prototype.push, Error, Error.prototype, TypeError.prototype, Promise, Map.prototype, globalThis, JSON, Reflect, Intl, Symbol.prototype, Function.prototype, Date.prototype];
export const handle = () => {
  const stack: any = Object.getOwnPropertyDescriptor(new Error('x'), 'stack');
  let found = 0;
  for (const place of places()) {
    try {
      if (stack.get.call(place) !== undefined || Object.hasOwn(place, 'stack')) found += 1;
    } catch {}
    try {
      stack.set.call(place, 'left behind');
    } catch {}
    try {
      Error.captureStackTrace(place);
    } catch {}
  }
  return found;
};`,
  ends: ['returned'],
  runs: 20,
  frozen: true,
  check: (reports) => {
    for (const { value } of reports) assert.equal(value, '0');
  },
});
