import { attack } from './attack.ts';

attack('thrown prepare stack trace that loops', {
  source: `export const handle = () => {
  (Error as any).prepareStackTrace = () => { for (;;); };
  throw new Error('x');
};`,
  ends: ['timed-out', 'threw'],
});
