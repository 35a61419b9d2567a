import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('state in regexp statics', {
  source: `export const handle = (request: any) => {
  const last = [(RegExp as any).$1, (RegExp as any).lastMatch, (RegExp as any).input, (RegExp as any)['$_']];
  /(index)/.exec(\`index of run \${request.index}\`);
  return last.map((one) => typeof one);
};`,
  ends: ['returned'],
  runs: 70,
  check: (reports) => {
    for (const { value } of reports) assert.equal(value, '["undefined","undefined","undefined","undefined"]');
  },
});
