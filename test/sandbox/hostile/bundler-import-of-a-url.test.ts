import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('bundler import of a url', {
  source: `import code from 'http://127.0.0.1:SECRET_PORT/code.js';
export const handle = () => code;`,
  ends: ['refused'],
  check: ([report]) => assert.match(report?.message ?? '', /http:/),
});
