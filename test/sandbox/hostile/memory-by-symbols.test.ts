import { attack } from './attack.ts';

attack('memory by symbols', {
  source: `export const handle = () => {
  for (let index = 0; ; index += 1) Symbol.for(\`symbol number \${index}\`);
};`,
  ends: ['killed', 'out-of-memory', 'timed-out'],
});
