import { attack } from './attack.ts';

attack('removed shared memory', {
  source: `export const handle = () => {
  const shared = new (globalThis as any).SharedArrayBuffer(8);
  return (globalThis as any).Atomics.wait(new Int32Array(shared), 0, 0, 100);
};`,
  ends: ['threw'],
});
