/** Counts the frames that a cell was sent and those that it has finished. Frames are numbered from 1. */
export class SentFrames {
  #sent = 0;
  #done = 0;
  /** The frames with runs that the cell has not finished. */
  #withRuns: { frame: number; since: number }[] = [];
  #waitedMs = 0;

  /** The number that the next frame will have. */
  get next(): number {
    return this.#sent + 1;
  }

  /** Whether the cell has finished every frame. */
  get areDone(): boolean {
    return this.#sent === this.#done;
  }

  /** The frame that the cell is working on, if any. */
  get current(): number | undefined {
    return this.#sent > this.#done ? this.#done + 1 : undefined;
  }

  /** How many frames with runs the cell has not finished. */
  get openWithRuns(): number {
    return this.#withRuns.length;
  }

  /** How long frames with runs have waited for those before them, in milliseconds. */
  get waitedMs(): number {
    return this.#waitedMs;
  }

  /** Counts a frame that was sent and returns its number. */
  add(): number {
    this.#sent += 1;
    return this.#sent;
  }

  /** Records that the frame of this number has runs in it. */
  noteRuns(frame: number): void {
    this.#withRuns.push({ frame, since: performance.now() });
  }

  /** Records that the cell has finished all frames up to this number. */
  noteDone(done: number): void {
    this.#done = done;
    while (this.#withRuns.length > 0 && (this.#withRuns[0]?.frame as number) <= done) {
      this.#withRuns.shift();
      this.#waitedMs += this.#withRuns[0] ? performance.now() - this.#withRuns[0].since : 0;
    }
  }
}
