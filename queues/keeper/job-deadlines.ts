import { emptyJob, storedJob } from '../jobs/stored-job.ts';
import { isAutomaticId, LONGEST_WAIT_MS, NO_TENANT } from '../redis/catalog.ts';
import { eachOf } from '../redis/each-of.ts';
import { unusableId } from '../running/job-runner.ts';
import { supersede } from '../running/supersede.ts';
import { closeJob } from './close-job.ts';
import type { KeeperOptions } from './keeper-options.ts';
import { mendJobs, putAsideUnnamable } from './mend-jobs.ts';

/** How far Redis' clock may be set back before earlier deadlines look written by hand, in milliseconds. */
const CLOCK_SLACK_MS = 60_000;

/** Jobs of one page of a list. Two pages are read in each step. */
const PAGE = 1_000;

/** Records the deadlines of jobs that no worker has taken yet, and those that were deleted. */
export class JobDeadlines {
  readonly #options: KeeperOptions;
  #page = 1;

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  /**
   * Records the deadlines of waiting jobs, delayed ones included: no worker may be free before they pass. BullMQ's
   * events name most of these jobs; for the others this reads the first page each time, and one further page in
   * turn.
   */
  async noteWaiting(): Promise<void> {
    const { connection, keys } = this.#options;
    let isMore = false;
    for (const page of [0, this.#page]) {
      const [first, last] = [page * PAGE, (page + 1) * PAGE - 1];
      const pages = await Promise.all([
        connection.lrange(`${keys.queue}:wait`, -last - 1, -first - 1),
        connection.zrange(`${keys.queue}:prioritized`, String(first), String(last)),
        // From the end: jobs that producers delayed come last; those that we delay come first and are recorded already.
        connection.zrevrange(`${keys.queue}:delayed`, first, last),
        connection.zrange(`${keys.queue}:waiting-children`, String(first), String(last)),
      ]);
      await this.note(pages.flat());
      isMore = pages.some((jobIds) => jobIds.length === PAGE);
    }
    this.#page = isMore ? this.#page + 1 : 1;
  }

  /** Records the deadlines of active jobs again, in case they were deleted. */
  async noteActive(): Promise<void> {
    const { connection, keys } = this.#options;
    const jobIds = await connection.lrange(`${keys.queue}:active`, 0, PAGE - 1);
    // A job that no worker can read stays active until its lock expires.
    await this.#mend(jobIds);
    await this.note(jobIds);
  }

  /** Records the deadlines of these jobs if none are recorded, and ends older jobs that they replace. */
  async note(candidates: readonly string[]): Promise<void> {
    const { connection, keys, jobs, outcomes, onError } = this.#options;
    const jobIds = candidates.filter((jobId) => !isAutomaticId(jobId));
    if (jobIds.length === 0) return;
    const deadlines = await connection.zmscore(keys.deadlines, ...jobIds);
    const missing = jobIds.filter((_, index) => deadlines[index] == null);
    await this.#mend(missing);
    const noteOne = async (jobId: string) => {
      const job = await storedJob(connection, keys, jobId);
      if (job === null) return;
      const { timeoutMs, tenant } = jobs.factsOf(job.kind, job.data);
      const beginning = await outcomes.begin(jobId, job.timestampMs, timeoutMs, { tenant: tenant ?? NO_TENANT });
      // The replaced job may hold the slot that this one waits for.
      const rawBytes = Buffer.byteLength(job.text);
      if (beginning.outcome === null && !beginning.cancelled)
        await supersede({ ...job, rawBytes }, connection, keys, jobs);
    };
    await eachOf(missing, noteOne, onError);
  }

  /**
   * Deletes deadlines later than any job may ask for: they were written by hand, and the job's own takes their place.
   */
  async forgetFar(): Promise<void> {
    const { connection, keys, outcomes, onEvent } = this.#options;
    const farMs = (await outcomes.nowMs()) + LONGEST_WAIT_MS + CLOCK_SLACK_MS;
    const deleted = await connection.zremrangebyscore(keys.deadlines, farMs, '+inf');
    if (deleted > 0)
      onEvent({
        event: 'mended',
        message: `Cannot keep ${deleted} deadlines: found them later than any job may ask for, wanted those of the jobs; they are recorded again`,
      });
  }

  async #mend(jobIds: readonly string[]): Promise<void> {
    const { connection, keys, onEvent } = this.#options;
    await mendJobs(connection, keys, jobIds, onEvent);
    // The replacement character: an id that is not UTF-8.
    if (!jobIds.some((jobId) => jobId.includes('\ufffd'))) return;
    for (const jobId of await putAsideUnnamable(connection, keys, onEvent))
      await closeJob(this.#options, emptyJob(jobId), unusableId);
  }
}
