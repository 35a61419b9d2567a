/** How long a mark is valid, in milliseconds; asking the system costs as much as a small request. */
const markedMs = 10;

/** Measures how much processor time this process has had since a mark. */
export class CpuMeter {
  #begun = process.cpuUsage();
  #at = performance.now();

  /**
   * Puts the mark here, or keeps one of just before: what has been used since is then rather too much than too little.
   */
  mark(): void {
    const now = performance.now();
    if (now - this.#at < markedMs) return;
    this.#at = now;
    this.#begun = process.cpuUsage();
  }

  /** Processor time since the mark, of all threads, in milliseconds. */
  usedMs(): number {
    const { user, system } = process.cpuUsage(this.#begun);
    return (user + system) / 1000;
  }
}
