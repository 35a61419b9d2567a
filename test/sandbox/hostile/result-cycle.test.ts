import { attack } from './attack.ts';

attack('result cycle', {
  source: `export const handle = () => {
  const one: any = {};
  one.one = one;
  return one;
};`,
  ends: ['threw'],
});
