import { attack } from './attack.ts';

attack('memory by buffers', {
  source: `export const handle = () => {
  const all: any[] = [];
  for (;;) all.push(new Uint8Array(10_000_000).fill(1));
};`,
  ends: ['threw', 'out-of-memory', 'killed', 'timed-out'],
});
