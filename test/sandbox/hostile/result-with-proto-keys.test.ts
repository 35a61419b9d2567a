import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('result with proto keys', {
  source: `export const handle = () => JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}');`,
  ends: ['returned'],
  check: ([report]) => {
    const value = JSON.parse(report?.value ?? '');
    assert.equal(({} as { polluted?: number }).polluted, undefined);
    assert.deepEqual(Object.keys(value), ['__proto__', 'constructor']);
  },
});
