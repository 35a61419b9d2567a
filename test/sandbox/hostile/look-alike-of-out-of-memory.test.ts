import { attack } from './attack.ts';

attack('look alike of out of memory', {
  source: `export const handle = () => { throw new RangeError('Isolate was disposed during execution due to memory limit'); };`,
  ends: ['threw'],
});
