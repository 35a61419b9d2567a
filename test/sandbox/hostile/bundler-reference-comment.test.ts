import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('bundler reference comment', {
  source: `/// <reference path="SECRET_FILE" />
/// <reference types="node" />
// @ts-nocheck
export const handle = () => typeof (globalThis as any).secret;`,
  ends: ['returned'],
  check: ([report]) => assert.equal(report?.value, '"undefined"'),
});
