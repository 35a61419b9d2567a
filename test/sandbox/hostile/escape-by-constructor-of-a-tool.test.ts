import { attack } from './attack.ts';

attack('escape by constructor of a tool', {
  source: `export const handle = (_: any, context: any) => context.call.look.constructor('return globalThis.process')().env;`,
  ends: ['threw'],
});
