import { attack } from './attack.ts';

attack('bundler import by loader suffix', {
  source: `import text from './types?raw';
export const handle = () => text;`,
  ends: ['refused'],
});
