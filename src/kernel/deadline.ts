/** Tells the time in milliseconds since 1970. */
export type Clock = () => number;

/** The moment by which an answer must be out, with the signal that fires then or when the work is called off. */
export class Deadline {
  /** Milliseconds since 1970, by the clock given. */
  readonly atMs: number;
  readonly signal: AbortSignal;
  readonly #clock: Clock;

  constructor(atMs: number, signal: AbortSignal, clock: Clock = Date.now) {
    this.atMs = atMs;
    this.signal = signal;
    this.#clock = clock;
  }

  /** Milliseconds left, never below 0. */
  leftMs(): number {
    return Math.max(0, this.atMs - this.#clock());
  }

  get passed(): boolean {
    return this.leftMs() === 0;
  }
}
