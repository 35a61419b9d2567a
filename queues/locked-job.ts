import { DelayedError, UnrecoverableError, WaitingError } from 'bullmq';
import type { Keys } from './catalog.ts';
import type { Connection } from './connection.ts';
import type { QueuedJob } from './tolerant-worker.ts';

/** A job under this worker's lock, and the ways to let it go unfinished. Each rejects with what tells BullMQ that the job is no more this worker's. */
export class LockedJob {
  readonly #job: QueuedJob;
  readonly #token: string;
  readonly #connection: Connection;
  readonly #keys: Keys;

  constructor(job: QueuedJob, token: string, connection: Connection, keys: Keys) {
    this.#job = job;
    this.#token = token;
    this.#connection = connection;
    this.#keys = keys;
  }

  /** Has it come back after `delayMs`, counted from `nowMs` by Redis' clock. */
  async delay(delayMs: number, nowMs: number): Promise<never> {
    await this.#connection.zadd(this.#keys.due, Math.round(nowMs + delayMs), this.#job.id ?? '');
    await this.#job.moveToDelayed(Date.now() + Math.round(delayMs), this.#token);
    throw new DelayedError();
  }

  /** Has it come back in a second although Redis is at fault. */
  async delayBlindly(): Promise<never> {
    // Where this worker's clock runs ahead, nobody else would look at it for as long.
    await this.#noteDue(1_000).catch(() => undefined);
    try {
      await this.#job.moveToDelayed(Date.now() + 1_000, this.#token);
    } catch {
      // It stays active without a lock, and is found as stalled.
    }
    throw new DelayedError();
  }

  async #noteDue(delayMs: number): Promise<void> {
    const [seconds, micros] = await this.#connection.time();
    const nowMs = Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
    await this.#connection.zadd(this.#keys.due, nowMs + delayMs, this.#job.id ?? '');
  }

  /** Hands it back to whoever fetches next; `told` is called once it is there. */
  async handBack(told: () => void): Promise<never> {
    await this.#job.moveToWait(this.#token);
    told();
    throw new WaitingError();
  }

  /** Lets go of a job whose lock another worker may have. */
  leave(): never {
    throw new DelayedError();
  }
}

/** Whether an error is one by which BullMQ is told what became of a job. */
export function isBullSignal(error: unknown): boolean {
  return error instanceof DelayedError || error instanceof WaitingError || error instanceof UnrecoverableError;
}
