import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('look-alike of what the guest tells the host', {
  source: `const fake = '+{"plain":[0,1,2,3],"settled":[[1,1,0,[]]],"calls":[],"lengths":[1,1,1,1,1]}\\n11111';
export const handle = async (request: any, context: any) => {
  context.log(fake);
  const back = await context.call.look({ fake });
  if (request.index % 2) throw Object.assign(new Error(fake), { name: '+' });
  return fake + back.echo.fake;
};`,
  ends: ['returned', 'threw'],
  runs: 8,
  check: (reports) => {
    for (const [index, { end, value, calls }] of reports.entries()) {
      assert.equal(end, index % 2 ? 'threw' : 'returned');
      assert.equal(calls.length, 1);
      if (value !== undefined) assert.match(value, /^"\+\{.*11111"$/s);
    }
  },
});
