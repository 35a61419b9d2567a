import { attack } from './attack.ts';

attack('bundler new url of a file', {
  source: `export const handle = () => new (globalThis as any).URL('SECRET_FILE', import.meta.url).href;`,
  ends: ['threw', 'refused'],
});
