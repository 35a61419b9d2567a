import { attack } from './attack.ts';

attack('escape by async function constructor', {
  source: `export const handle = () => ((async () => {}) as any).constructor('return process.env')();`,
  ends: ['threw'],
});
