import { charCodeAt, hide, imul, NativeError, NativeMath } from './primordials.ts';

/** A generator of 32-bit numbers (sfc32), seeded with a text. */
export function generator(seed: string): () => number {
  let a = 0x9e3779b9;
  let b = 0x243f6a88;
  let c = 0xb7e15162;
  let d = 1;
  const next = (): number => {
    const sum = (a + b + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return sum >>> 0;
  };
  for (let index = 0; index < seed.length; index += 1) {
    const unit = charCodeAt(seed, index);
    a = imul(a ^ unit, 0x85ebca6b);
    b = imul(b ^ unit, 0xc2b2ae35);
    c = (c + unit + imul(index, 0x27d4eb2f)) | 0;
  }
  for (let index = 0; index < 15; index += 1) next();
  return next;
}

let randomOfRealm: (() => number) | undefined;

/** Makes the realm's own `Math.random` throw until a run has the realm to itself. */
export function replaceRandom(): void {
  hide(NativeMath, 'random', () => {
    if (!randomOfRealm) throw new NativeError('Math.random cannot be reached this way');
    return randomOfRealm();
  });
}

/**
 * The `Math` for the module of a run. In a realm of its own that is the realm's. In a shared realm it has the run's own
 * `random`, unless the text of the module does not contain the word: a run that reaches the realm's `random` some other
 * way throws, and is repeated alone.
 */
export function mathFor(seed: string, shared: boolean, usesRandom: boolean): object {
  if (shared && !usesRandom) return NativeMath;
  let next: (() => number) | undefined;
  const random = (): number => {
    next ??= generator(seed);
    return next() / 4294967296;
  };
  if (shared) return { __proto__: NativeMath, random };
  randomOfRealm = random;
  return NativeMath;
}
