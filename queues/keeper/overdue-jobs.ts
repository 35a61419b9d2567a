import type { IntakeKeeper } from '../intake/intake-keeper.ts';
import type { Reason } from '../jobs/envelope.ts';
import { storedJob } from '../jobs/stored-job.ts';
import { isAutomaticId } from '../redis/catalog.ts';
import { eachOf } from '../redis/each-of.ts';
import { isHeld } from '../running/disposition.ts';
import { closeJob } from './close-job.ts';
import type { JobDeadlines } from './job-deadlines.ts';
import type { KeeperOptions } from './keeper-options.ts';

/**
 * How long before its deadline a job without an outcome is closed, in milliseconds: early enough for the peer, and
 * later than a worker would close it.
 */
const AHEAD_MS = 100;

/** The shortest pause between two steps, in milliseconds. */
const MIN_PAUSE_MS = 100;

/** The longest pause between two steps, in milliseconds. */
const MAX_PAUSE_MS = 1_000;

/** Jobs of one step. */
const BATCH = 200;

/**
 * The reason for a job whose deadline passed: the fault that held it back, if an operator could have mended
 * that, else the deadline with that fault.
 */
function overdue(fault: Reason | null): Reason {
  if (fault !== null && isHeld(fault.code)) return fault;
  const message = 'Cannot finish job: found its deadline passed, wanted an outcome before';
  const cause = fault === null ? '' : ` (${fault.code}: ${fault.message})`;
  return { code: 'PLATFORM_DEADLINE', message: `${message}${cause}` };
}

/** Closes jobs and intake entries whose deadline passes without an outcome. */
export class OverdueJobs {
  readonly #options: KeeperOptions;
  readonly #deadlines: JobDeadlines;
  readonly #intake: IntakeKeeper;

  constructor(options: KeeperOptions, deadlines: JobDeadlines, intake: IntakeKeeper) {
    this.#options = options;
    this.#deadlines = deadlines;
    this.#intake = intake;
  }

  /**
   * Closes all that are due, or stops early once aborted. Resolves to the pause until the next deadline, in
   * milliseconds.
   */
  async close(signal: AbortSignal): Promise<number> {
    const { connection, keys, outcomes, onError } = this.#options;
    const untilMs = (await outcomes.nowMs()) + AHEAD_MS;
    await this.#deadlines.note(await this.#intake.close(untilMs, overdue(this.#heldBy))).catch(onError);
    for (let read = BATCH, failed = 0; read === BATCH && !signal.aborted; ) {
      const due = await connection.zrangebyscore(keys.deadlines, '-inf', untilMs, 'LIMIT', failed, BATCH);
      failed += await eachOf(due, (jobId) => this.#closeOne(jobId), onError);
      read = due.length;
    }
    const later = await connection.zrangebyscore(keys.deadlines, `(${untilMs}`, '(+inf', 'WITHSCORES', 'LIMIT', 0, 1);
    const deadlineMs = later[1] === undefined ? untilMs + MAX_PAUSE_MS : Number(later[1]);
    return Math.max(MIN_PAUSE_MS, Math.min(deadlineMs, this.#intake.nextMs) - untilMs);
  }

  get #heldBy(): Reason | null {
    return this.#options.heldBy?.() ?? null;
  }

  async #closeOne(jobId: string): Promise<void> {
    const { connection, keys, queue } = this.#options;
    const job = isAutomaticId(jobId) ? null : await storedJob(connection, keys, jobId);
    if (job !== null) await closeJob(this.#options, job, overdue(job.lastFault ?? this.#heldBy));
    // A job left in the queue would only be announced again. Its children have outcomes of their own to come.
    await queue.remove(jobId, { removeChildren: false }).catch(() => undefined);
    await connection.zrem(keys.deadlines, jobId);
  }
}
