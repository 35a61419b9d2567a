import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('state in objects that are made Intl objects of the old kind', {
  source: `export const handle = () => {
  let found = 0;
  for (const Format of [Intl.DateTimeFormat, Intl.NumberFormat] as any[]) {
    for (const place of [Format.prototype, globalThis, Object.prototype, Intl]) {
      found += Object.getOwnPropertySymbols(place).filter((one) => String(one).includes('Legacy')).length;
      try {
        Format.call(place);
      } catch {}
    }
  }
  return found;
};`,
  ends: ['returned'],
  runs: 20,
  check: (reports) => {
    for (const { value } of reports) assert.equal(value, '0');
  },
});
