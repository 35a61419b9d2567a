import { attack } from './attack.ts';

attack('async loop', {
  source: `export const handle = async () => {
  for (;;) await null;
};`,
  ends: ['timed-out'],
});
