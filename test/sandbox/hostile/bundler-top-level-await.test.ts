import { attack } from './attack.ts';

attack('bundler top level await', {
  source: `await new Promise(() => {});
export const handle = () => 1;`,
  ends: ['refused'],
});
