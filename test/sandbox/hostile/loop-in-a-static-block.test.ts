import { attack } from './attack.ts';

attack('loop in a static block', {
  source: `class Held {
  static { for (;;); }
}
export const handle = () => typeof Held;`,
  ends: ['timed-out'],
});
