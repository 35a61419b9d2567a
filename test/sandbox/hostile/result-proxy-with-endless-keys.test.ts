import { attack } from './attack.ts';

attack('result proxy with endless keys', {
  source: `export const handle = () => {
  let count = 0;
  const next = (): any => new Proxy({}, { ownKeys: () => ['a'], getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }), get: (_, key) => (key === 'toJSON' ? undefined : (count++, next())) });
  return next();
};`,
  ends: ['threw', 'timed-out', 'out-of-memory', 'killed'],
});
