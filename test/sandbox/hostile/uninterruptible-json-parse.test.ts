import { attack } from './attack.ts';

attack('uninterruptible parsing in a loop', {
  source: `export const handle = () => {
  const text = JSON.stringify(Array.from({ length: 10_000 }, (_, index) => ({ index, name: \`name \${index}\` })));
  for (;;) JSON.parse(text);
};`,
  ends: ['killed', 'timed-out', 'out-of-memory'],
});
