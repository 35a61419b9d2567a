import { attack } from './attack.ts';

attack('loop in an iterator that is left', {
  source: `export const handle = () => {
  const endless = { [Symbol.iterator]: () => ({ next: () => ({ value: 1, done: false }), return() { for (;;); } }) };
  const [first] = endless as any;
  return { first };
};`,
  ends: ['timed-out'],
});
