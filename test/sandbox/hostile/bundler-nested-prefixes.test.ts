import { attack } from './attack.ts';

attack('bundler nested prefixes', {
  source: `export const handle = () => ${'-~'.repeat(100_000)}1;`,
  ends: ['refused'],
});
