import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('bundler nested statements', {
  source: `export const handle = () => { ${'if (1) for (const x of []) while (0) do '.repeat(5_000)}; };`,
  ends: ['refused'],
  check: ([report]) => assert.match(report?.message ?? '', /nested too deeply/),
});
