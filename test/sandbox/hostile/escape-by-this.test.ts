import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('escape by this', {
  source: `export function handle(this: any) {
  return { type: typeof this, inner: typeof (function (this: any) { return this; })() };
}`,
  ends: ['returned'],
  check: ([report]) => assert.equal(report?.value, '{"type":"undefined","inner":"undefined"}'),
});
