import { attack } from './attack.ts';

attack('memory by map', {
  source: `export const handle = () => {
  const map = new Map();
  for (let index = 0; ; index += 1) map.set(index, { index });
};`,
  ends: ['killed', 'out-of-memory', 'timed-out', 'threw'],
});
