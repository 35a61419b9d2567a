import { attack } from './attack.ts';

attack('sort comparator that loops', {
  source: `export const handle = () => [3, 2, 1].sort(() => { for (;;); });`,
  ends: ['timed-out'],
});
