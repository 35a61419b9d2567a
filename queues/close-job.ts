import { deliveryOf } from './delivery.ts';
import type { Reason } from './envelope.ts';
import type { KeeperOptions } from './keeper-options.ts';
import { cancelled } from './running-jobs.ts';
import type { KeptJob } from './stored-job.ts';

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
