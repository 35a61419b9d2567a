import { deliveryOf } from '../jobs/delivery.ts';
import type { Reason } from '../jobs/envelope.ts';
import type { KeptJob } from '../jobs/stored-job.ts';
import { cancelled } from '../running/running-jobs.ts';
import type { KeeperOptions } from './keeper-options.ts';

/** Publishes an error as the outcome of a job that has none yet; a cancelled job ends as cancelled. */
export async function closeJob(
  { jobs, outcomes, closer }: Pick<KeeperOptions, 'jobs' | 'outcomes' | 'closer'>,
  job: KeptJob,
  reason: Reason,
): Promise<void> {
  const beginning = await outcomes.begin(job.jobId, job.timestampMs, 0);
  const delivery = deliveryOf(job, beginning, outcomes, jobs);
  if (beginning.outcome === null) await closer.end(delivery, beginning.cancelled ? cancelled : reason);
}
