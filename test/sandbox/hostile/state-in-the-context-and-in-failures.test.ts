import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('state in the context and in failures', {
  source: `export const handle = async (_: any, context: any) => {
  const failure = await context.call.look({ n: 1 }).catch((error: any) => error);
  const promise = context.call.look({ n: 2 });
  const places = [context, context.log, context.now, context.newId, context.send, context.call, context.call.look, failure.constructor,
    Object.getPrototypeOf(failure), Object.getPrototypeOf(context.call.look), promise.constructor, Object.getPrototypeOf(promise)];
  const found = places.filter((place) => place.mark !== undefined).length;
  for (const place of [...places, failure, promise]) {
    try {
      place.mark = 1;
    } catch {}
    try {
      Object.defineProperty(place, 'mark', { value: 1 });
    } catch {}
  }
  return [found, failure.code];
};`,
  ends: ['returned'],
  runs: 70,
  answers: { look: { '{"n":1}': { error: { code: 'FAILED', message: 'no' } } } },
  check: (reports) => {
    for (const { value } of reports) assert.equal(value, '[0,"FAILED"]');
  },
});
