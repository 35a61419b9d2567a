import { attack } from './attack.ts';

attack('bundler top level loop', {
  source: `for (;;);
export const handle = () => 1;`,
  ends: ['timed-out', 'refused'],
});
