import { attack } from './attack.ts';

attack('call made by a forged name', {
  source: `export const handle = (_: any, context: any) => {
  context.call.steal = context.call.look;
  return context.call.steal({});
};`,
  ends: ['threw'],
});
