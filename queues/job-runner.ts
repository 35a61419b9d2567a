import { setTimeout as sleep } from 'node:timers/promises';
import { UnrecoverableError } from 'bullmq';
import { isAutomaticId, isUsableId, type Keys } from './catalog.ts';
import type { Connection } from './connection.ts';
import { type Delivery, deliveryOf } from './delivery.ts';
import { backoffMs, codeOfThrown, dispositionOf } from './disposition.ts';
import { type Envelope, givenUp, type Reason } from './envelope.ts';
import type { IntakeValve } from './intake-valve.ts';
import type { JobCloser } from './job-closer.ts';
import type { JobReader } from './job-reader.ts';
import { isBullSignal, LockedJob } from './locked-job.ts';
import type { Beginning, Outcomes } from './outcomes.ts';
import { QueueError, trimmedError } from './queue-error.ts';
import { namesOf, type OnQueueEvent } from './queue-event.ts';
import { redisFailure } from './redis-refusal.ts';
import { replay } from './replay.ts';
import { cancelled, type RunningJobs } from './running-jobs.ts';
import { supersede } from './supersede.ts';
import { type Pointer, type QueuedJob, textOf } from './tolerant-worker.ts';

/** The version of jobs that this consumer knows. */
const KNOWN_VERSION = 1;

/** Time before the deadline that is kept for giving a job up and publishing that, in milliseconds. */
const CLOSING_MS = 750;

/** A job that wakes this much before its time is not put back again, in milliseconds. */
const EARLY_MS = 50;

/** Deaths after which a job is suspected of killing its workers: a plain crash takes all jobs of a worker along, and most are innocent. */
const SUSPECT_DEATHS = 2;

/** How long a suspect waits before it begins, so that others fetched with it are put back first, in milliseconds. */
const SUSPECT_WAIT_MS = 250;

/** How long a job of a later version rests each time, as a share of how long it has waited, and at most in milliseconds: many of them must not fill log and queue. */
const PUT_BACK_SHARE = 0.1;
const MAX_PUT_BACK_MS = 10_000;

/** Works on a job: `ConsumerOptions.process`. */
export type Process = (delivery: Delivery, signal: AbortSignal) => Promise<Envelope | undefined>;

/** What a runner of jobs works with. */
export interface RunnerParts {
  process: Process;
  connection: Connection;
  keys: Keys;
  jobs: JobReader;
  outcomes: Outcomes;
  closer: JobCloser;
  valve: IntakeValve;
  running: RunningJobs;
  onEvent: OnQueueEvent;
  onError(error: unknown): void;
}

/** Takes a job that was fetched to its outcome, or puts it back: the way of one delivery. */
export class JobRunner {
  readonly #parts: RunnerParts;
  #suspect: string | undefined;

  constructor(parts: RunnerParts) {
    this.#parts = parts;
  }

  /** What BullMQ calls with each job: a fault of Redis here must not end the job, since its producer gave it one attempt only. */
  async work(job: QueuedJob, token: string): Promise<Pointer> {
    const locked = new LockedJob(job, token, this.#parts.connection, this.#parts.keys);
    try {
      return await this.#parts.valve.whenWritable(() => this.#begin(job, locked));
    } catch (error) {
      if (isBullSignal(error)) throw error;
      this.#parts.onError(error);
      return locked.delayBlindly();
    }
  }

  /** Publishes the `error` outcome of a job that BullMQ itself gave up. */
  async closeGivenUp(job: QueuedJob, error: Error): Promise<void> {
    const jobId = job.id ?? '';
    if (isAutomaticId(jobId)) return;
    const beginning = await this.#parts.outcomes.begin(jobId, job.timestamp, 0);
    if (beginning.outcome === null) await this.#end(this.#deliveryOf(job, beginning), givenUp(error.message));
  }

  async #begin(job: QueuedJob, locked: LockedJob): Promise<Pointer> {
    const { connection, keys, jobs, outcomes, onEvent } = this.#parts;
    const jobId = job.id ?? '';
    const { timeoutMs, version } = jobs.factsOf(job.name, job.data);
    const automatic = isAutomaticId(jobId);
    const beginning = await outcomes.begin(jobId, job.timestamp, automatic ? 0 : timeoutMs, true);
    const { outcome, takenAtMs, nowMs } = beginning;
    const delivery = this.#deliveryOf(job, beginning);
    if (automatic) return this.#refuseAutomatic(delivery);
    if (outcome !== null) return this.#pointer(jobId, await replay(delivery, outcome, takenAtMs, outcomes, onEvent));
    const waitMs = (beginning.dueMs ?? 0) - nowMs;
    // The clock of the worker that promoted it runs ahead of Redis'.
    if (waitMs > EARLY_MS) return locked.delay(waitMs, nowMs);
    onEvent({ event: 'taken', ...namesOf(delivery), waitedMs: Math.max(0, nowMs - takenAtMs) });
    if (!isUsableId(jobId)) return this.#end(delivery, unusableId);
    if (beginning.cancelled) return this.#end(delivery, cancelled);
    if (version !== undefined && version > KNOWN_VERSION) return this.#putBack(locked, delivery, version, nowMs);
    const ignored = await supersede(delivery, connection, keys, jobs);
    const heeded = ignored === null ? delivery : { ...delivery, ignored: [ignored] };
    if (delivery.deaths >= SUSPECT_DEATHS) return this.#runSuspect(locked, heeded, nowMs);
    return this.#run(locked, heeded);
  }

