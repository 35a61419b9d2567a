import { attack } from './attack.ts';

attack('bundler export by getter', {
  source: `export const handle: any = new Proxy(() => 1, { apply() { for (;;); } });`,
  ends: ['timed-out'],
});
