import { isAutomaticId, type Keys } from './catalog.ts';
import type { Connection } from './connection.ts';
import { deliveryOf, parseData } from './delivery.ts';
import { givenUp, type Reason } from './envelope.ts';
import { JobCloser } from './job-closer.ts';
import type { JobReader } from './job-reader.ts';
import { Outcomes } from './outcomes.ts';

/** Gives a job its outcome. */
export type JobEnder = (jobId: string) => Promise<void>;

/**
 * Makes what gives a job its `error` outcome before an operator removes it, where it has none: `PLATFORM_JOB_GIVEN_UP` for one that the queue failed and no
 * worker has looked at since, `JOB_CANCELLED` for one that waits. One that is worked on is left alone, since it cannot be removed.
 */
export function jobEnder(connection: Connection, keys: Keys, jobs: JobReader, retentionSeconds: number): JobEnder {
  const outcomes = new Outcomes(connection, keys, retentionSeconds);
  const closer = new JobCloser(outcomes, jobs, undefined, () => {});
  return async (jobId) => {
    const key = `${keys.queue}:${jobId}`;
    if (isAutomaticId(jobId) || (await connection.exists(`${key}:lock`)) === 1) return;
    const fields = ['name', 'data', 'timestamp', 'ats', 'stc', 'failedReason', 'finishedOn'];
    const [kind, text, timestamp, deliveries, deaths, failure, finishedOn] = await connection.hmget(key, ...fields);
    // Under a reused id lies the outcome of another job.
    if (kind == null || text == null || failure?.startsWith('JOB_ID_REUSED')) return;
    const { outcome, ...beginning } = await outcomes.begin(jobId, Number(timestamp), 0);
    // An outcome that expired is not contradicted.
    const isOld = finishedOn != null && beginning.nowMs - Number(finishedOn) > retentionSeconds * 500;
    if (outcome !== null || isOld) return;
    const numbers = { deliveries: Number(deliveries ?? 0), deaths: Number(deaths ?? 0) };
    const job = { jobId, kind, text, data: parseData(text), ...numbers };
    const reason = finishedOn == null ? removed : givenUp(failure ?? 'no outcome');
    await closer.end(deliveryOf(job, { outcome, ...beginning }, outcomes, jobs), reason);
  };
}

const removed: Reason = {
  code: 'JOB_CANCELLED',
  message: 'Cannot go on with job: found it removed by an operator, wanted to finish it',
};
