import { attack } from './attack.ts';

attack('bundler unicode names', {
  source: `export const h\\u0061ndle = () => { const \\u{20BB7} = 1; return \\u{20BB7}; };`,
  ends: ['returned'],
});
