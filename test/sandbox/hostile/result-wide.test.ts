import { attack } from './attack.ts';

attack('result wide', {
  source: `export const handle = () => {
  const wide: any = { toJSON: () => wide.list, list: new Array(2 ** 32 - 1) };
  return wide;
};`,
  ends: ['threw', 'timed-out', 'out-of-memory', 'killed'],
});
