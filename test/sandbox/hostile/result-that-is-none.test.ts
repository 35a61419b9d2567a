import { attack } from './attack.ts';

attack('result that is none', {
  source: `export const handle = (request: any) => [undefined, () => 1, Symbol('x')][request.index];`,
  ends: ['threw'],
  runs: 3,
});
