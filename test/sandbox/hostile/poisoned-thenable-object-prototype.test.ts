import { attack } from './attack.ts';

attack('poisoned thenable object prototype', {
  source: `export const handle = async () => {
  (Object.prototype as any).then = function (resolve: any) {
    resolve('poisoned');
  };
  return { a: 1 };
};`,
  ends: ['returned', 'threw', 'timed-out'],
  runs: 2,
});
