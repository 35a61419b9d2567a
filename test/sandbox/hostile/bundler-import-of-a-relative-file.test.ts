import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('bundler import of a relative file', {
  source: `import manifest from '../../package.json';
export const handle = () => manifest;`,
  ends: ['refused'],
  check: ([report]) => assert.match(report?.message ?? '', /package/),
});
