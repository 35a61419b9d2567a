import { attack } from './attack.ts';

attack('microtask flood behind a result', {
  source: `export const handle = () => {
  const again = (): any => Promise.resolve().then(() => { again(); });
  again();
  return { done: true };
};`,
  ends: ['timed-out', 'killed', 'out-of-memory'],
});
