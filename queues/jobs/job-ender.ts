import { isAutomaticId, type Keys } from '../redis/catalog.ts';
import type { Connection } from '../redis/connection.ts';
import { mending } from '../redis/mending.ts';
import { deliveryOf } from './delivery.ts';
import { givenUp, type Reason } from './envelope.ts';
import { JobCloser } from './job-closer.ts';
import type { JobReader } from './job-reader.ts';
import { Outcomes } from './outcomes.ts';
import { storedJob } from './stored-job.ts';

/** Publishes an outcome for a job that has none. */
export type JobEnder = (jobId: string) => Promise<void>;

/**
 * Makes a function that publishes an `error` outcome before an operator removes a job: `PLATFORM_JOB_GIVEN_UP` for one
 * that the queue failed, `JOB_CANCELLED` for a waiting one. An active job is skipped, since it cannot be removed.
 */
export function jobEnder(rawConnection: Connection, keys: Keys, jobs: JobReader, retentionSeconds: number): JobEnder {
  const connection = mending(rawConnection, keys);
  const outcomes = new Outcomes(connection, keys, retentionSeconds);
  const closer = new JobCloser(outcomes, jobs, undefined, () => {});
  return async (jobId) => {
    if (isAutomaticId(jobId) || (await connection.exists(`${keys.queue}:${jobId}:lock`)) === 1) return;
    const job = await storedJob(connection, keys, jobId);
    // The outcome under a reused id belongs to another job.
    if (job === null || job.failedReason?.startsWith('JOB_ID_REUSED')) return;
    const { outcome, ...beginning } = await outcomes.begin(jobId, job.timestampMs, 0);
    // An expired outcome must not be contradicted.
    const isOld = beginning.nowMs - job.finishedOnMs > retentionSeconds * 500;
    if (outcome !== null || isOld) return;
    const reason = Number.isNaN(job.finishedOnMs) ? removed : givenUp(job.failedReason ?? 'no outcome');
    await closer.end(deliveryOf(job, { outcome, ...beginning }, outcomes, jobs), reason);
  };
}

const removed: Reason = {
  code: 'JOB_CANCELLED',
  message: 'Cannot continue job: found it removed by an operator, wanted to finish it',
};
