import assert from 'node:assert/strict';
import { attack } from './attack.ts';

// The list that a tagged template is called with is the same at every evaluation in a realm.
attack('state in template objects', {
  source: `const list = (parts: any) => parts;
class Stamp extends (function (one: object) { return one; } as any) {
  #mark = 1;
  static isOn(one: object) { return #mark in one; }
}
export const handle = () => {
  const parts = list\`kept\`;
  const before = Object.keys(parts).length + ':' + Stamp.isOn(parts) + ':' + Stamp.isOn(parts.raw);
  for (const one of [parts, parts.raw]) {
    try { one.mark = 1; } catch {}
    try { new (Stamp as any)(one); } catch {}
  }
  return before;
};`,
  ends: ['returned'],
  runs: 5,
  check: (reports) => {
    for (const { value } of reports) assert.equal(value, '"1:false:false"');
  },
});
