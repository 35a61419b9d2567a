import { setTimeout as sleep } from 'node:timers/promises';
import { DelayedError, MetricsTime, Queue, UnrecoverableError, WaitingError } from 'bullmq';
import { CANCEL_SECONDS, DEFAULT_RETENTION_SECONDS, isAutomaticId, type Keys, keysOf, QUEUE_NAME } from './catalog.ts';
import { type Connection, connect, disconnect, redisFailure, whenReady } from './connection.ts';
import { type Delivery, deliveryOf } from './delivery.ts';
import { backoffMs, codeOfThrown, dispositionOf } from './disposition.ts';
import { type Envelope, givenUp, isClosedByReader, type Reason, readEnvelope } from './envelope.ts';
import { IntakeBridge } from './intake-bridge.ts';
import { IntakeValve, isUnwritable } from './intake-valve.ts';
import { type GiveUp, JobCloser } from './job-closer.ts';
import { Keeper } from './keeper.ts';
import { type Beginning, Outcomes } from './outcomes.ts';
import { QueueError, trimmedError } from './queue-error.ts';
import { ErrorSummary, type OnQueueEvent, type QueueEvent } from './queue-event.ts';
import { readJob, timeoutOf, versionOf } from './read-job.ts';
import { type Pointer, type QueuedJob, TolerantWorker, textOf } from './tolerant-worker.ts';

/** The version of jobs that this consumer knows. */
const KNOWN_VERSION = 1;

/** Time before the deadline that is kept for giving a job up and publishing that, in milliseconds. */
const CLOSING_MS = 750;

/** How often the keys that cancel running jobs are looked at, in milliseconds. */
const CANCEL_WATCH_MS = 250;

/** How long work that was called off may take to settle before the queue goes on without it, in milliseconds. */
const SETTLE_MS = 1_500;

/** A job that wakes this much before its time is not put back again, in milliseconds. */
const EARLY_MS = 50;

/** Deaths after which a job is suspected of killing its workers: a plain crash takes all jobs of a worker along, and most are innocent. */
const SUSPECT_DEATHS = 2;

/** How long a suspect waits before it begins, so that others fetched with it are put back first, in milliseconds. */
const SUSPECT_WAIT_MS = 250;

/** How to consume the queue. */
export interface ConsumerOptions {
  url: string;
  prefix?: string;
  /** Jobs worked on at once; default 10. */
  concurrency?: number;
  retentionSeconds?: number;
  /** How long a dead worker's job stays locked; default 15,000. */
  lockDurationMs?: number;
  /** How often jobs of dead workers are looked for; default 5,000. */
  stalledIntervalMs?: number;
  /** Deaths that a job may cause; at the next it is given up. Default 3. */
  maxDeaths?: number;
  /** Name of this worker, as operators see it. */
  name?: string;
  /** Whether jobs are taken from the intake stream too; default yes. */
  intake?: boolean;
  /**
   * Works on a job and resolves to its outcome, or to `undefined` where `delivery.publish` was called. The signal fires when the job was cancelled
   * (reason: code `JOB_CANCELLED`), when another worker may have it (`PLATFORM_LOCK_LOST`) and when this worker is stopped (`PLATFORM_WORKER_STOPPING`).
   * A rejection whose code begins with `PLATFORM_` brings the job back later within its deadline (honouring `retryAfterMs`); any other is final.
   */
  process(delivery: Delivery, signal: AbortSignal): Promise<Envelope | undefined>;
  /** Makes the `error` outcome of a job that ends without a verdict; default: `errorEnvelope`. */
  giveUp?: GiveUp;
  onEvent?: OnQueueEvent;
}

/** How a consumer is doing. */
export interface ConsumerHealth {
  /** Whether both connections to Redis are up. */
  connected: boolean;
  /** Why no jobs are fetched; empty while they are. */
  paused: string[];
  running: number;
  concurrency: number;
  /** Time since Redis last answered the asking for work; beyond 30 s with free capacity and no pause the worker is stuck. */
  sinceFetchMs: number;
  closing: boolean;
}

