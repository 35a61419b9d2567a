import { attack } from './attack.ts';

attack('escape by constructor of context', {
  source: `export const handle = (_: any, context: any) => context.constructor.constructor('return process')().env;`,
  ends: ['threw'],
});
