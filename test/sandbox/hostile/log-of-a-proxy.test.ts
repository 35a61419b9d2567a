import { attack } from './attack.ts';

attack('log of a proxy', {
  source: `export const handle = (_: any, context: any) => {
  context.log(new Proxy({}, { get() { throw new Error('trap'); }, getPrototypeOf() { throw new Error('trap'); } }));
  return 1;
};`,
  ends: ['returned'],
});
