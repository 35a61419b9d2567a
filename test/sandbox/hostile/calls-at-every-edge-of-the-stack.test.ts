import assert from 'node:assert/strict';
import { attack } from './attack.ts';

// Each run comes to the edge with another rest of stack: by as many words as its index says. What is told of a call must not be lost in between.
attack('calls at every edge of the stack', {
  source: `export const handle = (request: any, context: any) => {
  const dig = (): void => {
    try {
      dig();
    } catch {
      try {
        context.call.look({}).catch(() => {});
      } catch {}
      throw 0;
    }
  };
  const shift = (..._: unknown[]) => dig();
  try {
    shift(...new Array(request.index));
  } catch {}
};`,
  ends: ['threw'],
  runs: 24,
  check(reports) {
    for (const { message, calls } of reports)
      assert.deepEqual([message, calls.length], ['made more than 100 calls', 100]);
  },
});
