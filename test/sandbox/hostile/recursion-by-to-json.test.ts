import { attack } from './attack.ts';

attack('recursion by to json', {
  source: `export const handle = () => {
  const deep: any = { toJSON: () => JSON.stringify(deep) };
  return deep;
};`,
  ends: ['threw'],
});
