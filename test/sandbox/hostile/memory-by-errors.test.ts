import { attack } from './attack.ts';

attack('memory by errors', {
  source: `export const handle = () => {
  (Error as any).stackTraceLimit = 10_000;
  const all: any[] = [];
  const dig = (depth: number): any => (depth === 0 ? all.push(new Error('x'.repeat(1_000))) : dig(depth - 1) + 1);
  for (;;) dig(1_000);
};`,
  ends: ['killed', 'out-of-memory', 'timed-out', 'threw'],
});
