import { attack } from './attack.ts';

attack('bundler import equals', {
  source: `import fs = require('node:fs');
export const handle = () => fs.readFileSync('SECRET_FILE', 'utf8');`,
  ends: ['refused'],
});
