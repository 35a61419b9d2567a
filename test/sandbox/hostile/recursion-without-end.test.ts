import { attack } from './attack.ts';

attack('recursion without end', {
  source: `export const handle = () => {
  const dig = (): number => 1 + dig();
  return dig();
};`,
  ends: ['threw'],
});
