import type { Cell } from './cell.ts';
import type { CellListener } from './cell-listener.ts';
import type { Call, Run, RunReport } from './contract.ts';
import type { Death } from './death.ts';
import { traceDeath } from './death-verdict.ts';
import { fittingOneFrame } from './one-frame.ts';
import type { PendingRun } from './pending-run.ts';
import { policy, type ResolvedLimits } from './policy.ts';
import { inColumns } from './run-columns.ts';
import type { GivenAnswer } from './wire.ts';

/** A bundle with its limits, and the number that cells know it by. */
export interface NumberedBundle {
  id: number;
  bundle: string;
  limits: ResolvedLimits;
}

/** How an attempt lost its cell. */
export interface Loss {
  death: Death;
  /** Whether the cell was working on a run of this attempt. */
  isOurs: boolean;
  culprit: PendingRun | undefined;
}

/**
 * The number of the last run that was sent. Each attempt numbers its runs anew, so that no late report of an earlier
 * attempt is taken for them.
 */
let lastRun = 0;

/**
 * One attempt to execute runs on one cell: sends them, has their calls answered, and ends with their reports or
 * the death of the cell.
 */
export class Attempt implements CellListener {
  readonly #cell: Cell;
  readonly #handler: NumberedBundle;
  readonly #first = lastRun + 1;
  /** Each run in the place of its number, until its report is there. */
  readonly #unfinished: (PendingRun | undefined)[];
  #left: number;
  /** The frames that were sent, each with its run if it is about one run alone. */
  readonly #frames = new Map<number, PendingRun | undefined>();
  /** The numbers of the runs that have answers to be sent. */
  #ready = new Set<number>();
  readonly #signal: AbortSignal | undefined;
  #killTimer: NodeJS.Timeout | undefined;
  readonly #outcome = Promise.withResolvers<Loss | undefined>();

  private constructor(cell: Cell, handler: NumberedBundle, order: readonly PendingRun[], signal?: AbortSignal) {
    this.#cell = cell;
    this.#handler = handler;
    this.#signal = signal;
    this.#unfinished = [...order];
    this.#left = order.length;
    lastRun += order.length;
  }

  /**
   * Executes runs on a cell. Resolves to `undefined` when every run has its report, and to what is known of the
   * death if the cell dies first. Rejects with `PLATFORM_SANDBOX_FRAME` if something does not fit a frame. An
   * abort ends the runs.
   */
  static make(
    cell: Cell,
    handler: NumberedBundle,
    group: readonly PendingRun[],
    signal?: AbortSignal,
  ): Promise<Loss | undefined> {
    const { order, columns } = inColumns(group);
    for (const pending of order) pending.start();
    const attempt = new Attempt(cell, handler, order, signal);
    cell.attach(attempt);
    signal?.addEventListener('abort', attempt.#callOff, { once: true });
    attempt.#try(() => {
      cell.load(handler.id, handler.bundle, handler.limits);
      const table = { handler: handler.id, first: attempt.#first, ...columns };
      const inputs = order.map(({ run }) => run.input);
      attempt.#frames.set(cell.run(table, inputs, attempt), group.length === 1 ? group[0] : undefined);
    });
    return attempt.#outcome.promise;
  }

