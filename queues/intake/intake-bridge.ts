import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Queue } from 'bullmq';
import type { JobReader } from '../jobs/job-reader.ts';
import type { Outcomes } from '../jobs/outcomes.ts';
import type { Turns } from '../jobs/turns.ts';
import type { Keys } from '../redis/catalog.ts';
import { type Connection, connect } from '../redis/connection.ts';
import { trimmedError } from '../redis/queue-error.ts';
import type { OnQueueEvent } from '../redis/queue-event.ts';
import { type Entry, INTAKE_GROUP, IntakeEntries } from './intake-entries.ts';

/** How long one read waits for entries, in milliseconds. */
const BLOCK_MS = 2_000;

/** Entries read at once. */
const BATCH = 50;

/** What a bridge works with. */
export interface IntakeBridgeOptions {
  url: string;
  keys: Keys;
  jobs: JobReader;
  queue: Queue;
  connection: Connection;
  outcomes: Outcomes;
  turns: Turns;
  onError: (error: unknown) => void;
  onEvent: OnQueueEvent;
}

/**
 * Brings jobs from the intake stream to the queue, for negotiators without a BullMQ library: `XADD <prefix>:intake *
 * data <job JSON>`, with the optional fields `kind` (default `generate`) and `jobId` (default: the recommended id for
 * the data, with `-<kind>` if a job of another kind has that one).
 *
 * A job of a tenant with too many waiting jobs is refused: an entry on its outcome stream says so.
 *
 * An entry is acknowledged after its job was added, and adding a job twice under one id is harmless: nothing is lost or
 * duplicated.
 */
export class IntakeBridge {
  readonly #options: IntakeBridgeOptions;
  readonly #entries: IntakeEntries;
  readonly #blocking: Connection;
  readonly #name = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
  readonly #running: Promise<void>;
  #closed = false;

  constructor(options: IntakeBridgeOptions) {
    this.#options = options;
    this.#entries = new IntakeEntries(options);
    // A blocking read needs its own connection: it would block all other commands.
    this.#blocking = connect(options.url, 'worker', (error) =>
      options.onError(Object.assign(new Error(error.message), error)),
    );
    this.#running = this.#run();
  }

  /** Stops after the current entries; another worker takes those not acknowledged. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#blocking.disconnect();
    await this.#running;
    if (this.#options.connection.status === 'ready') await this.#entries.forgetConsumers(0, this.#name);
  }

  async #run(): Promise<void> {
    while (!this.#closed) {
      try {
        const entries = await this.#next();
        // Concurrently: in a large batch, the last entry would wait for all round trips before it. The keeper takes
        // entries that fail here.
        await Promise.all(entries.map((entry) => this.#entries.bridge(entry).catch(this.#options.onError)));
      } catch (error) {
        if (this.#closed) return;
        if (/^NOGROUP/.test(trimmedError(error).message)) await this.#createGroup();
        else {
          this.#options.onError(error);
          await sleep(1_000, undefined, { ref: false });
        }
      }
    }
  }

  async #next(): Promise<Entry[]> {
    const { keys } = this.#options;
    const read = await this.#blocking.xreadgroup(
      'GROUP',
      INTAKE_GROUP,
      this.#name,
      'COUNT',
      BATCH,
      'BLOCK',
      BLOCK_MS,
      'STREAMS',
      keys.intake,
      '>',
    );
    const [stream] = (read ?? []) as [string, Entry[]][];
    return stream?.[1] ?? [];
  }

  async #createGroup(): Promise<void> {
    const { connection, keys, onError } = this.#options;
    try {
      await connection.xgroup('CREATE', keys.intake, INTAKE_GROUP, '0', 'MKSTREAM');
    } catch (error) {
      if (!/^BUSYGROUP/.test(trimmedError(error).message)) onError(error);
      await sleep(100, undefined, { ref: false });
    }
  }
}
