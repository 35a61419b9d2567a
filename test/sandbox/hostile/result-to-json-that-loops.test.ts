import { attack } from './attack.ts';

attack('result to json that loops', {
  source: `export const handle = () => ({ toJSON() { for (;;); } });`,
  ends: ['timed-out'],
});
