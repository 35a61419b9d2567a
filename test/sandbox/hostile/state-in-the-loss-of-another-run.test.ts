import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('state in the loss of another run', {
  source: `// One run has the isolate thrown away; those beside it are made again, and must not see that.
export const handle = async ({ index }: { index: number }, context: any) => {
  const before = Object.isFrozen(Object.prototype);
  await context.call.look(index);
  if (index === 3) new ArrayBuffer(1_000_000_000);
  await context.call.look(-index);
  return [before, Object.isFrozen(Object.prototype)];
};`,
  ends: ['returned', 'out-of-memory'],
  frozen: true,
  runs: 8,
  check: (reports) => {
    const values = reports.map(({ value }) => value);
    assert.deepEqual(
      values,
      Array.from({ length: 8 }, (_, index) => (index === 3 ? undefined : '[true,true]')),
    );
  },
});
