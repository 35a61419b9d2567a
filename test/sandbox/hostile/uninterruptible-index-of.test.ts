import { attack } from './attack.ts';

attack('uninterruptible index of', {
  source: `export const handle = () => Array.prototype.indexOf.call({ length: 2 ** 53 - 1 } as any, 1);`,
  ends: ['killed'],
});
