import { attack } from './attack.ts';

attack('code by indirect eval', {
  source: `export const handle = () => (0, eval)('globalThis.mark = 1');`,
  ends: ['threw'],
});
