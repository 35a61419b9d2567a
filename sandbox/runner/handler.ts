import type { ResolvedLimits } from '../policy.ts';
import type { GivenAnswer, RunTable, Texts } from '../wire.ts';
import { timeOf } from './active-run.ts';
import { Batch } from './batch.ts';
import type { CpuMeter } from './cpu-meter.ts';
import type { EngineShelf } from './engine.ts';
import type { ParentOutbox } from './parent-outbox.ts';
import { Realms } from './realms.ts';
import { type RunAnswers, RunDriver } from './run-driver.ts';

/** What the handlers of a cell share. */
export interface CellParts {
  engines: EngineShelf;
  cpu: CpuMeter;
  outbox: ParentOutbox;
  /** Whether every run is made in a context of its own. */
  freshContexts: boolean;
}

/**
 * One bundle in an isolate of its own. Every run has the module to itself, and a realm that no run can change: the
 * shared realm is frozen, and a run that does not return there is repeated in a context of its own, where its
 * built-ins can be changed as anywhere. With `freshContexts` every run is made in a context of its own.
 */
export class Handler {
  readonly #limits: ResolvedLimits;
  readonly #outbox: ParentOutbox;
  readonly #freshContexts: boolean;
  readonly #driver: RunDriver;
  /** How many runs share the time of one step: fewer after some of them took long. */
  #chunkSize = 1;

  constructor(cell: CellParts, bundle: string, limits: ResolvedLimits) {
    this.#limits = limits;
    this.#outbox = cell.outbox;
    this.#freshContexts = cell.freshContexts;
    this.#driver = new RunDriver(cell, new Realms(cell.engines, bundle, limits), limits);
  }

  /** Whether no run of it is under way. */
  get isIdle(): boolean {
    return this.#driver.isIdle;
  }

  /** Starts runs and drives them until each has ended or waits for the parent. */
  run(table: RunTable, inputs: Texts): void {
    for (const batch of Batch.ofFrame(table, inputs)) {
      if (this.#freshContexts) {
        this.#driver.startEach(batch);
        continue;
      }
      for (let at = 0; at < batch.size; ) {
        const chunk = batch.slice(at, this.#chunkSize);
        at += chunk.size;
        // The parent knows the run of a frame with one run alone.
        if (table.seeds.length > 1) this.#outbox.alone(chunk.size === 1 ? chunk.first : undefined);
        this.#adaptChunkSize(this.#driver.startShared(chunk));
        this.#outbox.progress();
      }
    }
  }

  /**
   * Gives runs the parent's answers. All answers to one run go in at once: after them it can wait for nothing else that
   * is there.
   */
  answer(atMs: number, answers: readonly GivenAnswer[]): void {
    let rest: RunAnswers[] = [...Map.groupBy(answers, ({ run }) => run)];
    const isOnlyRun = rest.length === 1;
    while (rest.length > 0) {
      const { count, nowMs } = this.#fittingOneStep(rest, atMs);
      this.#driver.resume(rest.slice(0, count), nowMs, isOnlyRun);
      rest = rest.slice(count);
    }
  }

  /** Ends a run that the parent gave up. */
  end(id: number): void {
    this.#driver.end(id);
  }

  dispose(): void {
    this.#driver.dispose();
  }

  #adaptChunkSize(eachMs: number | undefined): void {
    if (eachMs === undefined) return;
    const fitting = Math.floor(this.#limits.stepMs / 4 / Math.max(eachMs, 0.001));
    this.#chunkSize = Math.max(1, Math.min(this.#chunkSize * 4, fitting));
  }

  /** How many of the first runs are in one realm and at one time, and what time that is. */
  #fittingOneStep(rest: readonly RunAnswers[], atMs: number): { count: number; nowMs: number } {
    const [firstId, firstAnswers] = rest[0] as RunAnswers;
    const first = this.#driver.activeRun(firstId);
    const nowMs = first ? timeOf(first, atMs, firstAnswers.length) : 0;
    const fits = ([id, answers]: RunAnswers) => {
      const run = this.#driver.activeRun(id);
      return run?.realm === first?.realm && (!run || timeOf(run, atMs, answers.length) === nowMs);
    };
    let count = 1;
    while (count < this.#chunkSize && count < rest.length && fits(rest[count] as RunAnswers)) count += 1;
    return { count, nowMs };
  }
}
