import { attack } from './attack.ts';

attack('loop in an enum', {
  source: `function spin(): number { for (;;); }
enum Held { Value = spin() }
export const handle = () => Held.Value;`,
  ends: ['timed-out'],
});
