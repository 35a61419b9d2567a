import { attack } from './attack.ts';

attack('result deep', {
  source: `export const handle = () => {
  let deep: any = 1;
  for (let index = 0; index < 100_000; index += 1) deep = [deep];
  return deep;
};`,
  ends: ['timed-out', 'threw'],
});
