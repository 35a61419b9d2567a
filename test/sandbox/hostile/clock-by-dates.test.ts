import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('clock by dates', {
  source: `export const handle = (_: any, context: any) => {
  const times = new Set<number>();
  for (let index = 0; index < 300_000; index += 1) times.add(Date.now());
  const Again: any = new Date().constructor;
  const date: any = Date;
  return [times.size, Again.now() === Date.now(), new Again().getTime(), new Date(undefined as any).getTime(), context.now(), Date() === String(new Date()), Reflect.construct(date, []).getTime()];
};`,
  ends: ['returned'],
  check: ([report]) => assert.equal(report?.value, '[1,true,1700000000000,null,1700000000000,true,1700000000000]'),
});
