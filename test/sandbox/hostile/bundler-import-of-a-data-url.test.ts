import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('bundler import of a data url', {
  source: `import code from 'data:text/javascript,export default 1';
export const handle = () => code;`,
  ends: ['refused'],
  check: ([report]) => assert.match(report?.message ?? '', /data:/),
});
