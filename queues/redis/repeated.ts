/** Repeats an action, each time after the pause that the last run asked for, until closed. */
export class Repeated {
  readonly #act: () => Promise<number>;
  readonly #longestPauseMs: number;
  #timer: NodeJS.Timeout | undefined;
  #acting: Promise<void> = Promise.resolve();
  #closed = false;

  /** `act` resolves to the pause before the next run, in milliseconds; it must not reject. */
  constructor(act: () => Promise<number>, longestPauseMs: number) {
    this.#act = act;
    this.#longestPauseMs = longestPauseMs;
    this.#pause(longestPauseMs);
  }

  /** Ends a pause. */
  wake(): void {
    if (this.#timer !== undefined) this.#pause(0);
  }

  /** Stops after the current run. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#acting;
  }

  #pause(ms: number): void {
    clearTimeout(this.#timer);
    if (this.#closed) return;
    // Randomised, so that workers started together do not act together.
    const longestMs = this.#longestPauseMs * (0.75 + Math.random() / 2);
    const pauseMs = Number.isFinite(ms) ? Math.min(ms, longestMs) : longestMs;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#acting = this.#act().then((nextMs) => this.#pause(nextMs));
    }, pauseMs);
    this.#timer.unref();
  }
}
