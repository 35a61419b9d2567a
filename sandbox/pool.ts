import type { Cell } from './cell.ts';
import type { Death } from './death.ts';
import type { OperatorLimits } from './policy.ts';
import { SandboxError } from './sandbox-error.ts';

/** A cell that one handler has to itself until it releases it. */
export interface Lease {
  cell: Cell;
  release(): void;
}

export interface PoolOptions {
  /** How many cells may work at the same time. */
  cells: number;
  limits: Pick<OperatorLimits, 'maxWaiting' | 'parkedPerCell'>;
  /** Starts a cell that has passed the canary. */
  start(): Promise<Cell>;
  onDeath(death: Death): void;
  onReplaced(): void;
}

/** Most times that a waiter may be skipped for a handler that is already loaded on the free cell. */
const maxSkips = 32;

interface Waiter {
  handler: number;
  skips: number;
  grant(lease: Lease): void;
  fail(error: unknown): void;
}

/**
 * Lends each cell to one handler at a time. Keeps a spare cell for the next that dies, and a bounded queue in front.
 */
export class Pool {
  readonly #options: PoolOptions;
  readonly #all = new Set<Cell>();
  readonly #idle = new Set<Cell>();
  readonly #waiters: Waiter[] = [];
  /** Requests without a cell, each with the time since which it waits. */
  readonly #queue = new Set<{ since: number }>();
  #starting = 0;
  #closed = false;
  #waitedMs = 0;
  #killed = 0;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** How many requests wait for a cell, how long all requests have waited in milliseconds, and how many cells died. */
  get stats(): { waiting: number; waitedMs: number; killedCells: number } {
    const now = performance.now();
    let waitingMs = 0;
    for (const { since } of this.#queue) waitingMs += now - since;
    for (const cell of this.#all) waitingMs += cell.waitedMs;
    return { waiting: this.#waiting, waitedMs: this.#waitedMs + waitingMs, killedCells: this.#killed };
  }

  /** Requests without a cell, and requests whose cell is still working on earlier ones. */
  get #waiting(): number {
    let behind = 0;
    for (const { openFrames } of this.#all) if (openFrames > 1) behind += openFrames - 1;
    return this.#queue.size + behind;
  }

  /** Throws `PLATFORM_SANDBOX_BUSY` if too many requests wait already, for one handler or for many. */
  admit(): void {
    const waiting = this.#waiting;
    const { maxWaiting } = this.#options.limits;
    if (waiting < maxWaiting) return;
    throw new SandboxError(
      'PLATFORM_SANDBOX_BUSY',
      `Cannot run handler: ${waiting} requests wait for a cell, wanted fewer than ${maxWaiting}`,
    );
  }

  /**
   * Records that a request waits for a cell. The caller calls the returned function when it has one or gives
   * up.
   */
  enqueue(): () => void {
    const request = { since: performance.now() };
    this.#queue.add(request);
    return () => {
      if (this.#queue.delete(request)) this.#waitedMs += performance.now() - request.since;
    };
  }

  /** Whether a handler waits for a cell. */
  get contended(): boolean {
    return this.#waiters.length > 0;
  }

  /** Puts a started cell into service. */
  add(cell: Cell): void {
    this.#all.add(cell);
    this.#idle.add(cell);
    cell.attach({ died: (death) => this.#died(cell, death) });
    cell.onIdle = () => {
      if (this.#waiters.length > 0) this.#serve();
    };
    this.#serve();
  }

  /**
   * Lends a cell, if possible one that has the handler loaded. Rejects with `PLATFORM_SANDBOX_LOST` if no cell can be
   * started, and with `PLATFORM_SANDBOX_CLOSED` if the pool is closed.
   */
  acquire(handler: number): Promise<Lease> {
    if (this.#closed) return Promise.reject(closedError());
    return new Promise((grant, fail) => {
      this.#waiters.push({ handler, skips: 0, grant, fail });
      this.#serve();
    });
  }

  /** Unloads a handler from every cell. */
  drop(handler: number): void {
    for (const cell of this.#all) cell.drop(handler);
  }

  /** Ends every cell and rejects every waiter. Resolves when the processes are gone. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const waiter of this.#waiters.splice(0)) waiter.fail(closedError());
    await Promise.all(
      [...this.#all].map(
        (cell) =>
          new Promise<void>((resolve) => {
            if (cell.dead) return resolve();
            cell.attach({ died: () => resolve() });
            cell.kill('closed');
          }),
      ),
    );
  }

  #serve(): void {
    while (this.#waiters.length > 0 && this.#idle.size > 0 && this.#lent().working < this.#options.cells) {
      const { waiter, cell } = this.#match();
      this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
      this.#idle.delete(cell);
      waiter.grant({ cell, release: () => this.#release(cell) });
    }
    this.#refill();
  }

  /**
   * Which waiter is served next, and on which cell. Loading a handler costs more than most batches, so it should be
   * done once.
   */
  #match(): { waiter: Waiter; cell: Cell } {
    const idle = [...this.#idle];
    const [first] = this.#waiters as [Waiter];
    const [spare] = idle as [Cell];
    const loadedOn = (cells: Iterable<Cell>, { handler }: Waiter) => [...cells].find((cell) => cell.has(handler));
    const here = loadedOn(idle, first);
    if (here) return { waiter: first, cell: here };
    if (first.skips >= maxSkips) return { waiter: first, cell: spare };
    first.skips += 1;
    for (const waiter of this.#waiters) {
      const cell = loadedOn(idle, waiter);
      if (cell) return { waiter, cell };
    }
    // A waiter whose handler is loaded on a lent cell gets that cell soon.
    const elsewhere = this.#waiters.find((waiter) => !loadedOn(this.#all, waiter));
    return { waiter: elsewhere ?? first, cell: spare };
  }

  /** How many lent cells are working, and how many only wait for answers from outside. */
  #lent(): { working: number; parked: number } {
    let parked = 0;
    for (const cell of this.#all) if (!this.#idle.has(cell) && cell.waitsOutside) parked += 1;
    return { working: this.#all.size - this.#idle.size - parked, parked };
  }

  #release(cell: Cell): void {
    if (cell.dead) return;
    this.#idle.add(cell);
    this.#serve();
  }

  /** Starts the cells that are wanted and one more, so that nobody waits for a process to start after a death. */
  #refill(): void {
    if (this.#closed) return;
    const { cells, limits } = this.#options;
    const { working, parked } = this.#lent();
    // A tool may take long, or need another handler for its answer: a cell that waits for it must hold nobody up.
    const inPlaceOfParked = Math.min(parked, cells * limits.parkedPerCell);
    const wanted = Math.min(cells, working + this.#waiters.length) + inPlaceOfParked + 1;
    while (this.#all.size + this.#starting < wanted) {
      this.#starting += 1;
      this.#options.start().then(
        (cell) => {
          this.#starting -= 1;
          if (this.#closed) cell.kill('closed');
          else if (!cell.dead) this.add(cell);
        },
        (error) => {
          this.#starting -= 1;
          // No cell is left, and nobody starts one: the waiters must not wait for ever.
          if (this.#all.size === 0 && this.#starting === 0) {
            const lost = new SandboxError(
              'PLATFORM_SANDBOX_LOST',
              `Cannot run handler: no cell can be started (${(error as Error).message}), wanted one`,
              { cause: error },
            );
            for (const waiter of this.#waiters.splice(0)) waiter.fail(lost);
          }
        },
      );
    }
  }

  #died(cell: Cell, death: Death): void {
    if (!this.#all.delete(cell)) return;
    this.#idle.delete(cell);
    if (this.#closed) return;
    this.#killed += 1;
    this.#waitedMs += cell.waitedMs;
    this.#options.onDeath(death);
    this.#serve();
    this.#options.onReplaced();
  }
}

function closedError(): SandboxError {
  return new SandboxError('PLATFORM_SANDBOX_CLOSED', 'Cannot run handler: the sandbox is closed, wanted an open one');
}
