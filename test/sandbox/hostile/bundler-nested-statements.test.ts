import { attack } from './attack.ts';

attack('bundler nested statements', {
  source: `export const handle = () => { ${'if(1)'.repeat(50_000)}; };`,
  ends: ['refused'],
});
