/** Tells the time in milliseconds since 1970. */
export type Clock = () => number;

/** The moment by which an answer must be out, with the signal that fires then or when the work is called off. */
export class Deadline {
  /** Milliseconds since 1970, by the clock given. */
  readonly atMs: number;
  readonly signal: AbortSignal;
  /** When somebody waits for the answer, where work may go on after that. */
  readonly wantedAtMs: number;
  readonly #clock: Clock;

  constructor(atMs: number, signal: AbortSignal, clock: Clock = Date.now, wantedAtMs: number = atMs) {
    this.atMs = atMs;
    this.signal = signal;
    this.wantedAtMs = wantedAtMs;
    this.#clock = clock;
  }

  /** Milliseconds left, never below 0. */
  leftMs(): number {
    return Math.max(0, this.atMs - this.#clock());
  }

  /** Milliseconds until the answer is wanted; once nobody waits any more, those that are left. */
  wantedInMs(): number {
    const wantedMs = this.wantedAtMs - this.#clock();
    return wantedMs > 0 ? wantedMs : this.leftMs();
  }

  get passed(): boolean {
    return this.leftMs() === 0;
  }
}
