import { attack } from './attack.ts';

// It throws where the realm is frozen, while the host is still at a call of it, and does not make that call where it is made again.
attack('a promise that waits for a call of another attempt', {
  source: `export const handle = async (_: any, context: any) => {
  if (!Object.isFrozen(Array.prototype)) await new Promise(() => {});
  context.call.look({});
  await context.call.store({});
  throw new Error('frozen');
};`,
  ends: ['timed-out'],
  slowMs: { look: 500 },
});
