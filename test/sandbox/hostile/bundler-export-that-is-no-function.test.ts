import { attack } from './attack.ts';

attack('bundler export that is no function', {
  source: `export const handle = { call: () => 1 };`,
  ends: ['threw', 'refused'],
});