  report(number: number, report: RunReport): void {
    const pending = this.#runOf(number);
    if (!pending) return;
    pending.finish(report);
    this.#unfinished[number - this.#first] = undefined;
    this.#left -= 1;
    if (this.#left > 0) return;
    this.#leave();
    this.#outcome.resolve(undefined);
  }

  call(number: number, call: number, made: Call): void {
    const pending = this.#runOf(number);
    if (!pending) return;
    if (!mayMake(pending.run, call, made, this.#handler.limits)) {
      this.#cell.kill('frame');
      return;
    }
    pending.ask(call, made).then((answer) => {
      if (this.#cell.dead || !this.#runOf(number)) return;
      if (!answer) return this.#endRun(number);
      // Calls made together are mostly answered together, and a frame costs more than an answer.
      if (this.#ready.size === 0) process.nextTick(() => this.#sendReady());
      this.#ready.add(number);
      pending.addAnswer({ call, answer });
    }, this.#outcome.reject);
  }

  idle(): void {
    if (!this.#unfinished.some((pending) => pending?.isReplaying)) return;
    // By then the runs that are repeated have their recorded answers. They do not make the calls for which
    // recorded answers are left.
    setImmediate(() => {
      if (this.#cell.dead || !this.#cell.waitsOutside) return;
      for (const [index, pending] of this.#unfinished.entries()) {
        if (!pending?.isReplaying) continue;
        pending.stopReplay();
        this.#ready.add(this.#first + index);
      }
      this.#sendReady();
    });
  }

  died(death: Death): void {
    this.#leave();
    const sent = { first: this.#first, unfinished: this.#unfinished, frames: this.#frames };
    this.#outcome.resolve({ death, ...traceDeath(death, sent) });
  }

  #runOf(number: number): PendingRun | undefined {
    return this.#unfinished[number - this.#first];
  }

  #endRun(number: number): void {
    this.#cell.end(this.#handler.id, number);
  }

  readonly #callOff = (): void => {
    for (const [index, pending] of this.#unfinished.entries())
      if (pending && !this.#cell.dead) this.#endRun(this.#first + index);
    // A cell that is working on a frame reads this only after it.
    this.#killTimer = setTimeout(() => {
      if (!this.#cell.waitsOutside) this.#cell.kill('closed');
    }, policy.calledOffMs.default);
  };

  #sendReady(): void {
    const numbers = [...this.#ready];
    this.#ready = new Set();
    const atMs = Date.now();
    this.#try(() => {
      const answers = numbers.flatMap((number) => {
        const pending = this.#runOf(number);
        if (!pending) return [];
        this.#sendSteps(number, pending);
        return pending.takeNewAnswers(atMs).map((given) => ({ run: number, ...given }));
      });
      this.#sendAnswers(answers, atMs);
    });
  }

  /** Repeats the steps of the time before, each in a frame of its own and at its own time. */
  #sendSteps(number: number, pending: PendingRun): void {
    for (let step = pending.nextRecordedStep(); step && !this.#cell.dead; step = pending.nextRecordedStep()) {
      const answers = step.answers.map((given) => ({ run: number, ...given }));
      this.#frames.set(this.#cell.answer(this.#handler.id, step.atMs, answers), pending);
    }
  }

  #sendAnswers(answers: readonly GivenAnswer[], atMs: number): void {
    for (let rest = answers; rest.length > 0 && !this.#cell.dead; ) {
      const frame = fittingOneFrame(rest, lengthOfAnswer);
      rest = rest.slice(frame.length);
      const number = frame[0]?.run ?? 0;
      const only = frame.every(({ run }) => run === number) ? this.#runOf(number) : undefined;
      this.#frames.set(this.#cell.answer(this.#handler.id, atMs, frame), only);
    }
  }

  #try(send: () => void): void {
    try {
      send();
    } catch (error) {
      this.#leave();
      this.#outcome.reject(error);
    }
  }

  #leave(): void {
    clearTimeout(this.#killTimer);
    this.#cell.detach(this);
    this.#signal?.removeEventListener('abort', this.#callOff);
  }
}

function lengthOfAnswer({ answer }: GivenAnswer): number {
  return 'error' in answer ? answer.error.message.length : answer.output.length;
}

/** Whether an intact cell could pass on this call: one that was taken over could ask for anything. */
function mayMake({ tools, send }: Run, call: number, { tool }: Call, { maxCalls }: ResolvedLimits): boolean {
  return Number.isInteger(call) && call >= 0 && call < maxCalls && (tool === null ? send : tools.includes(tool));
}
