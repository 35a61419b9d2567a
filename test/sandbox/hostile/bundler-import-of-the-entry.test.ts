import { attack } from './attack.ts';

attack('bundler import of the entry', {
  source: `import * as self from 'handler.ts';
export const handle = () => Object.keys(self);`,
  ends: ['refused'],
});
