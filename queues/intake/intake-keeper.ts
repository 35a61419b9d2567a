import { deliveryOf } from '../jobs/delivery.ts';
import type { Reason } from '../jobs/envelope.ts';
import type { JobCloser } from '../jobs/job-closer.ts';
import type { JobReader } from '../jobs/job-reader.ts';
import type { Outcomes } from '../jobs/outcomes.ts';
import type { Keys } from '../redis/catalog.ts';
import type { Connection } from '../redis/connection.ts';
import { dataOf, type Entry, INTAKE_GROUP, type IntakeEntries, jobOf } from './intake-entries.ts';

/** How long a bridge may hold an entry before the keeper takes it over, in milliseconds. */
const TAKE_OVER_MS = 2_000;

/**
 * How long a consumer may be idle before it is deleted, in milliseconds. A living one is created again by its next
 * read.
 */
const FORGET_MS = 15_000;

/** Entries read in one step; each may have a megabyte. */
const BATCH = 50;

/** The keeper's consumer name in the group. */
const NAME = 'keeper';

/** What the keeper of the intake stream works with. */
export interface IntakeKeeperOptions {
  connection: Connection;
  keys: Keys;
  entries: IntakeEntries;
  outcomes: Outcomes;
  closer: JobCloser;
  jobs: JobReader;
  onError: (error: unknown) => void;
}

/** Makes sure that every entry of the intake stream gets an outcome, even if the worker that read it died or hangs. */
export class IntakeKeeper {
  readonly #options: IntakeKeeperOptions;
  /** Deadlines of the entries that were read, by Redis' clock. */
  readonly #deadlines = new Map<string, number>();
  #seen = '-';
  #forgotAtMs = performance.now();

  constructor(options: IntakeKeeperOptions) {
    this.#options = options;
  }

  /** Forgets all deadlines: another keeper may act meanwhile. */
  forget(): void {
    this.#deadlines.clear();
  }

  /** Takes over entries that a bridge left, and records the deadlines of all entries. */
  async look(): Promise<void> {
    await this.#note();
    await this.#takeOver();
    if (performance.now() - this.#forgotAtMs < FORGET_MS) return;
    this.#forgotAtMs = performance.now();
    // Dead workers leave their names, which would add up.
    await this.#options.entries.forgetConsumers(FORGET_MS);
  }

  /** The next deadline, by Redis' clock; infinity if there are no entries. */
  get nextMs(): number {
    let nextMs = Number.POSITIVE_INFINITY;
    for (const deadlineMs of this.#deadlines.values()) nextMs = Math.min(nextMs, deadlineMs);
    return nextMs;
  }

  /**
   * Moves entries whose deadline is `byMs` or earlier to the queue. Resolves to the ids of their jobs, whose deadlines
   * must be recorded.
   */
  async close(byMs: number, reason: Reason): Promise<string[]> {
    const jobIds: string[] = [];
    for (const [id, deadlineMs] of [...this.#deadlines]) {
      if (deadlineMs > byMs) continue;
      try {
        const jobId = await this.#close(id, reason);
        if (jobId !== undefined) jobIds.push(jobId);
        this.#deadlines.delete(id);
      } catch (error) {
        this.#options.onError(error);
      }
    }
    return jobIds;
  }

  /** Ends an entry with an outcome if the queue refuses its job. */
  async #close(id: string, reason: Reason): Promise<string | undefined> {
    const { connection, keys, entries, onError } = this.#options;
    const [entry] = await connection.xrange(keys.intake, id, id);
    if (entry === undefined) return undefined;
    try {
      return await entries.bridge(entry);
    } catch (error) {
      onError(error);
      await this.#end(entry, reason);
      return undefined;
    }
  }

  async #note(): Promise<void> {
    const { connection, keys, outcomes, jobs } = this.#options;
    // Start again once nothing is left: it costs nothing, and the stream may be a new one.
    if (this.#deadlines.size === 0) this.#seen = '-';
    for (let found = BATCH; found === BATCH; ) {
      const entries = await connection.xrange(keys.intake, this.#seen, '+', 'COUNT', BATCH);
      found = entries.length;
      const nowMs = found === 0 ? 0 : await outcomes.nowMs();
      for (const [id, fields] of entries) {
        const { kind, data } = dataOf([id, fields]);
        this.#deadlines.set(id, Math.min(Number.parseInt(id, 10), nowMs) + jobs.factsOf(kind, data).timeoutMs);
        this.#seen = `(${id}`;
      }
    }
  }

  async #takeOver(): Promise<void> {
    const { connection, keys, entries, onError } = this.#options;
    const left = await connection
      .xpending(keys.intake, INTAKE_GROUP, 'IDLE', TAKE_OVER_MS, '-', '+', 1)
      // No bridge has created the group yet.
      .catch((error: Error) => (error.message.startsWith('NOGROUP') ? [] : Promise.reject(error)));
    if (left.length === 0) return;
    for (let from = ''; from !== '0-0'; ) {
      const start = from === '' ? '0-0' : from;
      const claimed = await connection.xautoclaim(keys.intake, INTAKE_GROUP, NAME, TAKE_OVER_MS, start, 'COUNT', BATCH);
      from = claimed[0] as string;
      // Redis 6.2 returns null for deleted entries.
      const found = (claimed[1] as (Entry | null)[]).filter((entry) => entry !== null);
      await Promise.all(found.map((entry) => entries.bridge(entry).catch(onError)));
    }
    await entries.forgetConsumers(0, NAME);
  }

  async #end(entry: Entry, reason: Reason): Promise<void> {
    const { entries, outcomes, closer, jobs } = this.#options;
    const { jobId, kind, data, text } = jobOf(entry);
    const beginning = await outcomes.begin(jobId, Number.parseInt(entry[0], 10), 0);
    const job = { jobId, kind, text, data, deliveries: 0, deaths: 0 };
    if (beginning.outcome === null) await closer.end(deliveryOf(job, beginning, outcomes, jobs), reason);
    await entries.drop(entry[0]);
  }
}
