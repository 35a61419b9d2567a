import { givenUp } from '../jobs/envelope.ts';
import { storedJob } from '../jobs/stored-job.ts';
import { isAutomaticId } from '../redis/catalog.ts';
import { eachOf } from '../redis/each-of.ts';
import { closeJob } from './close-job.ts';
import type { KeeperOptions } from './keeper-options.ts';

/** How often finished jobs are compared with outcomes, in milliseconds. */
const INTERVAL_MS = 10_000;

/** How far back each comparison after the first one looks, in milliseconds. */
const LOOK_BACK_MS = 600_000;

/** How long a job that failed for a reused id keeps that id taken, in milliseconds. */
const REUSED_ID_MS = 60_000;

/** Jobs of one step. */
const BATCH = 200;

/** Publishes an outcome for every job that BullMQ finished without one. */
export class Reconciler {
  readonly #options: KeeperOptions;
  #doneAtMs: number | undefined;

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  /**
   * Compares finished jobs with outcomes if the interval has passed. Looks back for half the retention at most, so that
   * an expired outcome is never contradicted. Stops early once aborted.
   */
  async reconcile(signal: AbortSignal): Promise<void> {
    const { connection, keys, queue, outcomes, retentionSeconds, onError } = this.#options;
    const nowMs = await outcomes.nowMs();
    if (this.#doneAtMs !== undefined && nowMs - this.#doneAtMs <= INTERVAL_MS) return;
    const keepMs = (retentionSeconds * 1_000) / 2;
    const backMs = this.#doneAtMs === undefined ? keepMs : Math.min(keepMs, LOOK_BACK_MS);
    for (const state of ['failed', 'completed'] as const) {
      const finished = `${keys.queue}:${state}`;
      for (let offset = 0; ; offset += BATCH) {
        const jobIds = await connection.zrangebyscore(finished, nowMs - backMs, '+inf', 'LIMIT', offset, BATCH);
        await eachOf(jobIds, (jobId) => this.#reconcileOne(jobId, nowMs), onError);
        if (jobIds.length < BATCH || signal.aborted) break;
      }
      // A producer may ask BullMQ to keep jobs for longer: they would outlive their outcomes.
      await queue.clean(keepMs, 1_000, state);
    }
    this.#doneAtMs = nowMs;
  }

  async #reconcileOne(jobId: string, nowMs: number): Promise<void> {
    const { connection, keys, queue } = this.#options;
    if (isAutomaticId(jobId)) return;
    const [reason, finishedOn] = await connection.hmget(`${keys.queue}:${jobId}`, 'failedReason', 'finishedOn');
    if (reason?.startsWith('JOB_ID_REUSED')) {
      // As long as it is kept, the outcome of the job that owns the id cannot be announced again.
      if (nowMs - Number(finishedOn) > REUSED_ID_MS) await queue.remove(jobId);
      return;
    }
    if ((await connection.strlen(keys.outcome(jobId))) > 0) return;
    const job = await storedJob(connection, keys, jobId);
    if (job !== null) await closeJob(this.#options, job, givenUp(reason ?? 'no outcome'));
  }
}
