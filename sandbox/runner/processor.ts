/** A mark is good for so long; asking the system costs as much as a small request. */
const markedMs = 10;

/** How much processor time this process has had since a mark. */
export class Processor {
  #begun = process.cpuUsage();
  #at = performance.now();

  /** Puts the mark here, or not long before: what has been used since is then rather too much than too little. */
  mark(): void {
    const now = performance.now();
    if (now - this.#at < markedMs) return;
    this.#at = now;
    this.#begun = process.cpuUsage();
  }

  /** Processor time since the mark, in all threads. */
  usedMs(): number {
    const { user, system } = process.cpuUsage(this.#begun);
    return (user + system) / 1000;
  }
}
