import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('bundler import of a file', {
  source: `import { secret } from 'SECRET_FILE';
export const handle = () => secret;`,
  ends: ['refused'],
  check: ([report]) => assert.match(report?.message ?? '', /Cannot import .*secret\.ts/),
});
