import type { Cell, CellListener, Death, GivenAnswer } from './cell.ts';
import type { Call, LoadedHandler, OnCall, Run, RunReport } from './contract.ts';
import { policy, type ResolvedLimits } from './policy.ts';
import type { Lease, Pool } from './pool.ts';
import { inMicroseconds } from './report-wire.ts';
import { SandboxError } from './sandbox-error.ts';
import { Ticket } from './ticket.ts';
import type { AnswerTable, RunSetting, RunTable } from './wire.ts';

/** What handlers share. */
export interface Surroundings {
  pool: Pool;
  /** How long a handler keeps a cell that others wait for. */
  leaseMs: number;
  /** Whether the known-good handler passes. */
  canary(): Promise<boolean>;
  quarantine(digest: string): Promise<void>;
  isQuarantined(digest: string): boolean;
  countRuns(runs: number): void;
}

let handlers = 0;
/** The number that a cell knows the last run by; each attempt to make a run has its own. */
let lastRun = 0;

/** Runs of one bundle, on whichever cell can be had. */
export class HostedHandler implements LoadedHandler {
  readonly #id = ++handlers;
  readonly #bundle: string;
  readonly #digest: string;
  readonly #limits: ResolvedLimits;
  readonly #surroundings: Surroundings;
  #shared: SharedLease | undefined;
  #closed = false;
  /** Batches that are on their way. */
  #batches = 0;
  /** Runs that have killed a cell. */
  #kills = 0;

  constructor(bundle: string, digest: string, limits: ResolvedLimits, surroundings: Surroundings) {
    this.#bundle = bundle;
    this.#digest = digest;
    this.#limits = limits;
    this.#surroundings = surroundings;
  }

  async run(run: Run, onCall: OnCall, signal?: AbortSignal): Promise<RunReport> {
    const [report] = await this.runAll([run], onCall, signal);
    return report as RunReport;
  }

  async runAll(runs: readonly Run[], onCall: OnCall, signal?: AbortSignal): Promise<RunReport[]> {
    signal?.throwIfAborted();
    if (this.#closed)
      throw new SandboxError('PLATFORM_SANDBOX_CLOSED', 'Cannot run handler: it is closed, wanted an open one');
    this.#surroundings.pool.admit();
    this.#surroundings.countRuns(runs.length);
    if (this.#surroundings.isQuarantined(this.#digest)) return runs.map(() => quarantinedReport());
    const hostMs = Date.now();
    const tickets = runs.map((run) => {
      const ticket = new Ticket(run, onCall, hostMs);
      if (isTooLarge(run)) ticket.settle(tooLargeReport());
      return ticket;
    });
    this.#batches += 1;
    const work = this.#work(tickets, signal).finally(() => {
      this.#batches -= 1;
      this.#dropIfDone();
      // Where the work was given up, nobody waits for what the host is still at.
      for (const ticket of tickets) ticket.callOff();
    });
    if (signal) await untilAborted(work, signal);
    else await work;
    return tickets.map(({ report }) => report as RunReport);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#dropIfDone();
  }

  /** What has been begun is finished before the cells let go of the handler. */
  #dropIfDone(): void {
    if (this.#closed && this.#batches === 0) this.#surroundings.pool.drop(this.#id);
  }

