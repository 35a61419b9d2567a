import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('bundler import of a package', {
  source: `import ajv from 'ajv';
export const handle = () => typeof ajv;`,
  ends: ['refused'],
  check: ([report]) => assert.match(report?.message ?? '', /ajv/),
});
