import { attack } from './attack.ts';

attack('thrown proxy of an error that loops', {
  source: `export const handle = () => {
  throw new Proxy(new Error('x'), { get() { for (;;); } });
};`,
  ends: ['timed-out'],
});
