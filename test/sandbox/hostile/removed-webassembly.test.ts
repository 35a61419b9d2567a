import { attack } from './attack.ts';

attack('removed webassembly', {
  source: `export const handle = () => {
  const bytes = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]);
  return new (globalThis as any).WebAssembly.Module(bytes);
};`,
  ends: ['threw'],
});
