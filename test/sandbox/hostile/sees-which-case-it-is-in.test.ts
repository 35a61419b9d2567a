import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('sees which case it is in', {
  source: `let order = 0;
export const handle = async (request: any, context: any) => {
  order += 1;
  const stack = String(new Error('x').stack);
  const names = Object.keys(globalThis).concat(Object.keys(context));
  return { order, names, clock: Date.now(), random: Math.random(), id: context.newId(), depth: stack.split('\\n').length };
};`,
  ends: ['returned'],
  runs: 70,
  check: (reports) => {
    // The same seed and clock in all: nothing but the request tells them apart.
    for (const { value } of reports) assert.equal(value, reports[0]?.value);
  },
});
