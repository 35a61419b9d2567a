import { attack } from './attack.ts';

attack('memory by resizable buffers', {
  source: `export const handle = () => {
  const all: any[] = [];
  for (;;) all.push(new (ArrayBuffer as any)(8, { maxByteLength: 2 ** 32 }));
};`,
  ends: ['threw'],
});
