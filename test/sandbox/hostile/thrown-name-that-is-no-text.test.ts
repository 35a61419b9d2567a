import { attack } from './attack.ts';

attack('thrown name that is no text', {
  source: `export const handle = () => {
  const error: any = new Error('x');
  error.name = { toString() { for (;;); } };
  error.message = Symbol('x');
  throw error;
};`,
  ends: ['timed-out', 'threw'],
});