  /**
   * Makes runs until each has its report. As long as nothing dies they go together; after a death, one by one, so that it is certain whose
   * doing the next one is.
   */
  async #work(tickets: readonly Ticket[], signal?: AbortSignal): Promise<void> {
    let together = true;
    const killsBefore = this.#kills;
    for (let attempt = 0; !signal?.aborted; attempt += 1) {
      const open = tickets.filter(({ report }) => !report);
      if (open.length === 0) return;
      if (attempt > tickets.length + 10) throw lostError('cells keep dying under it');
      // Those beside it count too: many batches that wait would otherwise kill a cell each.
      const kills = this.#kills - killsBefore;
      if (kills >= policy.deathsPerBatch.default) {
        for (const ticket of open)
          ticket.settle(
            emptyReport('refused', `not run: ${kills} runs of the same bundle have killed a cell meanwhile`),
          );
        return;
      }
      const group = together ? fitting(open, ({ run }) => run.input.length) : open.slice(0, 1);
      const startedAt = performance.now();
      const lost = await this.#attempt(group, signal);
      const durationMs = performance.now() - startedAt;
      if (!lost || signal?.aborted) continue;
      const culprit = lost.culprit ?? (group.length === 1 && lost.inOurs ? group[0] : undefined);
      if (lost.inOurs) together = false;
      if (!culprit || culprit.report) continue;
      culprit.deaths += 1;
      const report = reportOfDeath(lost.death, this.#limits, culprit.deaths);
      if (culprit.deaths < 2 && mayBeOthersDoing(lost.death, report)) continue;
      if (!(await this.#surroundings.canary())) throw lostError('the known-good handler does not pass either');
      this.#kills += 1;
      await this.#surroundings.quarantine(this.#digest);
      culprit.settle({ ...report, durationMs: inMicroseconds(durationMs) });
    }
  }

  /** Makes runs on one cell. Resolves to nothing when all have reports, or to what is known of the cell's death. */
  async #attempt(
    group: readonly Ticket[],
    signal?: AbortSignal,
  ): Promise<{ death: Death; culprit: Ticket | undefined; inOurs: boolean } | undefined> {
    const limits = this.#limits;
    return this.#withCell(async (cell) => {
      if (signal?.aborted) return undefined;
      if (cell.dead) return { death: cell.dead, culprit: undefined, inOurs: false };
      return await new Promise((resolve, reject) => {
        const { order, table } = arranged(group);
        for (const ticket of order) ticket.start();
        const first = lastRun + 1;
        lastRun += order.length;
        /** The runs that have no report yet, each in the place of its number. */
        const going: (Ticket | undefined)[] = [...order];
        let left = going.length;
        const framesOf = new Map<number, Ticket | undefined>();
        let killing: NodeJS.Timeout | undefined;
        const leave = () => {
          clearTimeout(killing);
          cell.detach(listener);
          signal?.removeEventListener('abort', end);
        };
        const giveUp = (id: number) => cell.end(this.#id, id);
        const end = () => {
          for (let index = 0; index < going.length; index += 1) if (going[index] && !cell.dead) giveUp(first + index);
          // A cell at work on one frame hears of that only at its end.
          killing = setTimeout(() => {
            if (!cell.waitsOutside) cell.kill('closed');
          }, policy.calledOffMs.default);
        };
        /** Runs that have answers which they have not been given. */
        let ready = new Set<number>();
        const sendReady = () => {
          const runs = [...ready];
          ready = new Set();
          const atMs = Date.now();
          const wanted: GivenAnswer[] = [];
          try {
            for (const run of runs) {
              const ticket = going[run - first];
              if (!ticket) continue;
              for (let step = ticket.nextStep(); step && !cell.dead; step = ticket.nextStep()) {
                const again = step.given.map((given) => ({ run, ...given }));
                framesOf.set(cell.answer(this.#id, step.atMs, again), ticket);
              }
              for (const { call, answer } of ticket.nextAnswers(atMs)) wanted.push({ run, call, answer });
            }
            for (let rest = wanted; rest.length > 0 && !cell.dead; ) {
              const frame = fitting(rest, lengthOfAnswer);
              rest = rest.slice(frame.length);
              const run = frame[0]?.run ?? 0;
              const alone = frame.every((one) => one.run === run) ? going[run - first] : undefined;
              framesOf.set(cell.answer(this.#id, atMs, frame), alone);
            }
          } catch (error) {
            leave();
            reject(error);
          }
        };
        const listener: CellListener = {
          report(id, report) {
            const ticket = going[id - first];
            if (!ticket) return;
            ticket.settle(report);
            going[id - first] = undefined;
            left -= 1;
            if (left > 0) return;
            leave();
            resolve(undefined);
          },
          call(id, call, made) {
            const ticket = going[id - first];
            if (ticket && !mayMake(ticket.run, call, made, limits)) return cell.kill('frame');
            ticket?.ask(call, made).then((answer) => {
              if (cell.dead || !going[id - first]) return;
              if (!answer) return giveUp(id);
              // Calls made together are mostly answered together, and a frame costs more than an answer.
              if (ready.size === 0) process.nextTick(sendReady);
              ready.add(id);
              ticket.hold({ call, answer });
            }, reject);
          },
          idle() {
            if (!going.some((ticket) => ticket?.isBehind)) return;
            // By then those that are made again have what they have asked for: what is left of the time before they do not ask for.
            setImmediate(() => {
              if (cell.dead || !cell.waitsOutside) return;
              for (let index = 0; index < going.length; index += 1) {
                if (!going[index]?.isBehind) continue;
                going[index]?.forgetSteps();
                ready.add(first + index);
              }
              sendReady();
            });
          },
          died(death) {
            leave();
            const ofFrame = death.run === undefined ? (death.frame ?? -1) : -1;
            const alone = going[(death.run ?? -1) - first];
            // What no cell says is the doing of a run that is in there, whatever the cell says it is at.
            const isForged = death.cause === 'frame';
            const only = isForged && left === 1 ? going.find((ticket) => ticket) : undefined;
            resolve({
              death,
              culprit: alone ?? framesOf.get(ofFrame) ?? only,
              inOurs: alone !== undefined || framesOf.has(ofFrame) || isForged,
            });
          },
        };
        cell.attach(listener);
        signal?.addEventListener('abort', end, { once: true });
        try {
          cell.load(this.#id, this.#bundle, limits);
          framesOf.set(
            cell.run(
              { handler: this.#id, first, ...table },
              order.map(({ run }) => run.input),
              listener,
            ),
            group.length === 1 ? group[0] : undefined,
          );
        } catch (error) {
          leave();
          reject(error);
        }
      });
    });
  }

  #keepsOthersWaiting({ since, cell }: SharedLease): boolean {
    const { pool, leaseMs } = this.#surroundings;
    const isLong = pool.contended && performance.now() - since > leaseMs;
    // A cell that waits for answers keeps nobody waiting; and the answers may depend on what would join it now.
    return isLong && cell !== undefined && !cell.waitsOutside;
  }

  /** Joins the lease that this handler has, or takes a new one. Under steady load it goes back to the queue now and then. */
  async #withCell<T>(work: (cell: Cell) => Promise<T>): Promise<T> {
    const hasCell = this.#surroundings.pool.enqueue();
    while (this.#shared && (this.#shared.over || this.#keepsOthersWaiting(this.#shared))) await this.#shared.gone;
    this.#shared ??= new SharedLease(this.#surroundings.pool.acquire(this.#id));
    const shared = this.#shared;
    shared.users += 1;
    try {
      const { cell } = await shared.lease.finally(hasCell);
      shared.cell = cell;
      return await work(cell);
    } finally {
      shared.users -= 1;
      if (shared.users === 0) {
        if (this.#shared === shared) this.#shared = undefined;
        await shared.end();
      }
    }
  }
}

/** A lease that several batches of one handler use at the same time. */
class SharedLease {
  readonly lease: Promise<Lease>;
  readonly since = performance.now();
  readonly gone: Promise<void>;
  #leave: () => void = () => {};
  cell: Cell | undefined;
  users = 0;
  /** Whether its cell is gone, so that nobody should join any more. */
  over = false;

  constructor(lease: Promise<Lease>) {
    this.lease = lease;
    this.gone = new Promise((resolve) => {
      this.#leave = resolve;
    });
  }

  async end(): Promise<void> {
    this.over = true;
    this.#leave();
    await this.lease.then(
      ({ release }) => release(),
      () => {},
    );
  }
}

/** Runs in the order in which they are sent: those that are set alike together, and those of one clock. */
function arranged(group: readonly Ticket[]): { order: readonly Ticket[]; table: Omit<RunTable, 'first'> } {
  const kinds: Ticket[][] = [];
  let kind: Ticket[] | undefined;
  for (const ticket of group) {
    const isOf = (one: Ticket[]) => isSetAlike((one[0] as Ticket).run, ticket.run);
    if (!kind || !isOf(kind)) {
      kind = kinds.find(isOf) ?? [];
      if (kind.length === 0) kinds.push(kind);
    }
    kind.push(ticket);
  }
  const byClock = [
    ...Map.groupBy(kinds, ([one]) => `${one?.run.nowMs} ${one?.aheadMs} ${one?.run.ticksMs ?? ''}`).values(),
  ].flat();
  // Runs of a batch mostly have the very same lists, which are sent once.
  const tools = new Map<readonly string[], number>();
  const answers = new Map<AnswerTable, number>();
  const settings = byClock.map((one): RunSetting => {
    const { aheadMs, run } = one[0] as Ticket;
    const { nowMs, ticksMs = [], send, ...lists } = run;
    const table = lists.answers ? indexIn(answers, lists.answers) : -1;
    return [nowMs, aheadMs, ticksMs, send, indexIn(tools, lists.tools), table, one.length];
  });
  const order = byClock.length === 1 ? group : byClock.flat();
  return {
    order,
    table: {
      seeds: order.map(({ run }) => run.seed),
      settings,
      tools: [...tools.keys()],
      answers: [...answers.keys()],
    },
  };
}

function isSetAlike(one: Run, other: Run): boolean {
  return (
    one.nowMs === other.nowMs &&
    one.fixedClock === other.fixedClock &&
    one.ticksMs === other.ticksMs &&
    one.send === other.send &&
    one.tools === other.tools &&
    one.answers === other.answers
  );
}

/** As many of the first ones as go into one frame, at least one. */
function fitting<T>(all: readonly T[], lengthOf: (one: T) => number): readonly T[] {
  let size = 0;
  let count = 0;
  while (count < all.length && count < policy.runsPerFrame.default) {
    size += lengthOf(all[count] as T);
    if (count > 0 && size > policy.flushBytes.default) break;
    count += 1;
  }
  return count === all.length ? all : all.slice(0, count);
}

function lengthOfAnswer({ answer }: GivenAnswer): number {
  return 'error' in answer ? answer.error.message.length : answer.output.length;
}

function indexIn<T>(known: Map<T, number>, one: T): number {
  const index = known.get(one) ?? known.size;
  known.set(one, index);
  return index;
}

function lostError(why: string): SandboxError {
  return new SandboxError('PLATFORM_SANDBOX_LOST', `Cannot run handler: its cell died, and ${why}`);
}

/**
 * Whether a death may have been another's doing: a process can be ended from outside, or by us when runs beside it were called off, and one that others
 * had filled before needs little more.
 * What ends it twice does so itself, since a cell makes room before it loads a handler.
 */
function mayBeOthersDoing({ cause }: Death, { end }: RunReport): boolean {
  return (cause === 'exit' && end !== 'out-of-memory') || cause === 'memory' || cause === 'closed';
}

/** What is said of a run whose doing a death was. What it took of memory was seen from outside; nothing that the process said counts. */
function reportOfDeath(
  { cause, grownMb, heldMb }: Death,
  { memoryMb, watchdogMs }: ResolvedLimits,
  deaths: number,
): RunReport {
  // Where it wants one large piece, V8 gives up long before the heap is full. A watchdog's victim may have filled it with mere garbage.
  const enoughMb = cause === 'exit' ? memoryMb / 2 : 2 * memoryMb;
  // What its cell holds of others' says nothing of a run whose cell died once: that may have been anybody's doing.
  const moreMb = cause === 'exit' && deaths > 1 ? heldMb : grownMb;
  if (cause === 'memory' || (cause !== 'frame' && moreMb > enoughMb))
    return emptyReport('out-of-memory', `used more than its ${memoryMb} MB, and its cell had to go`);
  switch (cause) {
    case 'watchdog':
      return emptyReport('killed', `its cell did not answer within ${watchdogMs} ms`);
    case 'frame':
      return emptyReport('killed', 'its cell said what no cell says');
    default:
      return emptyReport('killed', 'its cell died');
  }
}

/** Settles with the work, or rejects with the signal's reason; the work then comes to its end by itself. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Whether a cell of ours would ever tell of this call: one that was taken over could ask for anything. */
function mayMake({ tools, send }: Run, call: number, { tool }: Call, { maxCalls }: ResolvedLimits): boolean {
  return Number.isInteger(call) && call >= 0 && call < maxCalls && (tool === null ? send : tools.includes(tool));
}

function isTooLarge({ input }: Run): boolean {
  const most = policy.maxInputBytes.default;
  return input.length * 3 > most && Buffer.byteLength(input) > most;
}

function tooLargeReport(): RunReport {
  return emptyReport('refused', `the request is too large: at most ${policy.maxInputBytes.default} bytes of JSON`);
}

/** The report of a run whose bundle is in quarantine. */
function quarantinedReport(): RunReport {
  return emptyReport('refused', 'a run of this bundle has killed a sandbox process; it is not run again');
}

/** Gives the report of a run that was not made. */
export function emptyReport(end: RunReport['end'], message: string): RunReport {
  return { end, message, logs: [], calls: [], issuedIds: [], durationMs: 0, cpuMs: 0 };
}
