import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('look alike of a handler error', {
  source: `export const handle = async (_: any, context: any) => {
  const error: any = new Error('not from a tool');
  error.name = 'HandlerError';
  error.code = 'TIMEOUT';
  throw error;
};`,
  ends: ['threw'],
  check: ([report]) => assert.equal(report?.calls.length, 0),
});
