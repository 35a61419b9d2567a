import { attack } from './attack.ts';

attack('escape by constructor of the request', {
  source: `export const handle = (request: any) => request.constructor.constructor('return process')().env;`,
  ends: ['threw'],
});
