import { attack } from './attack.ts';

attack('loop in has instance', {
  source: `export const handle = () => ({} instanceof ({ [Symbol.hasInstance]() { for (;;); } } as any));`,
  ends: ['timed-out'],
});
