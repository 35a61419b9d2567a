import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('bundler namespace import from types', {
  source: `import * as types from './types';
export const handle = () => types.secret;`,
  ends: ['refused'],
  check: ([report]) => assert.match(report?.message ?? '', /as a value/),
});
