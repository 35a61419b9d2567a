import { attack } from './attack.ts';

attack('call of a tool that is none', {
  source: `export const handle = (_: any, context: any) => context.call.__proto__.toString();`,
  ends: ['threw'],
});
