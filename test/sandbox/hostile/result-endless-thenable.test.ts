import { attack } from './attack.ts';

attack('result endless thenable', {
  source: `export const handle = () => {
  const next = (): any => ({ then(resolve: any) { resolve(next()); } });
  return next();
};`,
  ends: ['timed-out'],
});
