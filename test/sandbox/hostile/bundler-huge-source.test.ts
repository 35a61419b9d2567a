import { attack } from './attack.ts';

attack('bundler huge source', {
  source: `export const handle = () => ${JSON.stringify('x'.repeat(300_000))};`,
  ends: ['refused'],
});
