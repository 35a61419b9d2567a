import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('state in hidden places', {
  source: `const site = () => ((strings: any) => strings)\`template\`;
export const handle = () => {
  const key = Symbol.for('left behind');
  const places: any[] = [site(), Object.getOwnPropertyDescriptor(new Error('x'), 'stack')?.get, (function () {
    return Object.getOwnPropertyDescriptor(arguments, 'callee')?.get;
  })(), Object.getPrototypeOf(new Intl.Segmenter().segment('a')), Object.getPrototypeOf(new Map().entries()), Object.getPrototypeOf(async function* () {}),
    (Iterator as any).prototype, Object.getPrototypeOf(/x/[Symbol.matchAll]('')), Intl, Intl.DateTimeFormat.prototype, Object.getPrototypeOf(Int8Array), Date, Math];
  const found = places.filter((place) => place !== undefined && place[key] !== undefined).length;
  for (const place of places) {
    try {
      place[key] = 1;
    } catch {}
  }
  return found;
};`,
  ends: ['returned'],
  runs: 70,
  check: (reports) => {
    for (const { value } of reports) assert.equal(value, '0');
  },
});
