import { attack } from './attack.ts';

attack('escape by handler error', {
  source: `export const handle = async (_: any, context: any) => {
  try {
    await context.call.look(undefined);
  } catch (error: any) {
    return error.constructor.constructor('return process')().env;
  }
};`,
  ends: ['threw'],
});
