import { attack } from './attack.ts';

attack('memory by doubled string', {
  source: `export const handle = () => {
  let text = 'x';
  for (;;) text += text;
};`,
  ends: ['threw', 'out-of-memory', 'killed'],
});
