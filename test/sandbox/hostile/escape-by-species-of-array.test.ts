import { attack } from './attack.ts';

attack('escape by species of array', {
  source: `export const handle = (request: any, context: any) => {
  const seen: any[] = [];
  class Spy extends Array {
    static override get [Symbol.species]() {
      return function (this: any) { seen.push(this); return []; } as any;
    }
  }
  const spy = Spy.from([1, 2, 3]);
  context.log(spy.map((one) => one));
  return { seen: seen.length, type: typeof (seen[0]?.process) };
};`,
  ends: ['returned', 'threw'],
});
