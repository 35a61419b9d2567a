import { attack } from './attack.ts';

attack('rejected getter that loops', {
  source: `export const handle = () => {
  Promise.reject({ get message() { for (;;); } });
  return 1;
};`,
  ends: ['killed'],
});
