import { attack } from './attack.ts';

attack('bundler nested brackets', {
  source: `export const handle = () => ${'['.repeat(100_000)}${']'.repeat(100_000)};`,
  ends: ['refused'],
});
