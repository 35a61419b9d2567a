import { attack } from './attack.ts';

attack('code by function constructor', {
  source: `export const handle = () => new Function('return 1')();`,
  ends: ['threw'],
});
