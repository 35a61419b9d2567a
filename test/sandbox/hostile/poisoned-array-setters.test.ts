import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('poisoned array setters', {
  source: `export const handle = async (_: any, context: any) => {
  const stolen: any[] = [];
  for (let index = 0; index < 5; index += 1) {
    Object.defineProperty(Array.prototype, index, { set(value) { Object.defineProperty(this, index, { value }); stolen.push(value); } });
  }
  context.log('one');
  await context.call.look({ a: 1 });
  return { stolen: stolen.length, first: typeof stolen[0] };
};`,
  ends: ['returned', 'threw'],
  check: ([report]) => {
    if (report?.end === 'returned') assert.equal(report.value, '{"stolen":0,"first":"undefined"}');
  },
});
