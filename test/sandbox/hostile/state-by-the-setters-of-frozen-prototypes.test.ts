import assert from 'node:assert/strict';
import { attack } from './attack.ts';

attack('state by the setters of frozen prototypes', {
  source: `export const handle = () => {
  const setters = [Object.prototype, Error.prototype, TypeError.prototype, Array.prototype, Map.prototype, Date.prototype].flatMap((one) =>
    Reflect.ownKeys(one).flatMap((key) => Object.getOwnPropertyDescriptor(one, key)?.set ?? []),
  );
  const places: any[] = [globalThis, Object.prototype, Error, Error.prototype, JSON, Array.prototype.push, Reflect, ...setters];
  const before = JSON.stringify(places.map((place) => [String(place.name), String(place.message), Reflect.ownKeys(place).length]));
  for (const place of places) {
    for (const set of setters) {
      try {
        set.call(place, 'left behind');
      } catch {}
      try {
        Reflect.apply(set, new Proxy(place, { defineProperty: () => true, getOwnPropertyDescriptor: () => undefined }), ['left behind']);
      } catch {}
    }
  }
  return [before.includes('left'), JSON.stringify(places.map((place) => [String(place.name), String(place.message), Reflect.ownKeys(place).length])) === before, setters.length > 5];
};`,
  ends: ['returned'],
  runs: 20,
  frozen: true,
  check: (reports) => {
    for (const { value } of reports) assert.equal(value, '[false,true,true]');
  },
});
