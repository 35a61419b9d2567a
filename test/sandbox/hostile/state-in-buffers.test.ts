import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('state in buffers', {
  source: `// Memory that another run has had must not come back with what it held.
const kept = new Uint8Array(8);
export const handle = () => {
  let dirty = kept[0] as number;
  kept.fill(7);
  for (const length of [16, 64, 4_096, 65_536]) {
    const bytes = new Uint8Array(length);
    for (const byte of bytes) dirty |= byte;
    bytes.fill(255);
    const grown = bytes.buffer.transfer(2 * length);
    for (const byte of new Uint8Array(grown, length)) dirty |= byte;
    new Uint8Array(grown).fill(255);
  }
  return dirty;
};`,
  ends: ['returned'],
  runs: 70,
  check: (reports) => {
    for (const { value } of reports) assert.equal(value, '0');
  },
});
