import { attack } from './attack.ts';

attack('result huge', {
  source: `export const handle = () => 'x'.repeat(20_000_000);`,
  ends: ['timed-out', 'threw', 'out-of-memory'],
});
