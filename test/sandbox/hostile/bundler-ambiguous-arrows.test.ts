import { attack } from './attack.ts';

// A colon may begin the type that an arrow returns or the other half of a condition: esbuild tries both, at every level.
attack('bundler ambiguous arrows', {
  source: `export const handle = (a: any, b: any) => ${'a ? (b) : c => '.repeat(60)}b;`,
  ends: ['refused'],
});
