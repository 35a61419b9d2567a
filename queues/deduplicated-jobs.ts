import { isAutomaticId, type Keys } from './catalog.ts';
import type { Connection } from './connection.ts';
import { deliveryOf } from './delivery.ts';
import type { Reason } from './envelope.ts';
import type { JobCloser } from './job-closer.ts';
import type { JobReader } from './job-reader.ts';
import type { Outcomes } from './outcomes.ts';

/** How many jobs are remembered that BullMQ keeps for later; beyond that the oldest is forgotten. */
const MOST_KEPT = 10_000;

/** Gives jobs their outcome that BullMQ's deduplication ignored or replaced. All that is left of them is an event with their id. */
export class DeduplicatedJobs {
  readonly #parts: { connection: Connection; keys: Keys; outcomes: Outcomes; closer: JobCloser; jobs: JobReader };
  /** By deduplication id, the job that comes when the active one ends, unless a later one takes its place. */
  readonly #kept = new Map<string, string>();

  constructor(parts: { connection: Connection; keys: Keys; outcomes: Outcomes; closer: JobCloser; jobs: JobReader }) {
    this.#parts = parts;
  }

  /** Ends the job that an event `deduplicated` tells of, and the one that was kept until then where this one took its place. */
  async end(event: ReadonlyMap<string, string>): Promise<void> {
    const { connection, keys } = this.#parts;
    const [jobId, by, name] = [event.get('deduplicatedJobId'), event.get('jobId'), event.get('deduplicationId')];
    if (jobId === undefined || by === undefined || name === undefined) return;
    const before = this.#kept.get(name);
    const kept = await connection.hget(`${keys.queue}:dn:${name}`, 'jid');
    this.#kept.delete(name);
    if (kept !== null) this.#kept.set(name, kept);
    if (this.#kept.size > MOST_KEPT) this.#kept.delete(this.#kept.keys().next().value ?? '');
    for (const one of new Set([jobId, before])) if (one !== undefined && one !== kept) await this.#endOne(one, by);
  }

  async #endOne(jobId: string, by: string): Promise<void> {
    const { connection, keys, outcomes, closer, jobs } = this.#parts;
    // It may have been put again meanwhile, and be a job now.
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
