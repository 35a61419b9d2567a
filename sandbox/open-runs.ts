import type { CellListener } from './cell-listener.ts';

/** Runs that were sent together: a place is 1 until the run of that place has its report. */
interface Batch {
  first: number;
  places: Uint8Array;
  left: number;
  listener: CellListener;
}

/** The runs of a cell that have no report yet, and who sent them. */
export class OpenRuns {
  #batches: Batch[] = [];
  /** Where the last run was found: reports mostly come batch by batch. */
  #last: Batch | undefined;

  get isEmpty(): boolean {
    return this.#batches.length === 0;
  }

  /** Adds `count` runs, numbered from `first`. */
  add(first: number, count: number, listener: CellListener): void {
    this.#batches.push({ first, places: new Uint8Array(count).fill(1), left: count, listener });
  }

  /** Who sent this run; `undefined` if it is not open. */
  listenerOf(run: number): CellListener | undefined {
    return this.#batchOf(run)?.listener;
  }

  /** Closes a run, whose report has come, and returns who sent it; `undefined` if it is not open. */
  close(run: number): CellListener | undefined {
    const batch = this.#batchOf(run);
    if (!batch) return undefined;
    batch.places[run - batch.first] = 0;
    batch.left -= 1;
    if (batch.left === 0) {
      this.#batches.splice(this.#batches.indexOf(batch), 1);
      this.#last = undefined;
    }
    return batch.listener;
  }

  #batchOf(run: number): Batch | undefined {
    if (!this.#last || !isOpenIn(this.#last, run)) this.#last = this.#batches.find((batch) => isOpenIn(batch, run));
    return this.#last;
  }
}

function isOpenIn({ first, places }: Batch, run: number): boolean {
  return places[run - first] === 1;
}
