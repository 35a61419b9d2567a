import { attack } from './attack.ts';

attack('giant locale compare', {
  source: `export const handle = () => {
  const text = '\\u00e4'.repeat(3_000_000);
  let sum = 0;
  for (let index = 0; index < 50; index += 1) sum += text.localeCompare(\`\${text}\${index}\`, 'sv');
  return sum;
};`,
  ends: ['killed', 'timed-out', 'returned', 'threw', 'out-of-memory'],
});
