import { setTimeout as sleep } from 'node:timers/promises';
import { MetricsTime, Queue } from 'bullmq';
import { IntakeBridge } from './intake/intake-bridge.ts';
import { type Delivery, parseData } from './jobs/delivery.ts';
import type { Reason } from './jobs/envelope.ts';
import { type GiveUp, JobCloser } from './jobs/job-closer.ts';
import type { JobReader } from './jobs/job-reader.ts';
import { Outcomes } from './jobs/outcomes.ts';
import { storedJob } from './jobs/stored-job.ts';
import { announceFull } from './jobs/tenant-full.ts';
import { Turns } from './jobs/turns.ts';
import { Keeper } from './keeper/keeper.ts';
import { DEFAULT_RETENTION_SECONDS, keysOf, QUEUE_NAME } from './redis/catalog.ts';
import { type Connection, connect, disconnect, whenReady } from './redis/connection.ts';
import { mending } from './redis/mending.ts';
import { trimmedError } from './redis/queue-error.ts';
import { ErrorSummary, type JobNames, type OnQueueEvent } from './redis/queue-event.ts';
import { isUnwritable } from './redis/redis-refusal.ts';
import { IntakeValve } from './running/intake-valve.ts';
import { JobRunner, type Process } from './running/job-runner.ts';
import { RunningJobs, SETTLE_MS } from './running/running-jobs.ts';
import { TolerantWorker } from './running/tolerant-worker.ts';

/** How to consume the queue. */
export interface ConsumerOptions {
  url: string;
  jobs: JobReader;
  prefix?: string;
  /** Jobs processed concurrently; default 10. */
  concurrency?: number;
  retentionSeconds?: number;
  /** How long the lock of a dead worker's job lasts; default 15,000. */
  lockDurationMs?: number;
  /** How often to look for jobs of dead workers; default 5,000. */
  stalledIntervalMs?: number;
  /** Worker deaths that a job may cause; at the next one the job fails. Default 3. */
  maxDeaths?: number;
  /** Name of this worker, as operators see it. */
  name?: string;
  /** Whether jobs are taken from the intake stream too; default yes. */
  intake?: boolean;
  /**
   * Processes a job and resolves to its outcome, or to `undefined` after a call of `delivery.publishNow`. The signal
   * fires when the job is cancelled (reason: code `JOB_CANCELLED`), when another worker may have it
   * (`PLATFORM_LOCK_LOST`) and when this worker stops (`PLATFORM_WORKER_STOPPING`). A rejection with a `PLATFORM_` code
   * retries the job within its deadline (after `retryAfterMs`, if given); any other is final.
   */
  process: Process;
  /** Makes the `error` outcome of a job that ends without a verdict; default: the reader's `errorEnvelope`. */
  giveUp?: GiveUp;
  /** Called with each job that is taken, or that ends without being taken; it must not throw. */
  onDelivery?: (delivery: Delivery) => void;
  onEvent?: OnQueueEvent;
}

/** The health of a consumer. */
export interface ConsumerHealth {
  /** Whether both connections to Redis are up. */
  connected: boolean;
  /** Why no jobs are fetched; empty while they are. */
  paused: string[];
  /** Jobs being processed, without those that go on after their outcome. */
  running: number;
  concurrency: number;
  /**
   * Time since Redis last answered a fetch. More than 30 s with free capacity and no pause means that the worker is
   * stuck.
   */
  sinceFetchMs: number;
  closing: boolean;
}

/** A running consumer. */
export interface Consumer {
  /**
   * Resolves when both connections are up and jobs are being fetched. Rejects with `PLATFORM_REDIS_UNREACHABLE` after
   * `withinMs`, and with `OPERATOR_REDIS_…` if Redis answers but cannot be used.
   */
  ready(withinMs?: number): Promise<void>;
  health(): ConsumerHealth;
  /** Runs a write to Redis. While Redis refuses writes, pauses fetching, and retries when it accepts them again. */
  whenWritable<Result>(write: () => Promise<Result>): Promise<Result>;
  /**
   * Pauses fetching on this worker until `resume` with the same reason; running jobs go on. A job whose deadline passes
   * meanwhile ends with the fault, if one is given.
   */
  pause(reason: string, fault?: Reason | null): Promise<void>;
  resume(reason: string): Promise<void>;
  /** Changes how many jobs are processed at once. Running jobs go on, even if they are more. */
  setConcurrency(concurrency: number): void;
  /**
   * Stops fetching, waits for running jobs for `drainMs` (default 30,000), hands the rest back to the queue, and
   * disconnects.
   */
  close(options?: { drainMs?: number }): Promise<void>;
}

