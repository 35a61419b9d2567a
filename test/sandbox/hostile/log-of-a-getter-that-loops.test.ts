import { attack } from './attack.ts';

attack('log of a getter that loops', {
  source: `export const handle = (_: any, context: any) => context.log({ get x() { for (;;); } });`,
  ends: ['timed-out'],
});
