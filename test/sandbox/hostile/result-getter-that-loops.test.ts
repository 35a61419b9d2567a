import { attack } from './attack.ts';

attack('result getter that loops', {
  source: `export const handle = () => ({ get x() { for (;;); } });`,
  ends: ['timed-out'],
});
