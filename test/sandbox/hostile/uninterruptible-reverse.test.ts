import { attack } from './attack.ts';

attack('uninterruptible reverse', {
  source: `export const handle = () => new Array(2 ** 32 - 1).reverse().length;`,
  ends: ['killed', 'timed-out', 'out-of-memory', 'threw'],
});
