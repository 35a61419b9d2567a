import { attack } from './attack.ts';

attack('memory by fill', {
  source: `export const handle = () => new Array(2 ** 27).fill(0).length;`,
  ends: ['killed', 'out-of-memory', 'timed-out', 'returned'],
});
