import type { Keys } from './catalog.ts';
import type { Connection } from './connection.ts';
import type { Reason } from './envelope.ts';
import { QueueError } from './queue-error.ts';
import { type JobNames, namesOf, type OnQueueEvent } from './queue-event.ts';

/** How often the keys that cancel running jobs are looked at, in milliseconds. */
const CANCEL_WATCH_MS = 250;

/** How long work that was called off may take to settle before the queue goes on without it, in milliseconds. */
export const SETTLE_MS = 1_500;

/** Why work on a job is called off: its code, and what is said of it. */
const abortions = {
  JOB_CANCELLED: 'that it was cancelled',
  PLATFORM_LOCK_LOST: 'that its lock ran out',
  PLATFORM_WORKER_STOPPING: 'that this worker stops',
  PLATFORM_LATE_ENOUGH: 'that its outcome is out, and that as many go on after theirs as there are slots',
} as const;

/** Why a cancelled job ends. */
export const cancelled: Reason = {
  code: 'JOB_CANCELLED',
  message: `Cannot go on with job: found ${abortions.JOB_CANCELLED}, wanted to finish it`,
};

/** Code of a reason why work is called off. */
export type Abortion = keyof typeof abortions;

/** What work on a job came to; neither a result nor something thrown where it was called off and did not settle. */
export interface Worked<Result> {
  result?: Result;
  thrown?: unknown;
  calledOff: Abortion | undefined;
}

interface Running {
  names: JobNames;
  controller: AbortController;
  /** Its outcome is out, and BullMQ knows of it no more. */
  late: boolean;
  ended: Promise<unknown>;
}

/** The jobs that are worked on here, each with the signal that calls its work off: when it is cancelled, its lock is lost or the worker stops. */
export class RunningJobs {
  readonly #connection: Connection;
  readonly #keys: Keys;
  readonly #onEvent: OnQueueEvent;
  readonly #onError: (error: unknown) => void;
  readonly #running = new Map<string, Running>();
  readonly #mostLate: number;
  readonly #cancelWatch: NodeJS.Timeout;

  /** No more than `mostLate` jobs are worked on after their outcome. */
  constructor(
    connection: Connection,
    keys: Keys,
    mostLate: number,
    onEvent: OnQueueEvent,
    onError: (error: unknown) => void,
  ) {
    this.#connection = connection;
    this.#keys = keys;
    this.#mostLate = mostLate;
    this.#onEvent = onEvent;
    this.#onError = onError;
    this.#cancelWatch = setInterval(() => this.#watchCancellations(), CANCEL_WATCH_MS);
    this.#cancelWatch.unref();
  }

  /** How many there are. */
  get size(): number {
    return this.#running.size;
  }

  /** How many of them go on after their outcome. */
  get late(): number {
    return [...this.#running.values()].filter(({ late }) => late).length;
  }

  /** Has a job worked on until the work settles, or, once it is called off, as long as it takes to clean up. */
  async run<Result>(names: JobNames, work: (signal: AbortSignal) => Promise<Result>): Promise<Worked<Result>> {
    const controller = new AbortController();
    const { signal } = controller;
    const { jobId } = names;
    const running: Running = { names, controller, late: false, ended: Promise.resolve() };
    this.#running.set(jobId, running);
    const settled = (async () => work(signal))().then(
      (result) => ({ result }),
      (thrown: unknown) => ({ thrown }),
    );
    const ended = settledOrCalledOff(settled, signal);
    running.ended = ended;
    const end = await ended;
    // After a lost lock this worker itself may have the job a second time.
    if (this.#running.get(jobId) === running) this.#running.delete(jobId);
    return { ...end, calledOff: abortionOf(signal) };
  }

  /** Notes that a job's outcome is out: work on it goes on, unless as much late work as may be does so already. The older is nearer to its end. */
  noteLate(jobId: string): void {
    const running = this.#running.get(jobId);
    if (running === undefined || running.late) return;
    if (this.late >= this.#mostLate) this.abort(jobId, 'PLATFORM_LATE_ENOUGH');
    running.late = true;
  }

  /** Resolves when the work that goes on now has settled. */
  async settled(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ ended }) => ended));
  }

  /** Calls off the work on a job; no more than once. */
  abort(jobId: string, code: Abortion): void {
    const running = this.#running.get(jobId);
    if (running === undefined || running.controller.signal.aborted) return;
    if (code === 'PLATFORM_LOCK_LOST') this.#onEvent({ event: 'lock-lost', ...namesOf(running.names) });
    const message = `Cannot go on with job ${jobId}: found ${abortions[code]}, wanted to finish it`;
    running.controller.abort(new QueueError(code, message));
  }

  /** Calls off the work on every job. */
  abortAll(code: Abortion): void {
    for (const jobId of this.#running.keys()) this.abort(jobId, code);
  }

  /** Looks no more for jobs that are cancelled. */
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

function settledOrCalledOff<End>(settled: Promise<End>, signal: AbortSignal): Promise<End | undefined> {
  const calledOff = new Promise<undefined>((resolve) => {
    const later = () => setTimeout(() => resolve(undefined), SETTLE_MS).unref();
    signal.addEventListener('abort', later, { once: true });
  });
  return Promise.race([settled, calledOff]);
}

function abortionOf(signal: AbortSignal): Abortion | undefined {
  return signal.aborted && signal.reason instanceof QueueError ? (signal.reason.code as Abortion) : undefined;
}
