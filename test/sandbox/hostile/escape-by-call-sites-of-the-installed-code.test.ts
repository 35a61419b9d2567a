import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('escape by the call sites of what called the handler', {
  source: `export const handle = async (_: any, context: any) => {
  (Error as any).prepareStackTrace = (_error: any, sites: any[]) => sites;
  let sites: any[] = (new Error('x') as any).stack;
  await context.call.look({
    toJSON() {
      sites = sites.concat((new Error('x') as any).stack);
      return 1;
    },
  });
  return [sites.length > 3, sites.filter((site) => site.getFunction() !== undefined || site.getThis() !== undefined || site.getEvalOrigin() !== undefined).length];
};`,
  ends: ['returned'],
  check: ([report]) => assert.equal(report?.value, '[true,0]'),
});
