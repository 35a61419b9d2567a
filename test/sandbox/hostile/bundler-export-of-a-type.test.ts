import { attack } from './attack.ts';

attack('bundler export of a type', {
  source: `export type handle = () => number;`,
  ends: ['refused'],
});
