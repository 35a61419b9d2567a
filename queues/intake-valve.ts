import type { Worker } from 'bullmq';
import type { Keys } from './catalog.ts';
import type { Connection } from './connection.ts';
import type { OnQueueEvent } from './queue-event.ts';
import { isUnwritable } from './redis-refusal.ts';

/** How often a Redis that takes no writes is asked whether it does again, in milliseconds. */
const PROBE_MS = 2_000;

/**
 * Stops a worker from fetching for as long as there is a reason, each said once. A Redis that takes no writes is one: a worker that goes on asking it
 * spins, some thousand errors a second.
 */
export class IntakeValve {
  readonly #worker: Worker;
  readonly #connection: Connection;
  readonly #keys: Keys;
  readonly #onEvent: OnQueueEvent;
  readonly #reasons = new Set<string>();
  #room: Promise<void> | undefined;
  #unwritableUntilMs = Number.NEGATIVE_INFINITY;
  #closed = false;

  constructor(worker: Worker, connection: Connection, keys: Keys, onEvent: OnQueueEvent) {
    this.#worker = worker;
    this.#connection = connection;
    this.#keys = keys;
    this.#onEvent = onEvent;
  }

  /** Says whether Redis took no writes at some time within the last `withinMs`. */
  wasUnwritable(withinMs: number): boolean {
    return this.#room !== undefined || performance.now() - this.#unwritableUntilMs < withinMs;
  }

  /** Why nothing is fetched; empty while jobs are. */
  get reasons(): string[] {
    return [...this.#reasons];
  }

  /** Stops fetching for a reason; jobs that run go on. */
  async shut(reason: string): Promise<void> {
    if (this.#closed || this.#reasons.has(reason)) return;
    this.#reasons.add(reason);
    this.#onEvent({ event: 'paused', message: reason });
    if (this.#reasons.size === 1) await this.#worker.pause(true);
  }

  /** Takes a reason away; fetching goes on with the last one. */
  async open(reason: string): Promise<void> {
    if (this.#closed || !this.#reasons.delete(reason)) return;
    this.#onEvent({ event: 'resumed', message: reason });
    if (this.#reasons.size === 0) await this.#worker.resume();
  }

  /** Shuts until Redis can be written to again, and resolves then; rejects once closed. */
  whenRoom(): Promise<void> {
    this.#room ??= this.#awaitRoom().finally(() => {
      this.#room = undefined;
      this.#unwritableUntilMs = performance.now();
    });
    return this.#room;
  }

  /** Writes to Redis; where that takes no writes, again each time that it does. */
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

  /** Ends the waiting for room. */
  close(): void {
    this.#closed = true;
  }

  async #awaitRoom(): Promise<void> {
    const reason = 'Redis takes no writes';
    await this.shut(reason);
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, PROBE_MS).unref());
      if (this.#closed) throw new Error('Cannot wait for room: found the worker stopped');
      try {
        await this.#connection.set(`${this.#keys.prefix}:probe`, '1', 'PX', PROBE_MS);
        return await this.open(reason);
      } catch (error) {
        if (!isUnwritable(error)) return await this.open(reason);
      }
    }
  }
}
