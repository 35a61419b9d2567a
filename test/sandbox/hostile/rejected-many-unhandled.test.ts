import { attack } from './attack.ts';

attack('rejected many unhandled', {
  source: `export const handle = () => {
  for (let index = 0; index < 10_000; index += 1) Promise.reject(new Error('x'));
  return 1;
};`,
  ends: ['returned'],
});
