import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('state in the request and in answers', {
  source: `export const handle = async (request: any, context: any) => {
  const one = await context.call.look({ n: 1 });
  const seen = [Object.keys(request), one.list.length, one.mark];
  request.mark = 1;
  one.list.push(1);
  one.mark = 1;
  const again = await context.call.look({ n: 1 });
  const asked = await context.call.look({ n: 2 });
  return [...seen, again.list.length, again.mark, Object.keys(asked.echo)];
};`,
  ends: ['returned'],
  runs: 70,
  answers: { look: { '{"n":1}': { output: '{"list":[]}' } } },
  check: (reports) => {
    for (const { value } of reports) assert.equal(value, '[["index"],0,null,0,null,["n"]]');
  },
});
