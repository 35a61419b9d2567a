import { attack } from './attack.ts';

attack('giant bigint power', {
  source: `export const handle = () => String((3n ** 5_000_000n) % 7n);`,
  ends: ['killed', 'timed-out', 'returned', 'threw'],
});
