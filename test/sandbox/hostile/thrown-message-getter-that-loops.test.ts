import { attack } from './attack.ts';

attack('thrown message getter that loops', {
  source: `export const handle = () => { throw { get message() { for (;;); } }; };`,
  ends: ['timed-out'],
});
