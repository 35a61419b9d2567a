import { attack } from './attack.ts';

attack('look alike of a timeout', {
  source: `export const handle = () => { throw new Error('Script execution timed out.'); };`,
  ends: ['threw'],
});
