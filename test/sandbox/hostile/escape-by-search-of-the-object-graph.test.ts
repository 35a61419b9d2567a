import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('escape by search of the object graph', {
  source: `export const handle = (request: any, context: any) => {
  const seen = new Set<any>();
  const queue: any[] = [globalThis, request, context];
  const suspects: string[] = [];
  while (queue.length > 0) {
    const one = queue.pop();
    if ((typeof one !== 'object' && typeof one !== 'function') || one === null || seen.has(one)) continue;
    seen.add(one);
    const name = Object.prototype.toString.call(one) + (one.constructor?.name ?? '');
    if (/Isolate|Callback|ExternalCopy|Process|Module|Reference$/i.test(name)) suspects.push(name);
    for (const key of Reflect.ownKeys(one)) {
      try {
        const descriptor: any = Reflect.getOwnPropertyDescriptor(one, key);
        queue.push(descriptor.value, descriptor.get, descriptor.set);
      } catch {}
    }
    queue.push(Reflect.getPrototypeOf(one));
  }
  return { suspects, enough: seen.size > 500 };
};`,
  ends: ['returned'],
  check: ([report]) => assert.equal(report?.value, '{"suspects":[],"enough":true}'),
});
