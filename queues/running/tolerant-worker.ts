import { type Job, type JobJson, Worker } from 'bullmq';
import { parseData } from '../jobs/delivery.ts';
import type { FetchedJob } from '../jobs/turns.ts';

/** What a job returns to BullMQ: a pointer, since return values pass through a stream of bounded memory. */
export interface Pointer {
  verdict: string;
  outcomeKey: string;
}

/** A job of our queue. */
export type QueuedJob = Job<unknown, Pointer, string>;

const texts = new WeakMap<QueuedJob, string>();

/** The JSON text of a job's data, as read from Redis. */
export function textOf(job: QueuedJob): string {
  return texts.get(job) ?? JSON.stringify(job.data) ?? 'null';
}

/**
 * A worker that survives jobs written by hand (data that are not JSON, no name), which BullMQ's own would lose at each
 * fetch for ever. Records when it last fetched.
 */
export class TolerantWorker extends Worker<unknown, Pointer, string> {
  /** Whether a fetched job goes back, because others must be taken before it. */
  isOutOfTurn: (job: FetchedJob) => Promise<boolean> = async () => false;
  /** When Redis last answered a fetch, by `performance.now()`. */
  lastFetchAtMs = performance.now();

  /** Stops lock renewal and the blocking connection, after a `close` that waits for Redis in vain. */
  async abandon(): Promise<void> {
    await this.lockManager.close();
    await this.getBackend().close(true);
  }

  protected override createJob(json: JobJson, jobId: string): QueuedJob {
    // The id by which it was fetched, whatever a field of that name says: its outcome must not be another job's.
    const job = super.createJob({ ...json, id: jobId, name: json.name ?? '', data: 'null' }, jobId);
    job.data = parseData(json.data);
    texts.set(job, json.data);
    return job;
  }

  protected override async nextJobFromJobData(json?: JobJson, jobId?: string, token?: string): Promise<QueuedJob> {
    this.lastFetchAtMs = performance.now();
    // BullMQ passes null, too, if it found no job.
    if (!json || !jobId || !token || !(await this.#goesBack(json, jobId, token)))
      return super.nextJobFromJobData(json, jobId, token);
    // If no more may be fetched, as if none had been found.
    if (this.closing || this.paused) return super.nextJobFromJobData();
    return this.moveToActive(token, this.opts.name);
  }

  async #goesBack(json: JobJson, jobId: string, token: string): Promise<boolean> {
    const {
      data,
      name = '',
      priority,
      ats,
      defa,
    } = json as JobJson & Partial<Record<'priority' | 'ats' | 'defa', string>>;
    // The first only needs its outcome, the second to be mended.
    if (defa !== undefined || data === undefined) return false;
    const numbers = { priority: Number(priority ?? 0), deliveriesBefore: Number(ats ?? 1) - 1 };
    const job = { jobId, kind: name, data: parseData(data), token, ...numbers };
    // Fairness must not cost a job its worker: with Redis away, it runs out of turn.
    return this.isOutOfTurn(job).catch(() => false);
  }
}