  async #run(locked: LockedJob, delivery: Delivery): Promise<Pointer> {
    const { running, valve, onEvent } = this.#parts;
    const { jobId } = delivery;
    let published: Envelope | undefined;
    const answered = Promise.withResolvers<void>();
    const publishNow = async (outcome: Envelope) => {
      const first = await this.#close(delivery, outcome);
      published ??= outcome;
      running.noteLate(jobId);
      answered.resolve();
      return first;
    };
    const announceLate: Delivery['announceLate'] = (entry) => valve.whenWritable(() => delivery.announceLate(entry));
    const working = running.run(delivery, (signal) =>
      this.#parts.process({ ...delivery, announceLate, publishNow }, signal),
    );
    await Promise.race([working, answered.promise]);
    // What goes on then is of use to later jobs alone: those that wait now get its slot.
    if (published !== undefined) return this.#pointer(jobId, published.verdict);
    const worked = await working;
    const { result: outcome, calledOff } = worked;
    const another = calledOff === 'PLATFORM_LOCK_LOST' || calledOff === 'PLATFORM_WORKER_STOPPING';
    // An error that work called off returns says only that it was called off: whoever takes the job next does better.
    if (outcome !== undefined && !(another && outcome.verdict === 'error')) {
      await this.#close(delivery, outcome);
      return this.#pointer(jobId, outcome.verdict);
    }
    if (calledOff === 'PLATFORM_LOCK_LOST') return locked.leave();
    if (calledOff === 'PLATFORM_WORKER_STOPPING') {
      return locked.handBack(() => onEvent({ event: 'handed-back', ...namesOf(delivery) }));
    }
    if (calledOff === 'JOB_CANCELLED') return this.#end(delivery, cancelled);
    return this.#dispose(locked, delivery, 'thrown' in worked ? worked.thrown : noOutcome);
  }

  /** Does with a job whose work threw what the error's code asks for. */
  async #dispose(locked: LockedJob, delivery: Delivery, given: unknown): Promise<Pointer> {
    const { outcomes, valve, onEvent } = this.#parts;
    // What Redis refused meanwhile is no fault of the job, whoever asked for it.
    const thrown = redisFailure(given, 'work on job') ?? given;
    const code = codeOfThrown(thrown);
    const { message } = trimmedError(thrown);
    if (dispositionOf(code) === 'retry') {
      const delayMs = backoffMs(delivery.delivery, retryAfterOf(thrown));
      if (Date.now() + delayMs < delivery.deadlineAtMs - CLOSING_MS) {
        onEvent({ event: 'retried', ...namesOf(delivery), code, message, delayMs });
        return valve.whenWritable(async () => locked.delay(delayMs, await outcomes.nowMs()));
      }
      return this.#end(delivery, { code, message });
    }
    const pointer = await this.#end(delivery, { code, message });
    // Buried where operators find it, with its evidence; its outcome is out.
    if (code.startsWith('DEFECT_')) throw new UnrecoverableError(`${code}: ${message}`);
    return pointer;
  }

  /** One suspect at a time: whichever kills the worker next does not take the other suspects along, which would be given up with it. */
  async #runSuspect(locked: LockedJob, delivery: Delivery, nowMs: number): Promise<Pointer> {
    if (this.#suspect !== undefined) return locked.delay(300 + Math.random() * 300, nowMs);
    this.#suspect = delivery.jobId;
    try {
      await sleep(SUSPECT_WAIT_MS);
      return await this.#run(locked, delivery);
    } finally {
      this.#suspect = undefined;
    }
  }

  async #putBack(locked: LockedJob, delivery: Delivery, version: number, nowMs: number): Promise<Pointer> {
    const leftMs = delivery.deadlineAtMs - Date.now() - CLOSING_MS;
    if (leftMs <= 0) {
      const message = `Cannot accept job at /version: found ${version} and no worker that knows it, wanted ${KNOWN_VERSION}`;
      return this.#end(delivery, { code: 'JOB_VERSION_UNSUPPORTED', message, pointer: '/version' });
    }
    // In the beginning a newer worker is about to start; after minutes of waiting some seconds more are nothing.
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

  /** An outcome that was paid for waits for room in Redis. */
  #close(delivery: Delivery, outcome: Envelope): Promise<boolean> {
    return this.#parts.valve.whenWritable(() => this.#parts.closer.close(delivery, outcome));
  }

  #pointer(jobId: string, verdict: string): Pointer {
    return { verdict, outcomeKey: this.#parts.keys.outcome(jobId) };
  }

  #deliveryOf(job: QueuedJob, beginning: Beginning): Delivery {
    const stored = {
      jobId: job.id ?? '',
      kind: job.name,
      text: textOf(job),
      data: job.data,
      deliveries: job.attemptsStarted,
      deaths: job.stalledCounter,
    };
    return deliveryOf(stored, beginning, this.#parts.outcomes, this.#parts.jobs);
  }
}

/** Why a job under an id that cannot be one ends. BullMQ's own clients refuse most of them, but a job may be written by hand. */
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
