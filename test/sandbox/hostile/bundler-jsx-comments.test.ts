import { attack } from './attack.ts';

attack('bundler jsx comments', {
  source: `/** @jsx secret @jsxImportSource SECRET_FILE @jsxRuntime automatic */
export const handle = () => 1;`,
  ends: ['returned'],
});
