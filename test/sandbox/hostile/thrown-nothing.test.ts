import { attack } from './attack.ts';

attack('thrown nothing', {
  source: `export const handle = (request: any) => { throw [undefined, null, 0, '', Symbol('x'), 10n][request.index]; };`,
  ends: ['threw'],
  runs: 6,
});
