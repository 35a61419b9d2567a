import { attack } from './attack.ts';

attack('async recursion', {
  source: `export const handle = async () => {
  const dig = async (): Promise<any> => { await null; return dig(); };
  return dig();
};`,
  ends: ['timed-out', 'killed', 'out-of-memory'],
});
