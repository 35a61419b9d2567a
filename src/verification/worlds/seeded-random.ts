import { hash } from 'node:crypto';

/** A pseudo-random number generator: the same numbers for the same seed. */
export class SeededRandom {
  #state: number;

  constructor(seed: string) {
    this.#state = hash('sha256', seed, 'buffer').readUInt32LE(0);
  }

  /** A number from 0 (inclusive) to 1 (exclusive): mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** An integer from `from` to `to`, both inclusive. */
  integer(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  /** One of the items; `undefined` if there are none. */
  pick<T>(items: readonly T[]): T | undefined {
    return items[Math.floor(this.next() * items.length)];
  }

  chance(share: number): boolean {
    return this.next() < share;
  }
}
