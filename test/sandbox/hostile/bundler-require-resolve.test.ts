import { attack } from './attack.ts';

attack('bundler require resolve', {
  source: `declare const require: any;
export const handle = () => require.resolve('SECRET_FILE');`,
  ends: ['refused', 'threw'],
});
