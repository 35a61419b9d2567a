import { attack } from './attack.ts';

// esbuild works out the texts of an enumeration.
const members = Array.from({ length: 40 }, (_, index) => `a${index + 1} = a${index} + a${index}`).join(', ');

attack('bundler enum that doubles', {
  source: `enum Doubled { a0 = 'xxxxxxxx', ${members} }
export const handle = () => Doubled.a40;`,
  ends: ['refused'],
});
