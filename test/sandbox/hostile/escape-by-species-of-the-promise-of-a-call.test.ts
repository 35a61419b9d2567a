import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('escape by the species of the promise of a call', {
  source: `export const handle = async (_: any, context: any) => {
  const seen: string[] = [];
  class Sly extends Promise<any> {
    static get [Symbol.species](): any {
      return function (executor: any) {
        executor((value: any) => seen.push(typeof value?.constructor?.constructor), () => seen.push('rejected'));
      };
    }
  }
  const promise = context.call.look({});
  Object.setPrototypeOf(promise, Sly.prototype);
  promise.constructor = Sly;
  promise.then((value: any) => value);
  const { echo } = await promise;
  try {
    return [echo, seen.length > 0 && echo.constructor.constructor('return globalThis')()];
  } catch (error: any) {
    return [echo, error.message];
  }
};`,
  ends: ['returned'],
  runs: 3,
  check: (reports) => {
    for (const { value } of reports) assert.equal(value, '[{},"code from strings is not allowed"]');
  },
});
