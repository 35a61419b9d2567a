import { attack } from './attack.ts';

attack('loop in a disposal', {
  source: `export const handle = () => {
  using held = { [Symbol.dispose]() { for (;;); } };
  return { held: typeof held };
};`,
  ends: ['timed-out'],
});
