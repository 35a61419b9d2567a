import { attack } from './attack.ts';

attack('result thenable that never calls', {
  source: `export const handle = () => ({ then() {} });`,
  ends: ['timed-out'],
});
