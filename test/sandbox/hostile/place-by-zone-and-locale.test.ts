import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('place by zone and locale', {
  source: `export const handle = () => [new Date().getTimezoneOffset(), new Intl.DateTimeFormat().resolvedOptions().timeZone, new Date(0).toString()];`,
  ends: ['returned'],
  check: ([report]) =>
    assert.equal(report?.value, '[0,"UTC","Thu Jan 01 1970 00:00:00 GMT+0000 (Coordinated Universal Time)"]'),
});
