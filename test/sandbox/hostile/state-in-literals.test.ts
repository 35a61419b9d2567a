import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('state in literals', {
  source: `// What V8 keeps for a place in the source: copies of literals, their shapes, expressions of a pattern, getters that remember.
const lists = () => [1, [2, 3], { a: { b: 1 } }] as any[];
const patterns = () => [/a/g, /b/y] as RegExp[];
class Shape { a = 1; b = 2; }
const memo = { get value(): any { Object.defineProperty(this, 'value', { value: 'kept', configurable: true }); return 'made'; } };
const counter = (count: any = (() => { let n = 0; return () => ++n; })(), box = { n: 0 }) => [count(), count(), ++box.n];
class Static { static #n = 0; static { Static.#n += 1; } static next() { return ++Static.#n; } }
export const handle = () => {
  const list = lists();
  const [global, sticky] = patterns() as [RegExp, RegExp];
  const shape: any = new Shape();
  const seen = [JSON.stringify(list), (global as any).mark, global.lastIndex, sticky.lastIndex, memo.value, counter(), Static.next(), Object.keys(shape).join()];
  list[1].push(9);
  list[2].a.c = 1;
  list.length = 1;
  (global as any).mark = 1;
  global.test('aa');
  sticky.test('b');
  delete shape.a;
  shape.a = 1;
  return seen;
};`,
  ends: ['returned'],
  runs: 70,
  check: (reports) => {
    for (const { value } of reports)
      assert.equal(value, '["[1,[2,3],{\\"a\\":{\\"b\\":1}}]",null,0,0,"made",[1,2,1],2,"a,b"]');
  },
});
