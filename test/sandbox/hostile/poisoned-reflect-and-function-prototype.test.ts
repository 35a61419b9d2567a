import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('poisoned reflect and function prototype', {
  source: `export const handle = (_: any, context: any) => {
  const take = () => { throw new Error('taken'); };
  for (const key of Reflect.ownKeys(Reflect)) Object.defineProperty(Reflect, key, { value: take });
  Function.prototype.call = take as any;
  Function.prototype.apply = take as any;
  Function.prototype.bind = take as any;
  context.log('still');
  return { id: context.newId().length };
};`,
  ends: ['returned', 'threw'],
  runs: 2,
  check: ([report]) => {
    if (report?.end === 'returned') assert.equal(report.value, '{"id":16}');
  },
});
