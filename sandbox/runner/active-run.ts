import type { AnsweredCall } from '../contract.ts';
import { policy } from '../policy.ts';
import type { GivenAnswer } from '../wire.ts';
import type { Batch } from './batch.ts';
import type { Realm } from './engine.ts';

/** A run that has not ended. */
export interface ActiveRun {
  readonly id: number;
  /** A batch of this run alone, for starting it again. */
  readonly batch: Batch;
  readonly calls: AnsweredCall[];
  /** How many of `calls` the guest has made since it was last started; fewer than all while it is repeated. */
  made: number;
  /**
   * The steps in which the parent's answers were given, each with its time: if repeated, the run gets them in
   * the same steps.
   */
  readonly steps: { nowMs: number; answers: readonly GivenAnswer[] }[];
  /** How many of `steps` it has had since it was last started. */
  stepped: number;
  realm: Realm | undefined;
  /** Whether it is in a realm of its own that it can change. */
  alone: boolean;
  /** Whether it was repeated because it was refused memory. */
  again: boolean;
  /** What it gets on top of the time of a step, in milliseconds. */
  moreMs: number;
  /** Length of all that it has sent to tools and heard from them. */
  exchanged: number;
  guestMs: number;
  cpuMs: number;
}

/** The runs of a batch, none of them started. */
export function runsOf(batch: Batch): ActiveRun[] {
  return Array.from({ length: batch.size }, (_, index) => ({
    id: batch.first + index,
    batch: batch.slice(index, 1),
    calls: [],
    made: 0,
    steps: [],
    stepped: 0,
    realm: undefined,
    alone: false,
    again: false,
    moreMs: 0,
    exchanged: 0,
    guestMs: 0,
    cpuMs: 0,
  }));
}

/** The clock of a run in the step in which it gets this many answers; `atMs` is the host's time. */
export function timeOf({ batch, steps }: ActiveRun, atMs: number, answers: number): number {
  const { beginMs, aheadMs, ticksMs } = batch.clock;
  if (aheadMs !== null) return atMs + aheadMs;
  if (ticksMs.length === 0) return beginMs;
  const count = steps.reduce((sum, step) => sum + step.answers.length, answers);
  let timeMs = beginMs;
  for (let nth = 0; nth < count; nth += 1) timeMs += ticksMs[nth % ticksMs.length] as number;
  return timeMs;
}

/**
 * Takes the next recorded step of a run that is repeated, once it has made the calls that were answered in it.
 */
export function takeStep(run: ActiveRun): ActiveRun['steps'][number] | undefined {
  const step = run.steps[run.stepped];
  if (!step?.answers.every(({ call }) => call < run.made)) return undefined;
  run.stepped += 1;
  return step;
}

/**
 * Counts a text that a run exchanges with its tools. Whether that is still within the limit: all of it goes into the
 * report.
 */
export function countExchange(run: ActiveRun, length: number): boolean {
  run.exchanged += length;
  return run.exchanged <= policy.maxExchangeBytes.default;
}
