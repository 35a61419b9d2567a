import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('changed context', {
  source: `export const handle = (_: any, context: any) => {
  const failed: string[] = [];
  for (const key of ['call', 'log', 'newId', 'now', 'send']) {
    try {
      context[key] = () => 'mine';
    } catch {
      failed.push(key);
    }
  }
  return failed.length;
};`,
  ends: ['returned'],
  check: ([report]) => assert.equal(report?.value, '5'),
});
