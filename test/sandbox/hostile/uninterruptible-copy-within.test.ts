import { attack } from './attack.ts';

attack('uninterruptible copy within', {
  source: `export const handle = () => Array.prototype.copyWithin.call({ length: 2 ** 53 - 1 } as any, 0, 1);`,
  ends: ['killed', 'timed-out'],
});
