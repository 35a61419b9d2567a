import { attack } from './attack.ts';

attack('escape by callers', {
  source: `export const handle = () => {
  function inner(this: any): any {
    return [typeof this, (inner as any).caller, (inner as any).arguments];
  }
  return (inner as any)();
};`,
  ends: ['threw'],
});
