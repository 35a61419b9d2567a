import { attack } from './attack.ts';

attack('bundler closed function', {
  source: `export const handle = () => 1;
}); globalThis.mark = 1; (() => {`,
  ends: ['refused'],
});
