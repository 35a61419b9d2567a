import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('state in a loop of calls left behind', {
  source: `export const handle = async (request: any, context: any) => {
  const loop = async () => {
    for (let turn = 0; ; turn += 1) {
      await context.call.look({ of: request.index, turn });
      context.log(\`of \${request.index}\`);
    }
  };
  loop();
  await context.call.store({ of: request.index });
  return request.index;
};`,
  ends: ['returned'],
  runs: 20,
  check: (reports) => {
    for (const [index, { value, logs, calls }] of reports.entries()) {
      assert.equal(value, String(index));
      for (const line of logs) assert.equal(line, `of ${index}`);
      for (const { input } of calls) assert.equal((JSON.parse(input) as { of: number }).of, index);
    }
  },
});
