import { attack } from './attack.ts';

attack('memory by strings', {
  source: `export const handle = () => {
  const all: string[] = [];
  for (let index = 0; ; index += 1) all.push(\`\${index}\`.repeat(100_000).split('').join('-'));
};`,
  ends: ['killed', 'out-of-memory', 'timed-out', 'threw'],
});
