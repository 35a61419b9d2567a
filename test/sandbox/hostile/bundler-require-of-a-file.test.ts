import { attack } from './attack.ts';

attack('bundler require of a file', {
  source: `declare const require: any;
export const handle = () => require('SECRET_FILE').secret;`,
  ends: ['refused'],
});
