import { attack } from './attack.ts';

attack('escape by resolver of a call', {
  source: `export const handle = async (_: any, context: any) => {
  let seen: any;
  class Spy extends Promise<any> {
    constructor(run: any) {
      super((resolve, reject) => {
        seen = [resolve, reject];
        run(resolve, reject);
      });
    }
  }
  const promise = context.call.look({});
  Object.setPrototypeOf(promise, Spy.prototype);
  await promise.then((value: any) => value);
  return seen[0].constructor('return process')().env;
};`,
  ends: ['threw'],
});
