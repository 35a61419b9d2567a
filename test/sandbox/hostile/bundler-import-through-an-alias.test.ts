import { attack } from './attack.ts';

attack('bundler import through an alias', {
  source: `import x from '@/secret';
import y from '#internal';
export const handle = () => [x, y];`,
  ends: ['refused'],
});
