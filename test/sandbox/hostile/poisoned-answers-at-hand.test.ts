import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('poisoned prototypes where an answer is at hand', {
  source: `export const handle = async (_: any, context: any) => {
  const seen: string[] = [];
  for (const name of ['output', 'error', 'answer', 'code', 'resolve'])
    Object.defineProperty(Object.prototype, name, { get: () => seen.push(name), set: () => seen.push(name), configurable: true });
  Object.defineProperty(Array.prototype, '0', { get: () => seen.push('0'), set: () => seen.push('0'), configurable: true });
  (Map.prototype as any).set = (Map.prototype as any).get = () => seen.push('map');
  const found = await context.call.look({ n: 3 });
  let failed: any;
  try {
    await context.call.store({ n: 1 });
  } catch (error: any) {
    failed = Object.getOwnPropertyDescriptor(error, 'code')?.value + error.message;
  }
  return found + failed + seen.length;
};`,
  ends: ['returned'],
  runs: 3,
  answers: {
    look: { '{"n":3}': { output: '"found"' } },
    store: { '{"n":1}': { error: { code: 'INVALID', message: 'no' } } },
  },
  check: (reports) => {
    for (const { value } of reports) assert.equal(value, '"foundINVALIDno0"');
  },
});
