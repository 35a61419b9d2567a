import { attack } from './attack.ts';

attack('recursion into the context', {
  source: `export const handle = (_: any, context: any) => {
  let failures = 0;
  const dig = (): void => {
    try {
      dig();
    } catch {
      failures += 1;
      try {
        context.log('at the edge');
        context.call.look({}).catch(() => {});
        context.newId();
      } catch {}
      throw new Error('up');
    }
  };
  try {
    dig();
  } catch {}
  return { failed: failures > 0 };
};`,
  ends: ['returned', 'threw', 'timed-out'],
});
