import { attack } from './attack.ts';

attack('microtask flood', {
  source: `export const handle = () => {
  const again = (): any => Promise.resolve().then(again);
  again();
  return new Promise(() => {});
};`,
  ends: ['timed-out', 'killed', 'out-of-memory'],
});
