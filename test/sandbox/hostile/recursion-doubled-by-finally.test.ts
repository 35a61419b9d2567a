import { attack } from './attack.ts';

// Each level is entered twice, so that it does not end for want of stack but would take 2 ** depth steps.
attack('recursion doubled by finally', {
  source: `export const handle = () => {
  const descend = (): void => { try { descend(); } finally { descend(); } };
  descend();
};`,
  ends: ['timed-out'],
});
