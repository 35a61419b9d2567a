import { type Job, type JobJson, Worker } from 'bullmq';
import { parseData } from './delivery.ts';

/** What a job returns to BullMQ: a pointer, since return values go through a stream of bounded memory. */
export interface Pointer {
  verdict: string;
  outcomeKey: string;
}

/** A job of our queue. */
export type QueuedJob = Job<unknown, Pointer, string>;

const texts = new WeakMap<QueuedJob, string>();

/** The JSON text of a job's data, as it came from Redis. */
export function textOf(job: QueuedJob): string {
  return texts.get(job) ?? JSON.stringify(job.data) ?? 'null';
}

/**
 * A worker that survives what a job written by hand holds or lacks (data that are no JSON, no name: BullMQ's own would lose such a job at each fetch,
 * for ever), and says when it last fetched.
 */
export class TolerantWorker extends Worker<unknown, Pointer, string> {
  /** When Redis last answered its asking for work, by `performance.now()`. */
  lastFetchAtMs = performance.now();

  /** Ends what a `close` that waits for Redis in vain has not come to: the renewing of locks, and the connection that waits for jobs. */
  async abandon(): Promise<void> {
    await this.lockManager.close();
    await this.getBackend().close(true);
  }

  protected override createJob(json: JobJson, jobId: string): QueuedJob {
    // Under the id by which it was fetched, whatever a field of that name says: its outcome is no other job's.
    const job = super.createJob({ ...json, id: jobId, name: json.name ?? '', data: 'null' }, jobId);
    job.data = parseData(json.data);
    texts.set(job, json.data);
    return job;
  }

  protected override nextJobFromJobData(json?: JobJson, jobId?: string, token?: string): Promise<QueuedJob> {
    this.lastFetchAtMs = performance.now();
    return super.nextJobFromJobData(json, jobId, token);
  }
}
