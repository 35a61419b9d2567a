import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('state in private names of frozen objects', {
  source: `class Given {
  constructor(given: any) {
    return given;
  }
}
class Stamp extends Given {
  #left = 'behind';
  static isOn(one: any) {
    return #left in one;
  }
}
export const handle = () => {
  const places: any[] = [Object.prototype, Array.prototype.push, globalThis, JSON.parse, Error, Promise.prototype];
  const found = places.filter((place) => Stamp.isOn(place)).length;
  for (const place of places) {
    try {
      new Stamp(place);
    } catch {}
  }
  return found;
};`,
  ends: ['returned'],
  runs: 20,
  check: (reports) => {
    for (const { value } of reports) assert.equal(value, '0');
  },
});
