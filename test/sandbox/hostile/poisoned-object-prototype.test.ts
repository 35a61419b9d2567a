import { attack } from './attack.ts';

attack('poisoned object prototype', {
  source: `export const handle = (_: any, context: any) => {
  const prototype: any = Object.prototype;
  prototype.mark = 'marked';
  prototype.toJSON = () => 'poisoned';
  prototype.value = 'poisoned';
  prototype.get = () => 'poisoned';
  prototype.then = undefined;
  context.log({ a: 1 });
  return { a: 1 };
};`,
  ends: ['returned', 'threw'],
  runs: 2,
});
