import { attack } from './attack.ts';

attack('uninterruptible sort', {
  source: `export const handle = () => new Array(2 ** 32 - 1).sort().length;`,
  ends: ['killed', 'timed-out', 'out-of-memory', 'threw', 'returned'],
});
