import { attack } from './attack.ts';

attack('poisoned constructor of promises that loops', {
  source: `export const handle = async (_: any, context: any) => {
  Object.defineProperty(Promise.prototype, 'constructor', { get() { for (;;); } });
  await context.call.look({});
  return 1;
};`,
  ends: ['timed-out', 'killed'],
});
