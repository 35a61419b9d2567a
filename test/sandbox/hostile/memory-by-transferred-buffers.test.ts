import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('memory by buffers that are transferred', {
  source: `export const handle = () => {
  const said: string[] = [];
  for (const length of [2 ** 31, 2 ** 33, 2 ** 40]) {
    for (const name of ['transfer', 'transferToFixedLength']) {
      try {
        said.push(String((new ArrayBuffer(8) as any)[name](length).byteLength > 0));
      } catch (error: any) {
        said.push(error.name);
      }
    }
  }
  return said;
};`,
  ends: ['returned', 'out-of-memory', 'timed-out', 'killed'],
  check: ([report]) => assert.ok(!report?.value?.includes('true'), report?.value),
});
