import { attack } from './attack.ts';

attack('memory by suspended functions', {
  source: `export const handle = async () => {
  const kept: unknown[] = [];
  const wait = async () => {
    const mine = new Array(50).fill(0);
    await new Promise(() => {});
    return mine;
  };
  for (;;) kept.push(wait());
};`,
  ends: ['out-of-memory', 'killed', 'timed-out'],
});
