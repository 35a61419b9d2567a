import { attack } from './attack.ts';

attack('giant normalisation', {
  source: `export const handle = () => 'e\\u0301\\ufdfa'.repeat(2_000_000).normalize('NFKD').length;`,
  ends: ['killed', 'timed-out', 'returned', 'threw', 'out-of-memory'],
});
