import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('poisoned json', {
  source: `export const handle = () => {
  JSON.stringify = () => '{"forged":true}';
  JSON.parse = () => { throw new Error('no'); };
  return { honest: true };
};`,
  ends: ['returned', 'threw'],
  runs: 2,
  check: ([report]) => assert.doesNotMatch(report?.value ?? '', /forged/),
});
