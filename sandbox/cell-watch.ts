import type { Cause } from './death.ts';
import { policy } from './policy.ts';
import { residentMbOf } from './processes.ts';
import { ResidentMemory } from './resident-memory.ts';
import { Watchdog } from './watchdog.ts';

/** How many looks at an idle cell are made before they stop: its memory does not change. */
const idleLooks = 40;

/** Watches a cell from outside: whether it answers in time, and stays within its memory. */
export class CellWatch {
  readonly memory = new ResidentMemory();
  readonly #leaf: () => number | undefined;
  readonly #kill: (cause: Cause) => void;
  readonly #maxMb: number;
  readonly #watchdog: Watchdog;
  #isAtWork = false;
  #poll: NodeJS.Timeout | undefined;
  #idlePolls = 0;

  /**
   * `leaf` gives the process id of the cell; `kill` is called once it takes too long or more than `maxMb` of resident
   * memory.
   */
  constructor(leaf: () => number | undefined, kill: (cause: Cause) => void, maxMb: number) {
    this.#leaf = leaf;
    this.#kill = kill;
    this.#maxMb = maxMb;
    this.#watchdog = new Watchdog(leaf, () => kill('watchdog'));
  }

  /** Sets how long the cell may take from one sign of life to the next, in milliseconds. */
  set watchdogMs(timeMs: number) {
    this.#watchdog.timeMs = timeMs;
  }

  /**
   * Records a sign of life of a cell that has work, or new work for it. `moreMs` is what its run gets on top of
   * its time.
   */
  atWork(moreMs: number): void {
    this.#isAtWork = true;
    this.#watchdog.restart(moreMs);
    this.#idlePolls = 0;
    if (this.#poll) return;
    this.#poll = setInterval(() => this.#look(), policy.memoryPollMs.default);
    this.#poll.unref();
  }

  /** Records that the cell has no work left. */
  atRest(): void {
    this.#isAtWork = false;
    this.#watchdog.stop();
  }

  /** Looks at the memory of a cell that has no work. */
  lookAtRest(): void {
    const leaf = this.#leaf();
    const residentMb = leaf === undefined ? undefined : residentMbOf(leaf);
    if (residentMb !== undefined) this.memory.noteAtRest(residentMb);
  }

  stop(): void {
    this.#watchdog.stop();
    clearInterval(this.#poll);
  }

  #look(): void {
    if (this.#isAtWork) this.#lookAtWork();
    else this.#lookWhileIdle();
  }

  #lookWhileIdle(): void {
    this.#idlePolls += 1;
    if (this.#idlePolls === 1) this.lookAtRest();
    if (this.#idlePolls <= idleLooks) return;
    clearInterval(this.#poll);
    this.#poll = undefined;
  }

  #lookAtWork(): void {
    const leaf = this.#leaf();
    if (leaf === undefined) return;
    this.#watchdog.noteCpu(leaf);
    const residentMb = residentMbOf(leaf);
    if (residentMb === undefined) return;
    this.memory.noteAtWork(residentMb);
    if (residentMb > this.#maxMb) this.#kill('memory');
  }
}
