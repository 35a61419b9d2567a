/** What was seen of the resident memory of a cell, in MB. */
export class ResidentMemory {
  #restMb: number | undefined;
  /** The least that it ever had at rest. */
  #leastMb = Number.POSITIVE_INFINITY;
  #lastMb = 0;

  /** What it had when it was last looked at. */
  get lastMb(): number {
    return this.#lastMb;
  }

  /** How much more it had last than at rest; 0 if unknown. */
  get grownMb(): number {
    return this.#lastMb - (this.#restMb ?? this.#lastMb);
  }

  /** How much more it had last than at any rest before; 0 if unknown. */
  get heldMb(): number {
    return this.#lastMb - Math.min(this.#leastMb, this.#lastMb);
  }

  /** Records what a cell has that does nothing. */
  noteAtRest(residentMb: number): void {
    this.#restMb = residentMb;
    this.#lastMb = residentMb;
    this.#leastMb = Math.min(this.#leastMb, residentMb);
  }

  /** Records what a cell has that is working. */
  noteAtWork(residentMb: number): void {
    this.#lastMb = residentMb;
    if (this.#restMb === undefined) this.noteAtRest(residentMb);
  }

  /** Forgets what it had at its last work: that says nothing about the next. */
  beginWork(): void {
    this.#lastMb = this.#restMb ?? 0;
  }
}
