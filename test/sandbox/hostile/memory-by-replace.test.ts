import { attack } from './attack.ts';

attack('memory by replace', {
  source: `export const handle = () => 'x'.repeat(5_000_000).replace(/x/g, 'y'.repeat(200)).length;`,
  ends: ['killed', 'out-of-memory', 'timed-out', 'threw'],
});
