import { attack } from './attack.ts';

attack('memory by arrays', {
  source: `export const handle = () => {
  const all: any[] = [];
  for (;;) all.push(new Array(100_000).fill(1.5));
};`,
  ends: ['killed', 'out-of-memory', 'timed-out'],
});
