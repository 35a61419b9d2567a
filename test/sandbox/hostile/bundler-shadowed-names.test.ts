import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('bundler shadowed names', {
  source: `const Math = { random: () => 7 };
const Date = 1;
const undefined_ = void 0;
export const handle = () => [Math.random(), Date, typeof undefined_];`,
  ends: ['returned'],
  check: ([report]) => assert.equal(report?.value, '[7,1,"undefined"]'),
});
