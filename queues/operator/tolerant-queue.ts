import { Job, type JobJson, type JobProgress, Queue } from 'bullmq';
import { parseData } from '../jobs/delivery.ts';
import type { JobEnder } from '../jobs/job-ender.ts';

class TolerantJob<Data, Result, Name extends string, Progress extends JobProgress> extends Job<
  Data,
  Result,
  Name,
  Progress
> {
  static override fromJSON<Data, Result, Name extends string>(
    queue: Parameters<typeof Job.fromJSON>[0],
    json: JobJson,
    jobId?: string,
  ): Job<Data, Result, Name> {
    const own = { ...json, id: jobId ?? json.id, name: json.name ?? '', data: 'null' };
    // biome-ignore lint/complexity/noThisInStatic: called by its name, it would make a job that removes itself as BullMQ's own does.
    const job = super.fromJSON<Data, Result, Name>(queue, own, jobId);
    job.data = parseData(json.data) as Data;
    return job;
  }

  override async remove(options?: Parameters<Job['remove']>[0]): Promise<void> {
    if (this.queue instanceof TolerantQueue) await this.queue.beforeRemoval(this.id ?? '');
    return super.remove(options);
  }
}

/**
 * A queue that can read jobs with any data (in BullMQ's own, one job that is not JSON hides all others of its page),
 * and that awaits `beforeRemoval` before it removes a job.
 */
export class TolerantQueue extends Queue {
  beforeRemoval: JobEnder = async () => {};

  protected override get Job(): typeof Job {
    return TolerantJob;
  }

  override async remove(jobId: string, options?: Parameters<Queue['remove']>[1]): Promise<number> {
    await this.beforeRemoval(jobId);
    return super.remove(jobId, options);
  }

  override async clean(graceMs: number, limit: number, type: CleanedType = 'completed'): Promise<string[]> {
    // BullMQ 6 no longer has this state.
    if (type === 'paused') return [];
    const removed: string[] = [];
    for (const jobId of await this.getRanges([type], 0, -1)) {
      if (removed.length === (limit || Number.POSITIVE_INFINITY)) break;
      const job = await this.getJob(jobId);
      const atMs = job?.finishedOn ?? job?.timestamp ?? 0;
      if (atMs <= Date.now() - graceMs && (await this.remove(jobId)) === 1) removed.push(jobId);
    }
    return removed;
  }

  override async drain(delayed = false): Promise<void> {
    const types: CleanedType[] = ['wait', 'prioritized', ...(delayed ? (['delayed'] as const) : [])];
    for (const type of types) await this.clean(0, 0, type);
  }
}

type CleanedType = NonNullable<Parameters<Queue['clean']>[2]>;
