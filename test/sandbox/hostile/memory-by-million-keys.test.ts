import { attack } from './attack.ts';

attack('memory by million keys', {
  source: `export const handle = () => {
  const table: any = {};
  for (let index = 0; index < 5_000_000; index += 1) table[\`key \${index}\`] = index;
  return 1;
};`,
  ends: ['killed', 'out-of-memory', 'timed-out'],
});
