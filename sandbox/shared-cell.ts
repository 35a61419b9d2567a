import type { Cell } from './cell.ts';
import type { Lease, Pool } from './pool.ts';

/**
 * The cell of one handler: batches that run at the same time share one lease, and give it back when the last of them is
 * done.
 */
export class SharedCell {
  readonly #pool: Pool;
  readonly #leaseMs: number;
  readonly #handler: number;
  #lease: SharedLease | undefined;

  /** `leaseMs` is how long the handler keeps a cell that others wait for. */
  constructor(pool: Pool, leaseMs: number, handler: number) {
    this.#pool = pool;
    this.#leaseMs = leaseMs;
    this.#handler = handler;
  }

  /**
   * Works on the cell, as soon as there is one. Rejects as `Pool.acquire` does. Under steady load the handler now and
   * then gives its cell back and waits for one again, so that other handlers get their turn.
   */
  async use<T>(work: (cell: Cell) => Promise<T>): Promise<T> {
    const stopWaiting = this.#pool.enqueue();
    while (this.#lease && (this.#lease.isOver || this.#keepsOthersWaiting(this.#lease))) await this.#lease.over;
    this.#lease ??= new SharedLease(this.#pool.acquire(this.#handler));
    const lease = this.#lease;
    lease.users += 1;
    try {
      const { cell } = await lease.acquired.finally(stopWaiting);
      lease.cell = cell;
      return await work(cell);
    } finally {
      lease.users -= 1;
      if (lease.users === 0) {
        if (this.#lease === lease) this.#lease = undefined;
        await lease.end();
      }
    }
  }

  #keepsOthersWaiting({ since, cell }: SharedLease): boolean {
    const isLong = this.#pool.contended && performance.now() - since > this.#leaseMs;
    // A cell that waits for answers keeps nobody waiting, and the answers may depend on the batch that wants to join
    // now.
    return isLong && cell !== undefined && !cell.waitsOutside;
  }
}

class SharedLease {
  readonly acquired: Promise<Lease>;
  readonly since = performance.now();
  readonly #over = Promise.withResolvers<void>();
  cell: Cell | undefined;
  users = 0;
  /** Whether its cell was given back, so that no further batch may join. */
  isOver = false;

  constructor(acquired: Promise<Lease>) {
    this.acquired = acquired;
  }

  /** Resolves when the cell is given back. */
  get over(): Promise<void> {
    return this.#over.promise;
  }

  async end(): Promise<void> {
    this.isOver = true;
    this.#over.resolve();
    await this.acquired.then(
      ({ release }) => release(),
      () => {},
    );
  }
}
