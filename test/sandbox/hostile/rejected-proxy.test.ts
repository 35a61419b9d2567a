import { attack } from './attack.ts';

attack('rejected proxy', {
  source: `export const handle = () => {
  Promise.reject(new Proxy({}, { get() { throw 1; } }));
  return 1;
};`,
  ends: ['returned', 'threw', 'killed'],
});
