import { attack } from './attack.ts';

attack('bundler dynamic import of a file', {
  source: `export const handle = async () => (await import('SECRET_FILE')).secret;`,
  ends: ['refused'],
});
