import { attack } from './attack.ts';

attack('escape by reflect construct of function', {
  source: `export const handle = () => (Reflect.construct((() => {}).constructor as any, ['return process']) as any)().env;`,
  ends: ['threw'],
});
