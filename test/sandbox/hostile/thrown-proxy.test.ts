import { attack } from './attack.ts';

attack('thrown proxy', {
  source: `export const handle = () => {
  throw new Proxy({}, { get() { throw new Error('trap'); }, getPrototypeOf() { throw new Error('trap'); }, ownKeys() { throw new Error('trap'); } });
};`,
  ends: ['threw'],
});
