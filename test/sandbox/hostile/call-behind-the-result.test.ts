import { attack } from './attack.ts';

attack('call behind the result', {
  source: `export const handle = (_: any, context: any) => {
  Promise.resolve().then(() => context.call.store({ late: true }));
  return 1;
};`,
  ends: ['returned'],
});
