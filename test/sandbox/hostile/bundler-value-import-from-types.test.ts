import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('bundler value import from types', {
  source: `import { secret } from './types';
export const handle = () => secret;`,
  ends: ['refused'],
  check: ([report]) => assert.match(report?.message ?? '', /as a value/),
});
