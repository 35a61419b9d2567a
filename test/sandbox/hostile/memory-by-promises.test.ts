import { attack } from './attack.ts';

attack('memory by promises', {
  source: `export const handle = () => {
  const all: any[] = [];
  for (;;) all.push(new Promise((resolve) => all.push(resolve)));
};`,
  ends: ['killed', 'out-of-memory', 'timed-out'],
});
