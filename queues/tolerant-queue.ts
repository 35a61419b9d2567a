import { Job, type JobJson, type JobProgress, Queue } from 'bullmq';
import { parseData } from './delivery.ts';

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
    const job = Job.fromJSON<Data, Result, Name>(queue, { ...json, data: 'null' }, jobId);
    job.data = parseData(json.data) as Data;
    return job;
  }
}

/** A queue whose jobs can be looked at whatever their data are: of BullMQ's own, one job that is no JSON hides all others of its page. */
export class TolerantQueue extends Queue {
  protected override get Job(): typeof Job {
    return TolerantJob;
  }
}
