import { attack } from './attack.ts';

attack('thrown while loading', {
  source: `const trap = { get message() { for (;;); } };
throw trap;
export const handle = () => 1;`,
  ends: ['timed-out', 'refused'],
});
