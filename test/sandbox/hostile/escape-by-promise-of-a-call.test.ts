import { attack } from './attack.ts';

attack('escape by promise of a call', {
  source: `export const handle = async (_: any, context: any) => {
  const promise = context.call.look({});
  return promise.then.constructor('return process')().env;
};`,
  ends: ['threw'],
});
