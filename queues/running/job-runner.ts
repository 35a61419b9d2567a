import { setTimeout as sleep } from 'node:timers/promises';
import { UnrecoverableError } from 'bullmq';
import { type Delivery, deliveryOf } from '../jobs/delivery.ts';
import { type Envelope, givenUp, type Reason } from '../jobs/envelope.ts';
import type { JobCloser } from '../jobs/job-closer.ts';
import type { JobReader } from '../jobs/job-reader.ts';
import type { Beginning, Outcomes } from '../jobs/outcomes.ts';
import { replay } from '../jobs/replay.ts';
import { faultIn } from '../jobs/stored-job.ts';
import { traceparentIn } from '../jobs/trace-context.ts';
import type { Turns } from '../jobs/turns.ts';
import { isAutomaticId, isUsableId, type Keys, NO_TENANT } from '../redis/catalog.ts';
import type { Connection } from '../redis/connection.ts';
import { QueueError, trimmedError } from '../redis/queue-error.ts';
import { namesOf, type OnQueueEvent } from '../redis/queue-event.ts';
import { redisFailure } from '../redis/redis-refusal.ts';
import { backoffMs, codeOfThrown, dispositionOf, isHeld } from './disposition.ts';
import type { IntakeValve } from './intake-valve.ts';
import { isBullSignal, LockedJob } from './locked-job.ts';
import { cancelled, type RunningJobs } from './running-jobs.ts';
import { supersede } from './supersede.ts';
import { type Pointer, type QueuedJob, textOf } from './tolerant-worker.ts';

/** The job version that this consumer supports. */
const KNOWN_VERSION = 1;

/** Time reserved before the deadline for ending a job and publishing that, in milliseconds. */
const CLOSING_MS = 750;

/** A job that comes back this much too early is not delayed again, in milliseconds. */
const EARLY_MS = 50;

/** Worker deaths after which a job is a suspect. A crash takes all jobs of a worker with it, and most are innocent. */
const SUSPECT_DEATHS = 2;

/** How long a suspect waits before it runs, so that others fetched with it are put back first, in milliseconds. */
const SUSPECT_WAIT_MS = 250;

/**
 * The delay of a job with a later version: a share of how long it has waited, and a maximum in milliseconds. Many such
 * jobs must not fill log and queue.
 */
const PUT_BACK_SHARE = 0.1;
const MAX_PUT_BACK_MS = 10_000;

/** Processes a job: `ConsumerOptions.process`. */
export type Process = (delivery: Delivery, signal: AbortSignal) => Promise<Envelope | undefined>;

/** What a job runner works with. */
export interface RunnerParts {
  process: Process;
  connection: Connection;
  keys: Keys;
  jobs: JobReader;
  outcomes: Outcomes;
  closer: JobCloser;
  turns: Turns;
  valve: IntakeValve;
  running: RunningJobs;
  onDelivery(delivery: Delivery): void;
  onEvent: OnQueueEvent;
  onError(error: unknown): void;
}

/** Runs one delivery of a job: up to its outcome, or until it is put back. */
export class JobRunner {
  readonly #parts: RunnerParts;
  #runsSuspect = false;

  constructor(parts: RunnerParts) {
    this.#parts = parts;
  }

