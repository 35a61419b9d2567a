import { attack } from './attack.ts';

attack('memory by split', {
  source: `export const handle = () => 'x'.repeat(50_000_000).split('').length;`,
  ends: ['killed', 'out-of-memory', 'timed-out', 'threw'],
});
