import { attack } from './attack.ts';

attack('result that is a thenable at the edge of the stack', {
  source: `export const handle = () => {
  const dive = (settle: (value: number) => void): void => {
    try {
      dive(settle);
    } catch {
      decide(1);
    }
  };
  return { then(resolve: any, reject: any) { dive(resolve); dive(reject); } };
};`,
  ends: ['returned', 'threw', 'timed-out'],
});
