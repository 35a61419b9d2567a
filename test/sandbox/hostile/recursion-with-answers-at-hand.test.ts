import { attack } from './attack.ts';

attack('recursion with answers at hand', {
  source: `export const handle = async (_: any, context: any) => {
  let made = 0;
  const dive = (): void => {
    try {
      dive();
    } catch {}
    try {
      if (made < 60) context.call.look({ n: 1 }).catch(() => {});
      made += 1;
    } catch {}
  };
  dive();
  await context.call.look({ n: 1 });
  return made > 60;
};`,
  ends: ['returned', 'threw', 'timed-out'],
  runs: 2,
  answers: { look: { '{"n":1}': { output: '1' } } },
});
