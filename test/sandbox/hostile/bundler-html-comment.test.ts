import { attack } from './attack.ts';

attack('bundler html comment', {
  source: `let x = 1, y = 2;
export const handle = () => x <!--y
;`,
  ends: ['refused'],
});
