import { attack } from './attack.ts';

attack('call with a to json that calls', {
  source: `export const handle = async (_: any, context: any) => {
  let depth = 0;
  const again: any = { toJSON() { depth += 1; if (depth < 5_000) context.call.look(again).catch(() => {}); return { depth }; } };
  await context.call.look(again);
  return depth;
};`,
  ends: ['returned', 'threw', 'timed-out'],
});
