import { attack } from './attack.ts';

attack('promise of a class whose then loops', {
  source: `class Endless extends Promise<number> {
  override then(): any { for (;;); }
}
export const handle = () => Endless.resolve(1);`,
  ends: ['timed-out'],
});
