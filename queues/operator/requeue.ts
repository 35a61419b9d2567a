import type { Queue } from 'bullmq';
import { type EndedJob, endedJobs } from '../jobs/ended-jobs.ts';
import { jobIdOf } from '../jobs/job-id.ts';
import type { Keys } from '../redis/catalog.ts';
import type { Connection } from '../redis/connection.ts';
import { eachOf } from '../redis/each-of.ts';
import { isObject, jsonOf } from '../redis/json-text.ts';
import { QueueError } from '../redis/queue-error.ts';

/** Ended jobs that are looked at. */
const MOST_LOOKED_AT = 100_000;

/** Where a job's data are kept after it ended. */
export interface SubmittedJobs {
  /** The kind and the JSON text of the data; `null` if they are no longer kept. */
  submittedOf(jobId: string): Promise<{ kind: string; text: string } | null>;
}

/** Which ended jobs to requeue. */
export interface RequeueFilter {
  /** One of the codes of the outcome. */
  code: string;
  /** Jobs that ended at that time or later, in milliseconds since 1970 by Redis' clock. */
  sinceMs: number;
  tenant?: string;
}

/** What became of jobs that were to be requeued. */
export interface Requeued {
  /** Each as a new job, since an outcome is final. */
  requeued: { jobId: string; newJobId: string }[];
  /** Jobs that were requeued before. */
  already: string[];
  /** Jobs whose data are not kept, or are not an object. */
  notKept: string[];
}

/** The jobs that ended with a code, the oldest first, so that they are requeued in their order. */
export async function endedWith(
  connection: Connection,
  keys: Keys,
  { code, sinceMs, tenant }: RequeueFilter,
): Promise<EndedJob[]> {
  const found = new Map<string, EndedJob>();
  let looked = 0;
  for await (const job of endedJobs(connection, keys, sinceMs)) {
    looked += 1;
    if (looked > MOST_LOOKED_AT) break;
    if (job.codes.includes(code) && (tenant === undefined || job.tenant === tenant) && !found.has(job.jobId))
      found.set(job.jobId, job);
  }
  return [...found.values()].reverse();
}

/**
 * Data with `attempt` one higher: another job, of the same negotiation. `null` if the data are not an object.
 */
export function nextAttempt(data: unknown): Record<string, unknown> | null {
  if (!isObject(data)) return null;
  const before = Number.isSafeInteger(data.attempt) ? Number(data.attempt) : 0;
  return { ...data, attempt: Math.max(0, before) + 1 };
}

/** Attempts that are tried out: a thousand submissions of the same data by hand are a loop. */
const MOST_ATTEMPTS = 1_000;

/**
 * Data with the lowest `attempt` above theirs that no job has. Rejects with `JOB_INVALID` if they are not an
 * object, or if a thousand attempts are taken.
 */
export async function newAttemptOf(
  kind: string,
  data: unknown,
  connection: Connection,
  keys: Keys,
): Promise<Record<string, unknown>> {
  let again = nextAttempt(data);
  for (let tried = 0; again !== null && tried < MOST_ATTEMPTS; tried += 1) {
    const jobIds = [jobIdOf(again), `${jobIdOf(again)}-${kind}`];
    const taken = jobIds.flatMap((jobId) => [`${keys.queue}:${jobId}`, keys.outcome(jobId)]);
    if ((await connection.exists(...taken)) === 0) return again;
    again = nextAttempt(again);
  }
  const found = again === null ? 'data that are not an object' : `${MOST_ATTEMPTS} attempts taken`;
  throw new QueueError('JOB_INVALID', `Cannot submit job again: found ${found}, wanted an object and a free attempt`);
}

/**
 * Puts ended jobs on the queue again, each as a new job with the same data but an `attempt` one higher, under the
 * recommended id. Its id depends on the data alone, so that a job that is requeued twice, even at the same time, is
 * one new job.
 */
export async function requeueEnded(
  jobIds: readonly string[],
  submitted: SubmittedJobs,
  queue: Queue,
  connection: Connection,
  keys: Keys,
): Promise<Requeued> {
  const done: Requeued = { requeued: [], already: [], notKept: [] };
  const putOne = async (jobId: string) => {
    const kept = await submitted.submittedOf(jobId);
    const again = kept === null ? null : nextAttempt(jsonOf(kept.text));
    if (kept === null || again === null) return void done.notKept.push(jobId);
    const newJobId = jobIdOf(again);
    const isKnown = (await connection.exists(`${keys.queue}:${newJobId}`, keys.outcome(newJobId))) > 0;
    if (isKnown) return void done.already.push(jobId);
    await queue.add(kept.kind, again, { jobId: newJobId, attempts: 1 });
    done.requeued.push({ jobId, newJobId });
  };
  const failures: unknown[] = [];
  await eachOf(jobIds, putOne, (error) => failures.push(error));
  if (failures.length > 0) throw failures[0];
  return done;
}
