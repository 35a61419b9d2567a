import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('poisoned promise', {
  source: `export const handle = async (_: any, context: any) => {
  const seen: string[] = [];
  const then = Promise.prototype.then;
  Promise.prototype.then = function (this: any, ...rest: any[]) { seen.push(String(rest[0])); return then.apply(this, rest as any); } as any;
  (globalThis as any).Promise = class {};
  await context.call.look({});
  return { hostCode: seen.some((text) => /settle|factory/.test(text)) };
};`,
  ends: ['returned', 'threw'],
  check: ([report]) => assert.doesNotMatch(report?.value ?? '', /true/),
});
