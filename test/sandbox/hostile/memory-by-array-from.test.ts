import { attack } from './attack.ts';

attack('memory by array from', {
  source: `export const handle = () => Array.from({ length: 2 ** 28 }).length;`,
  ends: ['killed', 'out-of-memory', 'timed-out'],
});
