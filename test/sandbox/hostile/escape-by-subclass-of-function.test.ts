import { attack } from './attack.ts';

attack('escape by subclass of function', {
  source: `export const handle = () => {
  class Made extends (Function as any) {
    constructor() {
      super('return process');
    }
  }
  return (new Made() as any)().env;
};`,
  ends: ['threw'],
});
