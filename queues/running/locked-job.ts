import { DelayedError, UnrecoverableError, WaitingError } from 'bullmq';
import type { Reason } from '../jobs/envelope.ts';
import type { Turns } from '../jobs/turns.ts';
import type { Keys } from '../redis/catalog.ts';
import type { Connection } from '../redis/connection.ts';
import type { QueuedJob } from './tolerant-worker.ts';

/**
 * A job locked by this worker, and the ways to release it unfinished. Each rejects with the error that tells BullMQ so.
 */
export class LockedJob {
  readonly #job: QueuedJob;
  readonly #token: string;
  readonly #connection: Connection;
  readonly #keys: Keys;
  readonly #turns: Turns;

  constructor(job: QueuedJob, token: string, parts: { connection: Connection; keys: Keys; turns: Turns }) {
    this.#job = job;
    this.#token = token;
    this.#connection = parts.connection;
    this.#keys = parts.keys;
    this.#turns = parts.turns;
  }

  /** Delays it for `delayMs`, counted from `nowMs` by Redis' clock; `fault` says why, and is kept with the job. */
  async delay(delayMs: number, nowMs: number, fault?: Reason): Promise<never> {
    if (fault !== undefined)
      await this.#connection.hset(`${this.#keys.queue}:${this.#job.id ?? ''}`, 'lastFault', JSON.stringify(fault));
    await this.#connection.zadd(this.#keys.due, Math.round(nowMs + delayMs), this.#job.id ?? '');
    await this.#turns.setNextTurn(this.#job.id ?? '', this.#job.name, this.#job.data);
    await this.#job.moveToDelayed(Date.now() + Math.round(delayMs), this.#token);
    throw new DelayedError();
  }

  /** Delays it for a second even though Redis fails. */
  async delayBlindly(): Promise<never> {
    // If this worker's clock is ahead, BullMQ would leave the job delayed for longer.
    await this.#noteDue(1_000).catch(() => undefined);
    try {
      await this.#job.moveToDelayed(Date.now() + 1_000, this.#token);
    } catch {
      // It stays active without a lock and is found as stalled.
    }
    throw new DelayedError();
  }

  async #noteDue(delayMs: number): Promise<void> {
    const [seconds, micros] = await this.#connection.time();
    const nowMs = Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
    await this.#connection.zadd(this.#keys.due, nowMs + delayMs, this.#job.id ?? '');
  }

  /** Puts it back for the next fetch; calls `onDone` once that is done. */
  async handBack(onDone: () => void): Promise<never> {
    await this.#job.moveToWait(this.#token);
    onDone();
    throw new WaitingError();
  }

  /** Drops a job whose lock another worker may have. */
  leave(): never {
    throw new DelayedError();
  }
}

/** Whether an error tells BullMQ what became of a job. */
export function isBullSignal(error: unknown): boolean {
  return error instanceof DelayedError || error instanceof WaitingError || error instanceof UnrecoverableError;
}
