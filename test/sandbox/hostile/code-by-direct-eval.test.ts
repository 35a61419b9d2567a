import { attack } from './attack.ts';

attack('code by direct eval', {
  source: `export const handle = () => eval('1 + 1');`,
  ends: ['threw'],
});
