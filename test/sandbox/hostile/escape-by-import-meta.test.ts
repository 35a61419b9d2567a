import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('escape by import meta', {
  source: `export const handle = () => ({ url: String((import.meta as any).url), keys: Object.keys(import.meta) });`,
  ends: ['returned', 'refused'],
  check: ([report]) => assert.doesNotMatch(report?.value ?? '', /file:|node:/),
});