/** A running consumer. */
export interface Consumer {
  /** Resolves when both connections are up and jobs are being fetched. Rejects with `PLATFORM_REDIS_UNREACHABLE` after the time given, in milliseconds. */
  ready(withinMs?: number): Promise<void>;
  health(): ConsumerHealth;
  /** Fetches no more jobs on this worker until `resume` with the same reason; jobs that run go on. */
  pause(reason: string): Promise<void>;
  resume(reason: string): Promise<void>;
  /** Stops fetching, lets running jobs end for `drainMs` (default 30,000), then hands the rest back to the queue, and disconnects. */
  close(options?: { drainMs?: number }): Promise<void>;
}

/** Starts consuming the queue. */
export function createConsumer(options: ConsumerOptions): Consumer {
  return new QueueConsumer(options);
}

interface RunningJob {
  controller: AbortController;
}

type Abortion = 'JOB_CANCELLED' | 'PLATFORM_LOCK_LOST' | 'PLATFORM_WORKER_STOPPING';

class QueueConsumer implements Consumer {
  readonly #options: ConsumerOptions;
  readonly #connection: Connection;
  readonly #keys: Keys;
  readonly #outcomes: Outcomes;
  readonly #closer: JobCloser;
  readonly #worker: TolerantWorker;
  readonly #queue: Queue;
  readonly #valve: IntakeValve;
  readonly #keeper: Keeper;
  readonly #bridge: IntakeBridge | undefined;
  readonly #errors: ErrorSummary;
  readonly #running = new Map<string, RunningJob>();
  readonly #cancelWatch: NodeJS.Timeout;
  #suspect: string | undefined;
  #blocking: { status: string } | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: ConsumerOptions) {
    const { url, prefix, concurrency = 10, retentionSeconds = DEFAULT_RETENTION_SECONDS } = options;
    const onEvent: OnQueueEvent = (event) => this.#emit(event);
    this.#options = options;
    this.#errors = new ErrorSummary(onEvent);
    this.#keys = keysOf(prefix);
    this.#connection = connect(url, 'worker', (error) => this.#errors.note(error));
    this.#outcomes = new Outcomes(this.#connection, this.#keys, retentionSeconds);
    this.#closer = new JobCloser(this.#outcomes, options.giveUp, onEvent);
    const shared = { connection: this.#connection, prefix: this.#keys.prefix };
    this.#queue = new Queue(QUEUE_NAME, { ...shared, streams: { events: { maxLen: 1_000 } } });
    this.#queue.on('error', (error) => this.#errors.note(trimmedError(error)));
    this.#worker = new TolerantWorker(QUEUE_NAME, (job, token) => this.#work(job, token ?? ''), {
      ...shared,
      concurrency,
      lockDuration: options.lockDurationMs ?? 15_000,
      stalledInterval: options.stalledIntervalMs ?? 5_000,
      maxStalledCount: options.maxDeaths ?? 3,
      // A kept job would make BullMQ ignore a later job of its id, and neither a replay nor a reused id could be answered.
      removeOnComplete: { count: 0 },
      removeOnFail: { age: Math.floor(retentionSeconds / 2), count: 10_000 },
      metrics: { maxDataPoints: MetricsTime.ONE_WEEK },
      runRetryDelay: 1_000,
      ...(options.name === undefined ? {} : { name: options.name }),
    });
    this.#valve = new IntakeValve(this.#worker, this.#connection, this.#keys, onEvent);
    this.#worker.on('error', (error) => this.#noteError(error));
    this.#worker.once('ready', () => {
      this.#worker.getBackend().blockingClient?.then(
        (client) => {
          this.#blocking = client;
        },
        (error: unknown) => this.#noteError(error),
      );
    });
    this.#worker.on('stalled', (jobId) => this.#emit({ event: 'stalled', jobId }));
    this.#worker.on('lockRenewalFailed', (jobIds) => {
      for (const jobId of jobIds) this.#abort(jobId, 'PLATFORM_LOCK_LOST');
    });
    this.#worker.on('failed', (job, error) => {
      // Only what BullMQ gave up by itself comes here without an outcome.
      if (job?.deferredFailure !== undefined) this.#closeGivenUp(job, error).catch((fault) => this.#noteError(fault));
    });
    this.#keeper = new Keeper({
      connection: this.#connection,
      keys: this.#keys,
      outcomes: this.#outcomes,
      closer: this.#closer,
      queue: this.#queue,
      retentionSeconds,
      onError: (error) => this.#noteError(error),
      onEvent,
    });
    if (options.intake !== false) {
      this.#bridge = new IntakeBridge({
        url,
        keys: this.#keys,
        queue: this.#queue,
        connection: this.#connection,
        onError: (error) => this.#noteError(error),
        onEvent,
      });
    }
    this.#cancelWatch = setInterval(() => this.#watchCancellations(), CANCEL_WATCH_MS);
    this.#cancelWatch.unref();
  }

  async ready(withinMs = 10_000): Promise<void> {
    await whenReady(this.#connection, withinMs);
    await this.#worker.waitUntilReady();
  }

  health(): ConsumerHealth {
    return {
      connected: this.#connection.status === 'ready' && this.#blocking?.status === 'ready',
      paused: this.#valve.reasons,
      running: this.#running.size,
      concurrency: this.#worker.concurrency,
      sinceFetchMs: Math.round(performance.now() - this.#worker.lastFetchAtMs),
      closing: this.#closing !== undefined,
    };
  }

  pause(reason: string): Promise<void> {
    return this.#valve.shut(reason);
  }

  resume(reason: string): Promise<void> {
    return this.#valve.open(reason);
  }

  close({ drainMs = 30_000 }: { drainMs?: number } = {}): Promise<void> {
    this.#closing ??= this.#drain(drainMs);
    return this.#closing;
  }

  async #drain(drainMs: number): Promise<void> {
    this.#valve.close();
    const ended = Promise.allSettled([this.#worker.close(), this.#keeper.close(), this.#bridge?.close()]);
    const handBack = setTimeout(() => {
      for (const jobId of this.#running.keys()) this.#abort(jobId, 'PLATFORM_WORKER_STOPPING');
    }, drainMs);
    if ((await Promise.race([ended, this.#cutOff(drainMs)])) === 'cut off') {
      this.#connection.disconnect();
      await this.#worker.abandon().catch((error: unknown) => this.#noteError(error));
    }
    clearTimeout(handBack);
    clearInterval(this.#cancelWatch);
    await this.#queue.close().catch(() => undefined);
    await disconnect(this.#connection);
  }

  /** Without Redis nothing can be handed back: the locks run out, and the jobs go to others. Resolves when waiting for it is of no use any more. */
  async #cutOff(drainMs: number): Promise<'cut off'> {
    const leaveAtMs = performance.now() + drainMs + SETTLE_MS + 5_000;
    let idleSinceMs = performance.now();
    for (;;) {
      await sleep(100, undefined, { ref: false });
      const nowMs = performance.now();
      if (this.#connection.status === 'ready' || this.#running.size > 0) idleSinceMs = nowMs;
      if (nowMs > leaveAtMs || nowMs - idleSinceMs > SETTLE_MS) return 'cut off';
    }
  }

  /** What BullMQ calls with each job: a fault of Redis here must not end the job, since its producer gave it one attempt only. */
  async #work(job: QueuedJob, token: string): Promise<Pointer> {
    try {
      return await this.#begin(job, token);
    } catch (error) {
      if (isBullSignal(error)) throw error;
      this.#noteError(error);
      try {
        await job.moveToDelayed(Date.now() + 1_000, token);
      } catch {
        // It stays active without a lock, and is found as stalled.
      }
      throw new DelayedError();
    }
  }

  async #begin(job: QueuedJob, token: string): Promise<Pointer> {
    const jobId = job.id ?? '';
    const automatic = isAutomaticId(jobId);
    const beginning = await this.#outcomes.begin(jobId, job.timestamp, automatic ? 0 : timeoutOf(job.data));
    const delivery = this.#deliveryOf(job, beginning);
    if (automatic) return this.#refuseAutomatic(delivery);
    if (beginning.outcome !== null) return this.#replay(delivery, beginning.outcome, beginning.takenAtMs);
    const waitMs = (beginning.dueMs ?? 0) - beginning.nowMs;
    // The clock of the worker that promoted it runs ahead of Redis'.
    if (waitMs > EARLY_MS) return this.#moveToDelayed(job, token, waitMs, beginning.nowMs);
    this.#emit({ event: 'taken', jobId, kind: job.name, waitedMs: Math.max(0, beginning.nowMs - beginning.takenAtMs) });
    if (beginning.cancelled) return this.#end(delivery, cancelled);
    const version = versionOf(job.data);
    if (version !== undefined && version > KNOWN_VERSION) {
      return this.#putBack(job, token, delivery, version, beginning.nowMs);
    }
    await this.#supersede(delivery);
    if (delivery.deaths >= SUSPECT_DEATHS) return this.#runSuspect(job, token, delivery, beginning.nowMs);
    return this.#run(job, token, delivery);
  }

  /** One suspect at a time: whichever kills the worker next does not take the other suspects along, which would be given up with it. */
  async #runSuspect(job: QueuedJob, token: string, delivery: Delivery, nowMs: number): Promise<Pointer> {
    if (this.#suspect !== undefined) return this.#moveToDelayed(job, token, 300 + Math.random() * 300, nowMs);
    this.#suspect = delivery.jobId;
    try {
      await sleep(SUSPECT_WAIT_MS);
      return await this.#run(job, token, delivery);
    } finally {
      this.#suspect = undefined;
    }
  }

  async #putBack(job: QueuedJob, token: string, delivery: Delivery, version: number, nowMs: number): Promise<Pointer> {
    const leftMs = delivery.deadlineAtMs - Date.now() - CLOSING_MS;
    if (leftMs <= 0) {
      const message = `Cannot accept job at /version: found ${version} and no worker that knows it, wanted ${KNOWN_VERSION}`;
      return this.#end(delivery, { code: 'JOB_VERSION_UNSUPPORTED', message });
    }
    const delayMs = Math.min(500 + Math.random() * 500, leftMs);
    this.#emit({ event: 'put-back', jobId: delivery.jobId, kind: delivery.kind, delayMs: Math.round(delayMs) });
    return this.#moveToDelayed(job, token, delayMs, nowMs);
  }

  async #run(job: QueuedJob, token: string, delivery: Delivery): Promise<Pointer> {
    const { jobId, kind } = delivery;
    const running: RunningJob = { controller: new AbortController() };
    const { signal } = running.controller;
    let published: Envelope | undefined;
    const publish = async (outcome: Envelope) => {
      const first = await this.#publish(outcome, delivery);
      published ??= outcome;
      return first;
    };
    this.#running.set(jobId, running);
    const settled = (async () => this.#options.process({ ...delivery, publish }, signal))().then(
      (outcome) => ({ outcome }),
      (thrown: unknown) => ({ thrown }),
    );
    const result = await settledOrCalledOff(settled, signal);
    // After a lost lock this worker itself may have the job a second time.
    if (this.#running.get(jobId) === running) this.#running.delete(jobId);
    if (published !== undefined) return this.#pointer(jobId, published.verdict);
    const outcome = result !== undefined && 'outcome' in result ? result.outcome : undefined;
    const abortion = abortionOf(signal);
    const calledOff = abortion === 'PLATFORM_LOCK_LOST' || abortion === 'PLATFORM_WORKER_STOPPING';
    // An error that work called off returns says only that it was called off: whoever takes the job next does better.
    if (outcome !== undefined && !(calledOff && outcome.verdict === 'error')) {
      await this.#publish(outcome, delivery);
      return this.#pointer(jobId, outcome.verdict);
    }
    if (abortion === 'PLATFORM_LOCK_LOST') throw new DelayedError();
    if (abortion === 'PLATFORM_WORKER_STOPPING') {
      await job.moveToWait(token);
      this.#emit({ event: 'handed-back', jobId, kind });
      throw new WaitingError();
    }
    if (abortion === 'JOB_CANCELLED') return this.#end(delivery, cancelled);
    return this.#dispose(job, token, delivery, result !== undefined && 'thrown' in result ? result.thrown : noOutcome);
  }

  /** Does with a job whose work threw what the error's code asks for. */
  async #dispose(job: QueuedJob, token: string, delivery: Delivery, given: unknown): Promise<Pointer> {
    const { jobId, kind } = delivery;
    // What Redis refused meanwhile is no fault of the job, whoever asked for it.
    const thrown = redisFailure(given, 'work on job') ?? given;
    const code = codeOfThrown(thrown);
    const { message } = trimmedError(thrown);
    if (dispositionOf(code) === 'retry') {
      const delayMs = backoffMs(delivery.delivery, retryAfterOf(thrown));
      if (Date.now() + delayMs < delivery.deadlineAtMs - CLOSING_MS) {
        this.#emit({ event: 'retried', jobId, kind, code, message, delayMs });
        return this.#whenWritable(async () => this.#moveToDelayed(job, token, delayMs, await this.#outcomes.nowMs()));
      }
      return this.#end(delivery, { code, message });
    }
    const pointer = await this.#end(delivery, { code, message });
    // Buried where operators find it, with its evidence; its outcome is out.
    if (code.startsWith('DEFECT_')) throw new UnrecoverableError(`${code}: ${message}`);
    return pointer;
  }

  async #moveToDelayed(job: QueuedJob, token: string, delayMs: number, nowMs: number): Promise<never> {
    await this.#connection.zadd(this.#keys.due, Math.round(nowMs + delayMs), job.id ?? '');
    await job.moveToDelayed(Date.now() + Math.round(delayMs), token);
    throw new DelayedError();
  }

  async #end(delivery: Delivery, reason: Reason): Promise<Pointer> {
    const { verdict } = await this.#whenWritable(() => this.#closer.end(delivery, reason));
    return this.#pointer(delivery.jobId, verdict);
  }

  #publish(outcome: Envelope, delivery: Delivery): Promise<boolean> {
    return this.#whenWritable(() => this.#closer.publish(outcome, delivery));
  }

  /** An outcome that was paid for waits for room in Redis. */
  async #whenWritable<Result>(write: () => Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        return await write();
      } catch (error) {
        if (!isUnwritable(error)) throw error;
        await this.#valve.whenRoom();
      }
    }
  }

  async #refuseAutomatic(delivery: Delivery): Promise<never> {
    const { jobId, kind, replyTo } = delivery;
    const message = `Cannot accept job: found the automatic id ${jobId}, wanted one of the producer's own`;
    const outcome = await this.#closer.make(delivery, { code: 'JOB_ID_MISSING', message });
    await this.#outcomes.announce(outcome, { jobId, replyTo }, false);
    this.#emit({ event: 'refused', jobId, kind, code: 'JOB_ID_MISSING' });
    throw new UnrecoverableError(`JOB_ID_MISSING: ${message}`);
  }

  async #replay({ jobId, kind, dataDigest, replyTo }: Delivery, text: string, takenAtMs: number): Promise<Pointer> {
    const envelope = readEnvelope(text);
    const isOther = envelope === null || (envelope.dataDigest !== null && envelope.dataDigest !== dataDigest);
    if (isOther || (envelope.kind !== null && envelope.kind !== kind)) {
      this.#emit({ event: 'refused', jobId, kind, code: 'JOB_ID_REUSED' });
      const what = isOther ? 'other data' : 'another kind of job';
      throw new UnrecoverableError(
        `JOB_ID_REUSED: Cannot accept job: found an outcome for ${what} under the id ${jobId}, wanted a new id`,
      );
    }
    const { verdict } = envelope;
    // Its reader closed this very job and has gone: only one that asks again wants to be told.
    const closedAtMs = isClosedByReader(envelope) ? await this.#outcomes.publishedAtMs(jobId, replyTo) : null;
    if (closedAtMs !== null && takenAtMs <= closedAtMs) {
      this.#emit({ event: 'suppressed', jobId, kind, verdict });
      return this.#pointer(jobId, verdict);
    }
    await this.#outcomes.announce(envelope, { jobId, replyTo }, true);
    this.#emit({ event: 'replayed', jobId, kind, verdict });
    return this.#pointer(jobId, verdict);
  }

  /** Publishes the `error` outcome of a job that BullMQ itself gave up. */
  async #closeGivenUp(job: QueuedJob, error: Error): Promise<void> {
    const jobId = job.id ?? '';
    if (isAutomaticId(jobId)) return;
    const beginning = await this.#outcomes.begin(jobId, job.timestamp, 0);
    if (beginning.outcome === null) await this.#end(this.#deliveryOf(job, beginning), givenUp(error.message));
  }

  async #supersede({ jobId, kind, data, rawBytes }: Delivery): Promise<void> {
    if (kind !== 'generate' || typeof data !== 'object' || data === null || !('supersedes' in data)) return;
    const reading = readJob(kind, data, rawBytes);
    const replaced = reading.ok ? reading.job.supersedes : undefined;
    if (replaced === undefined || replaced === jobId) return;
    await this.#connection.set(this.#keys.cancel(replaced), '1', 'EX', CANCEL_SECONDS);
  }

  async #watchCancellations(): Promise<void> {
    const jobIds = [...this.#running.keys()];
    if (jobIds.length === 0 || this.#connection.status !== 'ready') return;
    try {
      const asked = await this.#connection.mget(jobIds.map((jobId) => this.#keys.cancel(jobId)));
      for (const [index, jobId] of jobIds.entries()) {
        if (asked[index] != null) this.#abort(jobId, 'JOB_CANCELLED');
      }
    } catch (error) {
      this.#noteError(error);
    }
  }

  #abort(jobId: string, code: Abortion): void {
    const signal = this.#running.get(jobId)?.controller.signal;
    if (signal === undefined || signal.aborted) return;
    if (code === 'PLATFORM_LOCK_LOST') this.#emit({ event: 'lock-lost', jobId });
    const message = `Cannot go on with job ${jobId}: found ${abortions[code]}, wanted to finish it`;
    this.#running.get(jobId)?.controller.abort(new QueueError(code, message));
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
    return deliveryOf(stored, beginning, this.#outcomes);
  }

  #pointer(jobId: string, verdict: string): Pointer {
    return { verdict, outcomeKey: this.#keys.outcome(jobId) };
  }

  #emit(event: QueueEvent): void {
    this.#options.onEvent?.(event);
  }

  #noteError(error: unknown): void {
    if (isUnwritable(error)) this.#valve.whenRoom().catch(() => undefined);
    this.#errors.note(trimmedError(error));
  }
}