  /** BullMQ calls this with each job. A fault of Redis must not end the job, since it has one attempt only. */
  async work(job: QueuedJob, token: string): Promise<Pointer> {
    const locked = new LockedJob(job, token, this.#parts);
    try {
      return await this.#parts.valve.whenWritable(() => this.#begin(job, locked));
    } catch (error) {
      if (isBullSignal(error)) throw error;
      this.#parts.onError(error);
      return locked.delayBlindly();
    }
  }

  /** Publishes the `error` outcome of a job that BullMQ itself failed. */
  async closeGivenUp(job: QueuedJob, error: Error): Promise<void> {
    const jobId = job.id ?? '';
    if (isAutomaticId(jobId)) return;
    const beginning = await this.#parts.outcomes.begin(jobId, job.timestamp, 0);
    if (beginning.outcome === null) await this.#end(this.#deliveryOf(job, beginning), givenUp(error.message));
  }

  async #begin(job: QueuedJob, locked: LockedJob): Promise<Pointer> {
    const { connection, keys, jobs, outcomes, onEvent } = this.#parts;
    const jobId = job.id ?? '';
    const { timeoutMs, tenant, version } = jobs.factsOf(job.name, job.data);
    const isAutomatic = isAutomaticId(jobId);
    const hand = { tenant: tenant ?? NO_TENANT, isInHand: true };
    const beginning = await outcomes.begin(jobId, job.timestamp, isAutomatic ? 0 : timeoutMs, hand);
    const { outcome, takenAtMs, nowMs } = beginning;
    const lastFault =
      job.attemptsStarted > 1 ? faultIn(await connection.hget(`${keys.queue}:${jobId}`, 'lastFault')) : null;
    const delivery = this.#deliveryOf(job, beginning, lastFault);
    if (isAutomatic) return this.#refuseAutomatic(delivery);
    if (outcome !== null) return this.#pointer(jobId, await replay(delivery, outcome, takenAtMs, outcomes, onEvent));
    const waitMs = (beginning.dueMs ?? 0) - nowMs;
    // It comes too early if the clock of the worker that promoted it is ahead of Redis'.
    if (waitMs > EARLY_MS) return locked.delay(waitMs, nowMs);
    this.#parts.onDelivery(delivery);
    onEvent({ event: 'taken', ...namesOf(delivery), waitedMs: Math.max(0, nowMs - takenAtMs) });
    if (!isUsableId(jobId)) return this.#end(delivery, unusableId);
    if (beginning.cancelled) return this.#end(delivery, cancelled);
    if (version !== undefined && version > KNOWN_VERSION) return this.#putBack(locked, delivery, version, nowMs);
    const ignored = await supersede(delivery, connection, keys, jobs);
    const accepted = ignored === null ? delivery : { ...delivery, ignored: [ignored] };
    if (delivery.deaths >= SUSPECT_DEATHS) return this.#runSuspect(locked, accepted, nowMs);
    return this.#run(locked, accepted);
  }

