import type { Reason } from '../jobs/envelope.ts';
import type { Keys } from '../redis/catalog.ts';
import type { Connection } from '../redis/connection.ts';
import { QueueError } from '../redis/queue-error.ts';
import { type JobNames, namesOf, type OnQueueEvent } from '../redis/queue-event.ts';

/** How often to check for cancellations, in milliseconds. */
const CANCEL_WATCH_MS = 250;

/** How long an aborted process may take to settle before the queue goes on without it, in milliseconds. */
export const SETTLE_MS = 1_500;

/** The reasons to abort a job, by code, with the words for messages. */
const abortReasons = {
  JOB_CANCELLED: 'it cancelled',
  PLATFORM_LOCK_LOST: 'its lock expired',
  PLATFORM_WORKER_STOPPING: 'this worker stopping',
  PLATFORM_LATE_ENOUGH: 'its outcome published and the maximum of late jobs running',
} as const;

/** The reason for a cancelled job. */
export const cancelled: Reason = {
  code: 'JOB_CANCELLED',
  message: `Cannot continue job: found ${abortReasons.JOB_CANCELLED}, wanted to finish it`,
};

/** The code of a reason to abort. */
export type AbortCode = keyof typeof abortReasons;

/** The result of processing a job; neither `result` nor `thrown` if it was aborted and did not settle. */
export interface Processed<Result> {
  result?: Result;
  thrown?: unknown;
  abortedBy: AbortCode | undefined;
}

interface Running {
  names: JobNames;
  controller: AbortController;
  /** Its outcome is published and BullMQ has removed it. */
  late: boolean;
  ended: Promise<unknown>;
}

/**
 * The jobs that this worker processes, each with the signal that aborts it: on cancellation, a lost lock, or when the
 * worker stops.
 */
export class RunningJobs {
  readonly #connection: Connection;
  readonly #keys: Keys;
  readonly #onEvent: OnQueueEvent;
  readonly #onError: (error: unknown) => void;
  readonly #running = new Map<string, Running>();
  /** How many jobs may go on after their outcome. */
  maxLate: number;
  readonly #cancelWatch: NodeJS.Timeout;

  /** At most `maxLate` jobs go on after their outcome. */
  constructor(
    connection: Connection,
    keys: Keys,
    maxLate: number,
    onEvent: OnQueueEvent,
    onError: (error: unknown) => void,
  ) {
    this.#connection = connection;
    this.#keys = keys;
    this.maxLate = maxLate;
    this.#onEvent = onEvent;
    this.#onError = onError;
    this.#cancelWatch = setInterval(() => this.#watchCancellations(), CANCEL_WATCH_MS);
    this.#cancelWatch.unref();
  }

  /** The number of jobs. */
  get size(): number {
    return this.#running.size;
  }

  /** The number of jobs that go on after their outcome. */
  get late(): number {
    return [...this.#running.values()].filter(({ late }) => late).length;
  }

  /** Processes a job until that settles or, once aborted, for a short time to clean up. */
  async run<Result>(names: JobNames, work: (signal: AbortSignal) => Promise<Result>): Promise<Processed<Result>> {
    const controller = new AbortController();
    const { signal } = controller;
    const { jobId } = names;
    const running: Running = { names, controller, late: false, ended: Promise.resolve() };
    this.#running.set(jobId, running);
    const settled = (async () => work(signal))().then(
      (result) => ({ result }),
      (thrown: unknown) => ({ thrown }),
    );
    const ended = settledOrAborted(settled, signal);
    running.ended = ended;
    const end = await ended;
    // After a lost lock this worker may have the same job again.
    if (this.#running.get(jobId) === running) this.#running.delete(jobId);
    return { ...end, abortedBy: abortCodeOf(signal) };
  }

  /**
   * Records that a job's outcome is published: its processing goes on, unless the maximum of late jobs is reached.
   * Older late jobs are closer to their end.
   */
  noteLate(jobId: string): void {
    const running = this.#running.get(jobId);
    if (running === undefined || running.late) return;
    if (this.late >= this.maxLate) this.abort(jobId, 'PLATFORM_LATE_ENOUGH');
    running.late = true;
  }

  /** Resolves when all current processing has settled. */
  async settled(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ ended }) => ended));
  }

  /** Aborts a job, once. */
  abort(jobId: string, code: AbortCode): void {
    const running = this.#running.get(jobId);
    if (running === undefined || running.controller.signal.aborted) return;
    if (code === 'PLATFORM_LOCK_LOST') this.#onEvent({ event: 'lock-lost', ...namesOf(running.names) });
    const message = `Cannot continue job ${jobId}: found ${abortReasons[code]}, wanted to finish it`;
    running.controller.abort(new QueueError(code, message));
  }

  /** Aborts all jobs. */
  abortAll(code: AbortCode): void {
    for (const jobId of this.#running.keys()) this.abort(jobId, code);
  }

  /** Stops checking for cancellations. */
  close(): void {
    clearInterval(this.#cancelWatch);
  }

  async #watchCancellations(): Promise<void> {
    const jobIds = [...this.#running.keys()];
    if (jobIds.length === 0 || this.#connection.status !== 'ready') return;
    try {
      const asked = await this.#connection.mget(jobIds.map((jobId) => this.#keys.cancel(jobId)));
      for (const [index, jobId] of jobIds.entries()) {
        if (asked[index] != null) this.abort(jobId, 'JOB_CANCELLED');
      }
    } catch (error) {
      this.#onError(error);
    }
  }
}

function settledOrAborted<End>(settled: Promise<End>, signal: AbortSignal): Promise<End | undefined> {
  const cutOff = new Promise<undefined>((resolve) => {
    const later = () => setTimeout(() => resolve(undefined), SETTLE_MS).unref();
    signal.addEventListener('abort', later, { once: true });
  });
  return Promise.race([settled, cutOff]);
}

function abortCodeOf(signal: AbortSignal): AbortCode | undefined {
  return signal.aborted && signal.reason instanceof QueueError ? (signal.reason.code as AbortCode) : undefined;
}
