import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('state in a generator left suspended', {
  source: `async function* turns(context: any, index: number) {
  try {
    for (;;) yield await context.call.look({ of: index });
  } finally {
    context.log(\`end of \${index}\`);
  }
}
export const handle = async (request: any, context: any) => {
  const own = turns(context, request.index);
  await own.next();
  own.next();
  own.return(undefined);
  return request.index;
};`,
  ends: ['returned'],
  runs: 30,
  check: (reports) => {
    for (const [index, { value, logs }] of reports.entries()) assert.deepEqual([value, logs], [String(index), []]);
  },
});
