import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('state in arguments and functions', {
  source: `export function handle(this: any): any {
  const own: any = arguments;
  const callee: any = Object.getOwnPropertyDescriptor(own, 'callee')?.get;
  const places: any[] = [own, callee, Object.getPrototypeOf(own), handle, handle.prototype, (() => {}).constructor, (async () => {}).constructor,
    (function* () {}).constructor, Object.getPrototypeOf(function* () {}).prototype, Function.prototype];
  const seen = [this === undefined, places.filter((place) => place?.mark !== undefined).length, (handle as any).name, own.length];
  for (const place of places) {
    try {
      place.mark = 1;
    } catch {}
    try {
      Object.defineProperty(place, 'mark', { value: 1 });
    } catch {}
    try {
      Object.setPrototypeOf(place, { mark: 1 });
    } catch {}
  }
  return seen;
}`,
  ends: ['returned'],
  runs: 70,
  check: (reports) => {
    for (const { value } of reports) assert.equal(value, '[true,0,"handle",2]');
  },
});