/** Starts consuming the queue. */
export function createConsumer(options: ConsumerOptions): Consumer {
  return new QueueConsumer(options);
}

class QueueConsumer implements Consumer {
  readonly #connection: Connection;
  readonly #jobs: JobReader;
  readonly #worker: TolerantWorker;
  readonly #queue: Queue;
  readonly #valve: IntakeValve;
  readonly #running: RunningJobs;
  readonly #keeper: Keeper;
  readonly #bridge: IntakeBridge | undefined;
  readonly #errors: ErrorSummary;
  #blocking: { status: string } | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: ConsumerOptions) {
    const { url, prefix, concurrency = 10, retentionSeconds = DEFAULT_RETENTION_SECONDS } = options;
    const { lockDurationMs = 15_000 } = options;
    const onEvent: OnQueueEvent = (event) => options.onEvent?.(event);
    const onError = (error: unknown) => this.#noteError(error);
    this.#errors = new ErrorSummary(onEvent);
    const keys = keysOf(prefix);
    this.#connection = connect(url, 'worker', (error) => this.#errors.note(error));
    const connection = mending(this.#connection, keys, onEvent);
    const { jobs } = options;
    this.#jobs = jobs;
    const outcomes = new Outcomes(connection, keys, retentionSeconds, onEvent);
    const closer = new JobCloser(outcomes, jobs, options.giveUp, onEvent, options.onDelivery);
    const shared = { connection: this.#connection, prefix: keys.prefix };
    this.#queue = new Queue(QUEUE_NAME, shared);
    this.#queue.on('error', (error) => this.#errors.note(trimmedError(error)));
    this.#worker = new TolerantWorker(QUEUE_NAME, (job, token) => runner.work(job, token ?? ''), {
      ...shared,
      concurrency,
      lockDuration: lockDurationMs,
      stalledInterval: options.stalledIntervalMs ?? 5_000,
      maxStalledCount: options.maxDeaths ?? 3,
      // BullMQ would ignore a later job with the id of a kept one: neither a replay nor a reused id could be answered.
      removeOnComplete: { count: 0 },
      removeOnFail: { age: Math.floor(retentionSeconds / 2), count: 10_000 },
      metrics: { maxDataPoints: MetricsTime.ONE_WEEK },
      runRetryDelay: 1_000,
      ...(options.name === undefined ? {} : { name: options.name }),
    });
    const turns = new Turns(connection, keys, jobs, async (full) => {
      const job = await storedJob(connection, keys, full.jobId);
      if (job !== null) await announceFull(full, job, { jobs, outcomes, onEvent });
      // A worker that took it meanwhile keeps it: then this removes nothing.
      await this.#queue.remove(full.jobId, { removeChildren: false });
    });
    this.#worker.isOutOfTurn = (job) => turns.enqueueInTurn(job);
    this.#valve = new IntakeValve(this.#worker, connection, keys, onEvent);
    this.#running = new RunningJobs(connection, keys, concurrency, onEvent, onError);
    const runner = new JobRunner({
      process: (delivery, signal) => options.process(delivery, signal),
      onDelivery: (delivery) => options.onDelivery?.(delivery),
      connection,
      keys,
      jobs,
      outcomes,
      closer,
      turns,
      valve: this.#valve,
      running: this.#running,
      onEvent,
      onError,
    });
    this.#listen(runner, keys.queue, lockDurationMs, onEvent);
    const parts = { keys, connection, jobs, queue: this.#queue, outcomes, turns, onError, onEvent };
    this.#keeper = new Keeper({ ...parts, closer, retentionSeconds, heldBy: () => this.#valve.fault });
    if (options.intake !== false) this.#bridge = new IntakeBridge({ ...parts, url });
  }

