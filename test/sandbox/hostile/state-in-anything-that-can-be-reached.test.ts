import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('state in anything that can be reached', {
  source: `const reach = () => {
  const seen = new Set<any>();
  const queue: any[] = [
    globalThis, () => {}, async () => {}, function* () {}, async function* () {}, new Error('x'), new Map().keys(), new Set().keys(), [].keys(), ''[Symbol.iterator](),
    /x/[Symbol.matchAll](''), (Iterator as any).from({ next() {} }), ([] as any).values().map((one: any) => one), new Intl.Segmenter().segment(''),
    new Intl.Segmenter().segment('')[Symbol.iterator](), (function () { return arguments; })(), Promise.resolve(), new Proxy({}, {}), class {}, new Date(), new Uint8Array(1), 1n, Symbol.iterator,
  ].map((one) => (one === globalThis ? one : Object.getPrototypeOf(one)));
  queue.push(Object.getOwnPropertyDescriptor(new Error('x'), 'stack')?.get, Object.getOwnPropertyDescriptor(new Error('x'), 'stack')?.set);
  while (queue.length > 0) {
    const one = queue.pop();
    if ((typeof one !== 'object' && typeof one !== 'function') || one === null || seen.has(one)) continue;
    seen.add(one);
    queue.push(Reflect.getPrototypeOf(one));
    for (const key of Reflect.ownKeys(one)) {
      const descriptor: any = Reflect.getOwnPropertyDescriptor(one, key);
      queue.push(descriptor.value, descriptor.get, descriptor.set);
    }
  }
  return [...seen];
};
export const handle = () => {
  const all = reach();
  const marked = all.filter((one) => Object.hasOwn(one, 'left behind')).length;
  for (const one of all) {
    try {
      Object.defineProperty(one, 'left behind', { value: 1 });
    } catch {}
  }
  return { marked, enough: all.length > 600 };
};`,
  ends: ['returned'],
  runs: 10,
  check: (reports) => {
    for (const { value } of reports) assert.equal(value, '{"marked":0,"enough":true}');
  },
});
