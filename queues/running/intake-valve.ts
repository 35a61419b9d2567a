import type { Worker } from 'bullmq';
import type { Reason } from '../jobs/envelope.ts';
import type { Keys } from '../redis/catalog.ts';
import type { Connection } from '../redis/connection.ts';
import type { OnQueueEvent } from '../redis/queue-event.ts';
import { isUnwritable } from '../redis/redis-refusal.ts';

/** How often to probe a Redis that refuses writes, in milliseconds. */
const PROBE_MS = 2_000;

/**
 * Stops a worker from fetching while there is a reason, each reported once. A Redis that refuses writes is one:
 * fetching from it would fail thousands of times a second.
 */
export class IntakeValve {
  readonly #worker: Worker;
  readonly #connection: Connection;
  readonly #keys: Keys;
  readonly #onEvent: OnQueueEvent;
  /** Each reason, with the fault behind it. */
  readonly #reasons = new Map<string, Reason | null>();
  #room: Promise<void> | undefined;
  #unwritableUntilMs = Number.NEGATIVE_INFINITY;
  #closed = false;

  constructor(worker: Worker, connection: Connection, keys: Keys, onEvent: OnQueueEvent) {
    this.#worker = worker;
    this.#connection = connection;
    this.#keys = keys;
    this.#onEvent = onEvent;
  }

  /** Whether Redis refused writes within the last `withinMs`. */
  wasUnwritable(withinMs: number): boolean {
    return this.#room !== undefined || performance.now() - this.#unwritableUntilMs < withinMs;
  }

  /** Why fetching is paused; empty if it is not. */
  get reasons(): string[] {
    return [...this.#reasons].map(([reason, fault]) => withFault(reason, fault));
  }

  /** The fault behind the first reason that has one. */
  get fault(): Reason | null {
    return [...this.#reasons.values()].find((fault) => fault !== null) ?? null;
  }

  /** Stops fetching for a reason, because of a fault if one is given; running jobs go on. */
  async shut(reason: string, fault: Reason | null = null): Promise<void> {
    const isNew = !this.#reasons.has(reason);
    if (this.#closed || (!isNew && this.#reasons.get(reason)?.code === fault?.code)) return;
    this.#reasons.set(reason, fault);
    this.#onEvent({
      event: 'paused',
      message: withFault(reason, fault),
      ...(fault === null ? {} : { code: fault.code }),
    });
    if (isNew && this.#reasons.size === 1) await this.#worker.pause(true);
  }

  /** Removes a reason; fetching resumes with the last one. */
  async open(reason: string): Promise<void> {
    if (this.#closed || !this.#reasons.delete(reason)) return;
    this.#onEvent({ event: 'resumed', message: reason });
    if (this.#reasons.size === 0) await this.#worker.resume();
  }

  /** Makes the worker fetch now, even if it waits for a running job to end. */
  async wake(): Promise<void> {
    if (this.#closed || this.#reasons.size > 0) return;
    // BullMQ looks for free slots when a job ends, and when it is resumed.
    await this.#worker.pause(true);
    if (this.#reasons.size === 0) await this.#worker.resume();
  }

  /** Shuts until Redis accepts writes, and resolves then; rejects once closed. */
  whenRoom(): Promise<void> {
    this.#room ??= this.#awaitRoom().finally(() => {
      this.#room = undefined;
      this.#unwritableUntilMs = performance.now();
    });
    return this.#room;
  }

  /** Runs a write to Redis, and retries it whenever Redis accepts writes again. */
  async whenWritable<Result>(write: () => Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        return await write();
      } catch (error) {
        if (!isUnwritable(error)) throw error;
        await this.whenRoom();
      }
    }
  }

  /** Ends all waiting. */
  close(): void {
    this.#closed = true;
  }

  async #awaitRoom(): Promise<void> {
    const reason = 'Redis takes no writes';
    await this.shut(reason);
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, PROBE_MS).unref());
      if (this.#closed) throw new Error('Cannot wait for room: found the worker stopped, wanted it running');
      try {
        await this.#connection.set(`${this.#keys.prefix}:probe`, '1', 'PX', PROBE_MS);
        return await this.open(reason);
      } catch (error) {
        if (!isUnwritable(error)) return await this.open(reason);
      }
    }
  }
}

function withFault(reason: string, fault: Reason | null): string {
  return fault === null ? reason : `${reason} (${fault.code}: ${fault.message})`;
}
