import { attack } from './attack.ts';

attack('giant bigint parse', {
  source: `export const handle = () => BigInt('9'.repeat(5_000_000)) > 1n;`,
  ends: ['killed', 'timed-out', 'returned', 'threw'],
});
