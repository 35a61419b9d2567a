import { attack } from './attack.ts';

attack('poisoned map and string', {
  source: `export const handle = async (_: any, context: any) => {
  const take = () => { throw new Error('taken'); };
  Map.prototype.get = take as any;
  Map.prototype.set = take as any;
  Map.prototype.delete = take as any;
  String.prototype.slice = take as any;
  String.prototype.indexOf = take as any;
  String.prototype.charCodeAt = take as any;
  const answer = await context.call.look({ a: 1 });
  return { answer, id: context.newId().length };
};`,
  ends: ['returned', 'threw'],
  runs: 2,
});
