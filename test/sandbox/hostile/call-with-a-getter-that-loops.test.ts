import { attack } from './attack.ts';

attack('call with a getter that loops', {
  source: `export const handle = (_: any, context: any) => context.call.store({ get x() { for (;;); } });`,
  ends: ['timed-out'],
});
