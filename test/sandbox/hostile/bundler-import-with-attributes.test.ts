import { attack } from './attack.ts';

attack('bundler import with attributes', {
  source: `import text from './types' with { type: 'text' };
export const handle = () => text;`,
  ends: ['refused'],
});
