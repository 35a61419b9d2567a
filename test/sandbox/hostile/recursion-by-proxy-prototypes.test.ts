import { attack } from './attack.ts';

attack('recursion by proxy prototypes', {
  source: `export const handle = () => {
  const proxy: any = new Proxy({}, { getPrototypeOf: () => proxy });
  return proxy instanceof Object;
};`,
  ends: ['threw', 'timed-out', 'returned'],
});
