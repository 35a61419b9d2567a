import { attack } from './attack.ts';

attack('memory by resizable buffer of a view', {
  source: `export const handle = () => {
  const made = new (new Uint8Array(1).buffer.constructor as any)(8, { maxByteLength: 2 ** 30 });
  made.resize(2 ** 30);
  return made.byteLength;
};`,
  ends: ['threw'],
});
