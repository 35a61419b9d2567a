import { attack } from './attack.ts';

attack('loop in an async disposal', {
  source: `export const handle = async () => {
  await using held = { async [Symbol.asyncDispose]() { for (;;) await null; } };
  return { held: typeof held };
};`,
  ends: ['timed-out'],
});
