import { attack } from './attack.ts';

attack('clock by counting', {
  source: `export const handle = async (_: any, context: any) => {
  let ticks = 0;
  let running = true;
  const count = async () => { while (running) { ticks += 1; await null; } };
  count();
  await context.call.look({});
  running = false;
  return { measured: ticks > 1_000_000 };
};`,
  ends: ['returned', 'timed-out'],
});