const abortions: Record<Abortion, string> = {
  JOB_CANCELLED: 'that it was cancelled',
  PLATFORM_LOCK_LOST: 'that its lock ran out',
  PLATFORM_WORKER_STOPPING: 'that this worker stops',
};

const cancelled: Reason = {
  code: 'JOB_CANCELLED',
  message: `Cannot go on with job: found ${abortions.JOB_CANCELLED}, wanted to finish it`,
};

const noOutcome = new QueueError('DEFECT_NO_OUTCOME', 'Cannot publish outcome: found none, wanted one for the job');

/** Waits for work to settle; once it was called off only so long as it takes to clean up. */
function settledOrCalledOff<Result>(settled: Promise<Result>, signal: AbortSignal): Promise<Result | undefined> {
  const calledOff = new Promise<undefined>((resolve) => {
    const later = () => setTimeout(() => resolve(undefined), SETTLE_MS).unref();
    signal.addEventListener('abort', later, { once: true });
  });
  return Promise.race([settled, calledOff]);
}

function abortionOf(signal: AbortSignal): Abortion | undefined {
  return signal.aborted && signal.reason instanceof QueueError ? (signal.reason.code as Abortion) : undefined;
}

function isBullSignal(error: unknown): boolean {
  return error instanceof DelayedError || error instanceof WaitingError || error instanceof UnrecoverableError;
}

function retryAfterOf(thrown: unknown): number | undefined {
  const given =
    typeof thrown === 'object' && thrown !== null && 'retryAfterMs' in thrown ? thrown.retryAfterMs : undefined;
  return typeof given === 'number' && Number.isFinite(given) ? given : undefined;
}
