import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('escape by prepare stack trace', {
  source: `export const handle = (_: any, context: any) => {
  const found: string[] = [];
  (Error as any).prepareStackTrace = (_error: any, sites: any[]) =>
    sites.map((site) => [site.getThis?.(), site.getFunction?.()].filter((one) => one !== undefined && one !== null).length);
  const trap = { get x() { found.push(...([] as any[]).concat((new Error('x') as any).stack)); return 1; } };
  context.log(trap);
  JSON.stringify(trap);
  return { leaked: found.filter((one: any) => one > 0).length };
};`,
  ends: ['returned'],
  check: ([report]) => assert.equal(report?.value, '{"leaked":0}'),
});
