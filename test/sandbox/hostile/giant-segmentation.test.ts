import { attack } from './attack.ts';

attack('giant segmentation', {
  source: `export const handle = () =>
  [...new Intl.Segmenter('th', { granularity: 'word' }).segment('\\u0e01'.repeat(3_000_000))].length;`,
  ends: ['killed', 'timed-out', 'out-of-memory', 'threw'],
});
