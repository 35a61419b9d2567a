import { attack } from './attack.ts';

attack('json parse of deep text', {
  source: `export const handle = () => JSON.parse('['.repeat(1_000_000));`,
  ends: ['timed-out', 'threw'],
});
