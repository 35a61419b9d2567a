import { attack } from './attack.ts';

attack('result bigint', {
  source: `export const handle = () => ({ n: 1n });`,
  ends: ['threw'],
});
