import { IntakeEntries } from '../intake/intake-entries.ts';
import { IntakeKeeper } from '../intake/intake-keeper.ts';
import { storedJob } from '../jobs/stored-job.ts';
import { type Lease, Leases } from '../redis/lease.ts';
import { Repeated } from '../redis/repeated.ts';
import { unusableId } from '../running/job-runner.ts';
import { closeJob } from './close-job.ts';
import { promoteDue } from './delayed-jobs.ts';
import { EventReader } from './event-reader.ts';
import { JobDeadlines } from './job-deadlines.ts';
import type { KeeperOptions } from './keeper-options.ts';
import { LostJobs } from './lost-jobs.ts';
import { misplacedJobs, putAsideMisplaced, removeMisplaced } from './misplaced-jobs.ts';
import { OverdueJobs } from './overdue-jobs.ts';
import { Reconciler } from './reconciler.ts';

/** The longest pause between two steps, in milliseconds. */
const TICK_MS = 1_000;

/** How long a keeper that died blocks the next one, in milliseconds. */
const LEASE_MS = 4_000;

/**
 * Makes sure that every job gets an outcome, even if its worker dies. Every worker has a keeper; the one with the lease
 * closes jobs whose deadline passes, publishes for jobs that BullMQ failed, promotes delayed jobs by Redis' clock, puts
 * back jobs that are on no list, and announces the outcomes of jobs that BullMQ ignored as duplicates.
 */
export class Keeper {
  readonly #options: KeeperOptions;
  readonly #leases: Leases;
  readonly #intake: IntakeKeeper;
  readonly #deadlines: JobDeadlines;
  readonly #overdue: OverdueJobs;
  readonly #events: EventReader;
  readonly #lost: LostJobs;
  readonly #reconciler: Reconciler;
  readonly #closing: Repeated;
  readonly #looking: Repeated;
  readonly #closed = new AbortController();
  #lease: Lease | null = null;

  constructor(options: KeeperOptions) {
    this.#options = options;
    this.#leases = new Leases(options.connection, options.keys);
    this.#intake = new IntakeKeeper({ ...options, entries: new IntakeEntries(options) });
    this.#deadlines = new JobDeadlines(options);
    this.#overdue = new OverdueJobs(options, this.#deadlines, this.#intake);
    this.#events = new EventReader(options, this.#deadlines);
    this.#lost = new LostJobs(options);
    this.#reconciler = new Reconciler(options);
    // Deadlines have a loop of their own: the other steps may take longer than a job can wait.
    this.#closing = new Repeated(() => this.#closeInTime(), TICK_MS);
    this.#looking = new Repeated(() => this.#look(), TICK_MS);
  }

  /** Stops after the current steps and releases the lease. */
  async close(): Promise<void> {
    this.#closed.abort();
    await Promise.all([this.#closing.close(), this.#looking.close()]);
    if (this.#options.connection.status === 'ready') await this.#lease?.release().catch(() => undefined);
  }

  /** Resolves to the pause until the next deadline, in milliseconds. */
  async #closeInTime(): Promise<number> {
    try {
      if (this.#options.connection.status === 'ready' && (await this.#hasLease()))
        return await this.#overdue.close(this.#closed.signal);
    } catch (error) {
      this.#options.onError(error);
    }
    return TICK_MS;
  }

  /** Runs all other steps. One that fails does not stop the next. */
  async #look(): Promise<number> {
    const { connection, onError } = this.#options;
    if (connection.status !== 'ready' || this.#lease === null) return TICK_MS;
    await this.#makeRoom().catch(onError);
    await promoteDue(this.#options).catch(onError);
    await this.#options.turns.lower().catch(onError);
    // The worker that began to give them may have died.
    await this.#options.turns.giveTurns().catch(onError);
    await this.#intake.look().catch(onError);
    await this.#events.read(this.#closed.signal).catch(onError);
    await this.#deadlines.forgetFar().catch(onError);
    await this.#deadlines.noteWaiting().catch(onError);
    await this.#deadlines.noteActive().catch(onError);
    await this.#lost.look().catch(onError);
    this.#closing.wake();
    await this.#reconciler.reconcile(this.#closed.signal).catch(onError);
    return TICK_MS;
  }

  async #hasLease(): Promise<boolean> {
    if (this.#lease !== null && (await this.#lease.renew())) return true;
    this.#intake.forget();
    this.#lease = await this.#leases.acquire('keeper', LEASE_MS);
    if (this.#lease !== null) this.#looking.wake();
    return this.#lease !== null;
  }

  /**
   * Ends and removes jobs stored under one of BullMQ's keys. This comes first: little else works with such
   * a job there.
   */
  async #makeRoom(): Promise<void> {
    const { connection, keys, outcomes, onEvent } = this.#options;
    const timestampMs = await outcomes.nowMs();
    for (const jobId of await misplacedJobs(connection, keys)) {
      const job = await storedJob(connection, keys, jobId);
      // The stream that tells when the job was added may be the key whose place it took.
      if (job !== null) await closeJob(this.#options, { ...job, timestampMs }, unusableId);
      await removeMisplaced(connection, keys, jobId);
    }
    await putAsideMisplaced(connection, keys, onEvent);
  }
}
