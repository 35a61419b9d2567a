/** Returns the time in milliseconds since 1970. */
export type Clock = () => number;

/** The time by which an answer must be published, with a signal that aborts then or if the work is cancelled. */
export class Deadline {
  /** Milliseconds since 1970, by the given clock. */
  readonly atMs: number;
  readonly signal: AbortSignal;
  /** The time until which someone waits for the answer, if work may continue after that. */
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

  /** Milliseconds until the answer is wanted. After that time, milliseconds until the deadline. */
  wantedInMs(): number {
    const wantedMs = this.wantedAtMs - this.#clock();
    return wantedMs > 0 ? wantedMs : this.leftMs();
  }

  get passed(): boolean {
    return this.leftMs() === 0;
  }
}
