import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('bundler import of a built in', {
  source: `import { readFileSync } from 'node:fs';
export const handle = () => readFileSync('SECRET_FILE', 'utf8');`,
  ends: ['refused'],
  check: ([report]) => assert.match(report?.message ?? '', /node:fs/),
});
