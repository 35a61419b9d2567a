import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('result nested as readers cannot', {
  source: `export const handle = (request: any) => {
  let deep: any = 1;
  for (let index = 0; index < (request.index === 0 ? 500 : 501); index += 1) deep = index % 2 ? [deep] : { '[]"': deep };
  return deep;
};`,
  runs: 2,
  ends: ['returned', 'threw'],
  check([just, deeper]) {
    assert.deepEqual([just?.end, deeper?.end], ['returned', 'threw']);
    assert.match(deeper?.message ?? '', /nested too deeply: at most 500 levels/);
  },
});
