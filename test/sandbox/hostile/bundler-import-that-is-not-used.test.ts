import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('bundler import that is not used', {
  source: `import fs from 'node:fs';\nimport 'SECRET_FILE';\nexport const handle = () => 1;`,
  ends: ['refused'],
  check: ([report]) => assert.match(report?.message ?? '', /node:fs/),
});
