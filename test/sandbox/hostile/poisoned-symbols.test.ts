import { attack } from './attack.ts';

attack('poisoned symbols', {
  source: `export const handle = async (_: any, context: any) => {
  Object.defineProperty(Array.prototype, Symbol.iterator, { value: () => { throw new Error('taken'); } });
  (Object.prototype as any)[Symbol.toPrimitive] = () => { throw new Error('taken'); };
  context.log(1, 'two', { three: 3 });
  return { now: context.now() };
};`,
  ends: ['returned', 'threw'],
  runs: 2,
});
