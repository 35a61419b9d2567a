import { attack } from './attack.ts';

attack('bundler re export of a file', {
  source: `export * from 'SECRET_FILE';
export const handle = () => 1;`,
  ends: ['refused'],
});
