import { attack } from './attack.ts';

attack('giant bigint text', {
  source: `export const handle = () => ((1n << 20_000_000n) - 1n).toString().length;`,
  ends: ['killed', 'timed-out', 'returned', 'threw'],
});
