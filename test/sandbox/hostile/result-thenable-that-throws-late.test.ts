import { attack } from './attack.ts';

attack('result thenable that throws late', {
  source: `export const handle = () => ({ then(resolve: any) { resolve(1); throw new Error('late'); } });`,
  ends: ['returned'],
});
