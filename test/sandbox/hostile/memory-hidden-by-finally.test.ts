import { attack } from './attack.ts';

attack('memory hidden by finally', {
  source: `export const handle = () => {
  const kept: unknown[] = [];
  try {
    for (;;) kept.push(new Array(10_000).fill(1));
  } finally {
    return { hidden: true };
  }
};`,
  ends: ['out-of-memory', 'killed', 'timed-out'],
});
