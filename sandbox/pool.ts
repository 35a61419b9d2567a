import type { Cell } from './cell.ts';
import type { Death } from './death.ts';
import type { OperatorLimits } from './policy.ts';
import { SandboxError } from './sandbox-error.ts';

/** A cell that one handler has to itself until it is released. */
export interface Lease {
  cell: Cell;
  release(): void;
}

export interface PoolOptions {
  cells: number;
  limits: Pick<OperatorLimits, 'maxWaiting' | 'parkedPerCell'>;
  /** Starts a cell that has passed the canary. */
  start(): Promise<Cell>;
  onDeath(death: Death): void;
  onReplaced(): void;
}

/** How often one who waits may be passed over by others whose handler is loaded on the cell that came free. */
const maxPassedOver = 32;

interface Waiter {
  handler: number;
  passedOver: number;
  grant(lease: Lease): void;
  fail(error: unknown): void;
}

/** Cells, each lent to one handler at a time, with a spare that takes the place of one that died, and a bounded queue in front. */
export class Pool {
  readonly #options: PoolOptions;
  readonly #all = new Set<Cell>();
  readonly #idle = new Set<Cell>();
  readonly #waiters: Waiter[] = [];
  /** Requests that have no cell yet, each with the moment since when. */
  readonly #queue = new Set<{ since: number }>();
  #starting = 0;
  #closed = false;
  #waitedMs = 0;
  #killed = 0;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** How many requests wait for a cell, how long requests have waited altogether, how many cells died. */
  get stats(): { waiting: number; waitedMs: number; killedCells: number } {
    const now = performance.now();
    let waitingMs = 0;
    for (const { since } of this.#queue) waitingMs += now - since;
    for (const cell of this.#all) waitingMs += cell.waitedMs;
    return { waiting: this.#waiting, waitedMs: this.#waitedMs + waitingMs, killedCells: this.#killed };
  }

  /** Those that have no cell, and those whose cell is at others before. */
  get #waiting(): number {
    let behind = 0;
    for (const { openFrames } of this.#all) if (openFrames > 1) behind += openFrames - 1;
    return this.#queue.size + behind;
  }

  /** Throws `PLATFORM_SANDBOX_BUSY` where too many requests wait already, be they for one handler or for many. */
  admit(): void {
    const waiting = this.#waiting;
    const { maxWaiting } = this.#options.limits;
    if (waiting < maxWaiting) return;
    throw new SandboxError(
      'PLATFORM_SANDBOX_BUSY',
      `Cannot run handler: ${waiting} requests wait for a cell, wanted fewer than ${maxWaiting}`,
    );
  }

  /** Notes that a request waits for a cell; gives what is called when it has one, or wants none any more. */
  enqueue(): () => void {
    const one = { since: performance.now() };
    this.#queue.add(one);
    return () => {
      if (this.#queue.delete(one)) this.#waitedMs += performance.now() - one.since;
    };
  }

  /** Whether somebody waits. */
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
   * Lends a cell, one that has the handler loaded where there is one. Rejects with `PLATFORM_SANDBOX_LOST` where no cell can be started.
   */
  acquire(handler: number): Promise<Lease> {
    if (this.#closed) return Promise.reject(closedError());
    return new Promise((grant, fail) => {
      this.#waiters.push({ handler, passedOver: 0, grant, fail });
      this.#serve();
    });
  }

  /** Lets go of a handler wherever it is loaded. */
  drop(handler: number): void {
    for (const cell of this.#all) cell.drop(handler);
  }

  /** Ends every cell; those who wait are turned away. Resolves when the processes are gone. */
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

  /** Who is served next, and where: loading a handler costs more than most batches, so that it should be done once. */
  #match(): { waiter: Waiter; cell: Cell } {
    const idle = [...this.#idle];
    const [first] = this.#waiters as [Waiter];
    const [spare] = idle as [Cell];
    const loadedOn = (cells: Iterable<Cell>, { handler }: Waiter) => [...cells].find((cell) => cell.has(handler));
    const here = loadedOn(idle, first);
    if (here) return { waiter: first, cell: here };
    if (first.passedOver >= maxPassedOver) return { waiter: first, cell: spare };
    first.passedOver += 1;
    for (const waiter of this.#waiters) {
      const cell = loadedOn(idle, waiter);
      if (cell) return { waiter, cell };
    }
    // Who has it loaded on a cell that is lent gets that one back soon.
    const elsewhere = this.#waiters.find((waiter) => !loadedOn(this.#all, waiter));
    return { waiter: elsewhere ?? first, cell: spare };
  }

  /** How many lent cells are at work, and how many only wait for answers from outside. */
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

  /** Cells are started when they are wanted, and one more, so that a death costs nobody the start of a process. */
  #refill(): void {
    if (this.#closed) return;
    const { cells, limits } = this.#options;
    const { working, parked } = this.#lent();
    // A tool may take long to answer, or want another handler for its answer: a cell that waits for it holds nobody up.
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
          // Whoever waits is not left waiting for a cell that nobody starts any more.
          if (this.#all.size === 0 && this.#starting === 0) {
            const lost = new SandboxError(
              'PLATFORM_SANDBOX_LOST',
              `Cannot run handler: no cell can be started, ${(error as Error).message}`,
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
