import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('thrown stack with endless numbers', {
  source: `export const handle = () => {
  const error = new Error('no place');
  error.stack = 'Error: no place\\n    at handle (handler.js:' + '9'.repeat(400) + ':' + '9'.repeat(400) + ')';
  throw error;
};`,
  ends: ['threw'],
  check: ([report]) => {
    assert.equal(report?.message, 'Error: no place');
    for (const place of Object.values(report?.position ?? {})) assert.ok(Number.isFinite(place));
  },
});
