import { attack } from './attack.ts';

attack('thrown stack getter that loops', {
  source: `export const handle = () => {
  const error = new Error('x');
  Object.defineProperty(error, 'stack', { get() { for (;;); } });
  throw error;
};`,
  ends: ['timed-out'],
});
