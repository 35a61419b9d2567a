import { attack } from './attack.ts';

attack('loop in a decorator', {
  source: `function spin(_class: unknown, _context: unknown): any { for (;;); }
@spin
class Held {}
export const handle = () => typeof Held;`,
  ends: ['timed-out'],
});
