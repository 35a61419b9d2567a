import { deliveryOf } from '../jobs/delivery.ts';
import type { Reason } from '../jobs/envelope.ts';
import type { JobCloser } from '../jobs/job-closer.ts';
import type { JobReader } from '../jobs/job-reader.ts';
import type { Outcomes } from '../jobs/outcomes.ts';
import { isAutomaticId, type Keys } from '../redis/catalog.ts';
import type { Connection } from '../redis/connection.ts';

/** Most jobs remembered that BullMQ keeps for later; the oldest is forgotten first. */
const MAX_KEPT = 10_000;

/**
 * Publishes outcomes for jobs that BullMQ's deduplication ignored or replaced. Only an event with their id is left of
 * them.
 */
export class DeduplicatedJobs {
  readonly #parts: { connection: Connection; keys: Keys; outcomes: Outcomes; closer: JobCloser; jobs: JobReader };
  /** By deduplication id, the job that BullMQ runs once the active one ends, unless a later one replaces it. */
  readonly #kept = new Map<string, string>();

  constructor(parts: { connection: Connection; keys: Keys; outcomes: Outcomes; closer: JobCloser; jobs: JobReader }) {
    this.#parts = parts;
  }

  /** Ends the job that an event `deduplicated` names, and the kept job that this one replaced. */
  async end(event: ReadonlyMap<string, string>): Promise<void> {
    const { connection, keys } = this.#parts;
    const [jobId, by, name] = [event.get('deduplicatedJobId'), event.get('jobId'), event.get('deduplicationId')];
    if (jobId === undefined || by === undefined || name === undefined) return;
    const before = this.#kept.get(name);
    const kept = await connection.hget(`${keys.queue}:dn:${name}`, 'jid');
    this.#kept.delete(name);
    if (kept !== null) this.#kept.set(name, kept);
    if (this.#kept.size > MAX_KEPT) this.#kept.delete(this.#kept.keys().next().value ?? '');
    for (const one of new Set([jobId, before])) if (one !== undefined && one !== kept) await this.#endOne(one, by);
  }

  async #endOne(jobId: string, by: string): Promise<void> {
    const { connection, keys, outcomes, closer, jobs } = this.#parts;
    // It may have been submitted again and be on the queue now.
    if (isAutomaticId(jobId) || (await connection.exists(`${keys.queue}:${jobId}`)) === 1) return;
    const beginning = await outcomes.begin(jobId, Number.NaN, 0);
    if (beginning.outcome !== null) return;
    const nothing = { kind: '', text: 'null', data: null, deliveries: 0, deaths: 0 };
    await closer.end(deliveryOf({ jobId, ...nothing }, beginning, outcomes, jobs), deduplicatedBy(by));
  }
}

function deduplicatedBy(jobId: string): Reason {
  const name = JSON.stringify(jobId.slice(0, 200));
  return {
    code: 'JOB_DEDUPLICATED',
    message: `Cannot accept job: found job ${name} in its place by BullMQ's deduplication, wanted no deduplication`,
  };
}