  async #run(locked: LockedJob, delivery: Delivery): Promise<Pointer> {
    const { running, valve, onEvent } = this.#parts;
    const { jobId } = delivery;
    let published: Envelope | undefined;
    const publishedEarly = Promise.withResolvers<void>();
    const publishNow = async (outcome: Envelope) => {
      const first = await this.#close(delivery, outcome);
      published ??= outcome;
      running.noteLate(jobId);
      publishedEarly.resolve();
      return first;
    };
    const announceLate: Delivery['announceLate'] = (entry) => valve.whenWritable(() => delivery.announceLate(entry));
    const processing = running.run(delivery, (signal) =>
      this.#parts.process({ ...delivery, announceLate, publishNow }, signal),
    );
    await Promise.race([processing, publishedEarly.promise]);
    // Late work helps only later jobs, so waiting jobs get the slot now.
    if (published !== undefined) return this.#pointer(jobId, published.verdict);
    const processed = await processing;
    const { result: outcome, abortedBy } = processed;
    const isTakenOver = abortedBy === 'PLATFORM_LOCK_LOST' || abortedBy === 'PLATFORM_WORKER_STOPPING';
    // An aborted process reports only that it was aborted: the next worker will do better.
    if (outcome !== undefined && !(isTakenOver && outcome.verdict === 'error')) {
      await this.#close(delivery, outcome);
      return this.#pointer(jobId, outcome.verdict);
    }
    if (abortedBy === 'PLATFORM_LOCK_LOST') return locked.leave();
    if (abortedBy === 'PLATFORM_WORKER_STOPPING') {
      return locked.handBack(() => onEvent({ event: 'handed-back', ...namesOf(delivery) }));
    }
    if (abortedBy === 'JOB_CANCELLED') return this.#end(delivery, cancelled);
    return this.#dispose(locked, delivery, 'thrown' in processed ? processed.thrown : noOutcome);
  }

  /** Retries or ends a job whose processing threw, by the error's code. */
  async #dispose(locked: LockedJob, delivery: Delivery, error: unknown): Promise<Pointer> {
    const { outcomes, valve, onEvent } = this.#parts;
    // A refusal by Redis is never the job's fault.
    const thrown = redisFailure(error, 'process job') ?? error;
    const code = codeOfThrown(thrown);
    const { message } = trimmedError(thrown);
    if (dispositionOf(code) === 'retry') {
      const leftMs = delivery.deadlineAtMs - CLOSING_MS - Date.now();
      const delayMs = isHeld(code)
        ? Math.min(backoffMs(delivery.delivery, undefined), leftMs - 1)
        : backoffMs(delivery.delivery, retryAfterOf(thrown));
      if (delayMs >= 0 && delayMs < leftMs) {
        onEvent({ event: 'retried', ...namesOf(delivery), code, message, delayMs });
        return valve.whenWritable(async () => locked.delay(delayMs, await outcomes.nowMs(), { code, message }));
      }
      return this.#end(delivery, { code, message });
    }
    const pointer = await this.#end(delivery, { code, message });
    // Operators find the failed job with its data; its outcome is published.
    if (code.startsWith('DEFECT_')) throw new UnrecoverableError(`${code}: ${message}`);
    return pointer;
  }

  /** Runs one suspect at a time: the one that kills the worker must not take the others with it. */
  async #runSuspect(locked: LockedJob, delivery: Delivery, nowMs: number): Promise<Pointer> {
    if (this.#runsSuspect) return locked.delay(300 + Math.random() * 300, nowMs);
    this.#runsSuspect = true;
    try {
      await sleep(SUSPECT_WAIT_MS);
      return await this.#run(locked, delivery);
    } finally {
      this.#runsSuspect = false;
    }
  }

  async #putBack(locked: LockedJob, delivery: Delivery, version: number, nowMs: number): Promise<Pointer> {
    const leftMs = delivery.deadlineAtMs - Date.now() - CLOSING_MS;
    if (leftMs <= 0) {
      const message = `Cannot accept job at /version: found ${version} and no worker that knows it, wanted ${KNOWN_VERSION}`;
      return this.#end(delivery, { code: 'JOB_VERSION_UNSUPPORTED', message, pointer: '/version' });
    }
    // At first a newer worker may be about to start; after minutes of waiting, some more seconds do not matter.
    const waitedMs = Math.max(0, Date.now() - delivery.takenAtMs);
    const pauseMs = 500 + Math.random() * 500 + Math.min(waitedMs * PUT_BACK_SHARE, MAX_PUT_BACK_MS);
    const delayMs = Math.min(pauseMs, leftMs);
    this.#parts.onEvent({ event: 'put-back', ...namesOf(delivery), delayMs: Math.round(delayMs) });
    return locked.delay(delayMs, nowMs);
  }

  async #refuseAutomatic(delivery: Delivery): Promise<never> {
    const { outcomes, closer, onEvent } = this.#parts;
    const { jobId, replyTo } = delivery;
    const message = `Cannot accept job: found the automatic id ${jobId}, wanted one of the producer's own`;
    const outcome = await closer.make(delivery, { code: 'JOB_ID_MISSING', message });
    await outcomes.announce(outcome, { jobId, replyTo }, false);
    onEvent({ event: 'refused', ...namesOf(delivery), code: 'JOB_ID_MISSING' });
    throw new UnrecoverableError(`JOB_ID_MISSING: ${message}`);
  }

  async #end(delivery: Delivery, reason: Reason): Promise<Pointer> {
    const { valve, closer } = this.#parts;
    const { verdict } = await valve.whenWritable(() => closer.end(delivery, reason));
    return this.#pointer(delivery.jobId, verdict);
  }

  /** Waits for room in Redis: the outcome has cost tokens. */
  #close(delivery: Delivery, outcome: Envelope): Promise<boolean> {
    return this.#parts.valve.whenWritable(() => this.#parts.closer.close(delivery, outcome));
  }

  #pointer(jobId: string, verdict: string): Pointer {
    return { verdict, outcomeKey: this.#parts.keys.outcome(jobId) };
  }

  #deliveryOf(job: QueuedJob, beginning: Beginning, lastFault: Reason | null = null): Delivery {
    const stored = {
      jobId: job.id ?? '',
      kind: job.name,
      text: textOf(job),
      data: job.data,
      deliveries: job.attemptsStarted,
      deaths: job.stalledCounter,
      traceparent: traceparentIn(job.opts.telemetry?.metadata),
      lastFault,
    };
    return deliveryOf(stored, beginning, this.#parts.outcomes, this.#parts.jobs);
  }
}

/**
 * The reason for a job with an unusable id. BullMQ's clients refuse most such ids, but a job may be written by hand.
 */
export const unusableId: Reason = {
  code: 'JOB_ID_INVALID',
  message:
    'Cannot accept job: its id is a number, a name of a key of BullMQ\'s own, holds ":" or is too long, wanted 1 to 200 characters of another kind',
};

const noOutcome = new QueueError('DEFECT_NO_OUTCOME', 'Cannot publish outcome: found none, wanted one for the job');

function retryAfterOf(thrown: unknown): number | undefined {
  const given =
    typeof thrown === 'object' && thrown !== null && 'retryAfterMs' in thrown ? thrown.retryAfterMs : undefined;
  return typeof given === 'number' && Number.isFinite(given) ? given : undefined;
}
