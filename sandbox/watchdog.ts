import { policy } from './policy.ts';
import { cpuOf } from './processes.ts';

/** How often a late cell is checked again within the time of one watchdog. */
const looksPerWatchdog = 12;

/** Fires when a cell that has work gives no sign of life for too long. */
export class Watchdog {
  /** How long a cell may take from one sign of life to the next, in milliseconds. */
  timeMs: number = policy.cellStartMs.default;
  readonly #leaf: () => number | undefined;
  readonly #bark: () => void;
  #timer: NodeJS.Timeout | undefined;
  /** Processor time of the cell at the first look since its last sign of life. */
  #cpuBeginMs: number | undefined;
  #looks = 0;
  /** What the cell says that it gives a run on top of its time; no more than the watchdog's time counts. */
  #moreMs = 0;

  /** `leaf` gives the process id of the cell. */
  constructor(leaf: () => number | undefined, bark: () => void) {
    this.#leaf = leaf;
    this.#bark = bark;
  }

  /** Starts anew after a sign of life. */
  restart(moreMs: number): void {
    if (moreMs !== this.#moreMs || this.#looks > 0) this.stop();
    this.#looks = 0;
    this.#moreMs = moreMs;
    this.#cpuBeginMs = undefined;
    if (this.#timer) this.#timer.refresh();
    else this.#timer = setTimeout(() => this.#late(), this.#allowedMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Records how much processor time the cell has had, unless that is known since its last sign of life. */
  noteCpu(pid: number): void {
    this.#cpuBeginMs ??= cpuOf(pid);
  }

  get #allowedMs(): number {
    return this.timeMs + Math.min(this.#moreMs, this.timeMs);
  }

  /** A cell that got no processor time is not at fault: it gets more time until it had some, but not for ever. */
  #late(): void {
    const leaf = this.#leaf();
    const cpuMs = leaf === undefined ? undefined : cpuOf(leaf);
    const usedMs = cpuMs === undefined ? Number.POSITIVE_INFINITY : cpuMs - (this.#cpuBeginMs ?? 0);
    if (usedMs < this.#allowedMs / 4 && this.#looks < 2 * looksPerWatchdog) {
      this.#looks += 1;
      this.#timer = setTimeout(() => this.#late(), this.timeMs / looksPerWatchdog);
      return;
    }
    this.#bark();
  }
}
