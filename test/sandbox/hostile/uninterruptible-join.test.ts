import { attack } from './attack.ts';

attack('uninterruptible join', {
  source: `export const handle = () => Array.prototype.join.call({ length: 2 ** 53 - 1 } as any, '');`,
  ends: ['killed', 'timed-out', 'threw', 'out-of-memory'],
});
