import assert from 'node:assert/strict';
import { attack } from './attack.ts';

// Each "<" may begin the arguments of a type: esbuild tries that anew at every level.
attack('bundler nested comparisons', {
  source: `export const handle = (a: any) => ${'a<'.repeat(20_000)}a;`,
  ends: ['refused'],
  check: ([report]) => assert.match(report?.message ?? '', /nested too deeply/),
});