  #listen(runner: JobRunner, queueKey: string, lockDurationMs: number, onEvent: OnQueueEvent): void {
    const onError = (error: unknown) => this.#noteError(error);
    this.#worker.on('error', onError);
    this.#worker.once('ready', () => {
      this.#worker.getBackend().blockingClient?.then((client) => {
        this.#blocking = client;
      }, onError);
    });
    this.#worker.on('stalled', async (jobId) => {
      const names = await this.#namesOf(`${queueKey}:${jobId}`);
      onEvent({ event: 'stalled', jobId, ...names });
    });
    this.#worker.on('lockRenewalFailed', (jobIds) => {
      // While Redis refuses writes nobody can renew a lock, but nobody can take the job either.
      if (this.#valve.wasUnwritable(lockDurationMs)) return;
      for (const jobId of jobIds) this.#running.abort(jobId, 'PLATFORM_LOCK_LOST');
    });
    this.#worker.on('failed', (job, error) => {
      // Only jobs that BullMQ itself failed come here without an outcome.
      if (job?.deferredFailure !== undefined) runner.closeGivenUp(job, error).catch(onError);
    });
  }

  async ready(withinMs = 10_000): Promise<void> {
    await whenReady(this.#connection, withinMs);
    await this.#worker.waitUntilReady();
  }

  health(): ConsumerHealth {
    return {
      connected: this.#connection.status === 'ready' && this.#blocking?.status === 'ready',
      paused: this.#valve.reasons,
      running: this.#running.size - this.#running.late,
      concurrency: this.#worker.concurrency,
      sinceFetchMs: Math.round(performance.now() - this.#worker.lastFetchAtMs),
      closing: this.#closing !== undefined,
    };
  }

  whenWritable<Result>(write: () => Promise<Result>): Promise<Result> {
    return this.#valve.whenWritable(write);
  }

  pause(reason: string, fault: Reason | null = null): Promise<void> {
    return this.#valve.shut(reason, fault);
  }

  resume(reason: string): Promise<void> {
    return this.#valve.open(reason);
  }

  setConcurrency(concurrency: number): void {
    this.#worker.concurrency = concurrency;
    this.#running.maxLate = concurrency;
    this.#valve.wake().catch((error: unknown) => this.#noteError(error));
  }

  close({ drainMs = 30_000 }: { drainMs?: number } = {}): Promise<void> {
    this.#closing ??= this.#drain(drainMs);
    return this.#closing;
  }

  async #drain(drainMs: number): Promise<void> {
    this.#valve.close();
    const worked = this.#worker.close().finally(() => this.#running.settled());
    const ended = Promise.allSettled([worked, this.#keeper.close(), this.#bridge?.close()]);
    const handBack = setTimeout(() => this.#running.abortAll('PLATFORM_WORKER_STOPPING'), drainMs);
    if ((await Promise.race([ended, this.#cutOff(drainMs)])) === 'cut off') {
      this.#connection.disconnect();
      await this.#worker.abandon().catch((error: unknown) => this.#noteError(error));
    }
    clearTimeout(handBack);
    this.#running.close();
    await this.#queue.close().catch(() => undefined);
    await disconnect(this.#connection);
  }

  /**
   * Resolves when it is useless to wait for Redis any longer. Without Redis no job can be handed back: its lock
   * expires and another worker takes it.
   */
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

  /** The names of a job of which BullMQ gives only the id. */
  async #namesOf(key: string): Promise<Partial<Omit<JobNames, 'jobId'>>> {
    const [kind, text] = await this.#connection.hmget(key, 'name', 'data').catch(() => []);
    if (kind == null || text == null) return {};
    const { negotiationId, tenant } = this.#jobs.factsOf(kind, parseData(text));
    return { kind, negotiationId, tenant };
  }

  #noteError(error: unknown): void {
    if (isUnwritable(error)) this.#valve.whenRoom().catch(() => undefined);
    this.#errors.note(trimmedError(error));
  }
}
