import { setTimeout as sleep } from 'node:timers/promises';
import { DelayedError, type Job, type JobJson, UnrecoverableError, WaitingError, Worker } from 'bullmq';
import { CANCEL_SECONDS, DEFAULT_RETENTION_SECONDS, isAutomaticId, type Keys, keysOf, QUEUE_NAME } from './catalog.ts';
import { type Connection, connect, disconnect, whenReady } from './connection.ts';
import { backoffMs, codeOfThrown, dispositionOf } from './disposition.ts';
import { dataDigestOf } from './job-id.ts';
import { limits } from './limits.ts';
import { type Envelope, errorEnvelope, type Reason, readEnvelope } from './outcome.ts';
import { Outcomes } from './outcomes.ts';
import { QueueError, trimmedError } from './queue-error.ts';
import { readableOf, readJob, timeoutOf, versionOf } from './read-job.ts';

/** The version of jobs that this consumer knows. */
const KNOWN_VERSION = 1;

/** Time before the deadline that is kept for giving a job up and publishing that, in milliseconds. */
const CLOSING_MS = 750;

/** How often the keys that cancel running jobs are looked at, in milliseconds. */
const CANCEL_WATCH_MS = 250;

/** How long work that was called off may take to settle before the queue goes on without it, in milliseconds. */
const SETTLE_MS = 1_500;

/** A job as it was handed to this worker. */
export interface Delivery {
  readonly jobId: string;
  /** The name of the BullMQ job. */
  readonly kind: string;
  /** As parsed from its JSON text; that text itself where it is no JSON. Nothing about it is validated. */
  readonly data: unknown;
  readonly dataDigest: string;
  /** Size of the JSON text. */
  readonly rawBytes: number;
  /** When Redis took the job, in milliseconds since 1970 by the local clock. */
  readonly takenAtMs: number;
  /** When the peer stops waiting, by the local clock; for data that do not say, by the family's default. */
  readonly deadlineAtMs: number;
  /** 1 on the first delivery. */
  readonly delivery: number;
  /** How many workers died over this job. */
  readonly deaths: number;
  /** Publishes the outcome now, while work goes on; resolves to whether it is this one that counts. Whatever is returned afterwards is not published. */
  publish(outcome: Envelope): Promise<boolean>;
  /** Puts messages on the stream that can be forwarded at once (`final` = 0). */
  announceEarly(entry: {
    negotiationId: string | null;
    messages: readonly object[];
    protocolHash: string | null;
  }): Promise<void>;
  /** Puts the digest of a handler on the stream that was finished after the deadline (`kind` = `late`). */
  announceLate(entry: { negotiationId: string | null; protocolHash: string | null; digest: string }): Promise<void>;
}

/** What happened on the queue, for logs and metrics; no bodies, no secrets. */
export interface QueueEvent {
  event:
    | 'taken'
    | 'published'
    | 'suppressed'
    | 'replayed'
    | 'refused'
    | 'retried'
    | 'put-back'
    | 'handed-back'
    | 'cancelled'
    | 'lock-lost'
    | 'stalled'
    | 'given-up'
    | 'redis-error'
    | 'redis-full'
    | 'redis-room';
  jobId?: string;
  kind?: string;
  verdict?: string;
  code?: string;
  message?: string;
  delayMs?: number;
  waitedMs?: number;
}

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
  /** Deaths that a job may cause before it is given up; default 3. */
  maxDeaths?: number;
  /** Name of this worker, as operators see it. */
  name?: string;
  /**
   * Works on a job and resolves to its outcome, or to `undefined` where `delivery.publish` was called. The signal fires when the job was cancelled
   * (reason: code `JOB_CANCELLED`), when another worker has it (`PLATFORM_LOCK_LOST`) and when this worker is stopped (`PLATFORM_WORKER_STOPPING`).
   * A rejection whose code begins with `PLATFORM_` brings the job back later within its deadline (honouring `retryAfterMs`); any other is final.
   */
  process(delivery: Delivery, signal: AbortSignal): Promise<Envelope | undefined>;
  /** Makes the `error` outcome of a job that ends without a verdict; default: `errorEnvelope`. */
  giveUp?(delivery: Delivery, reason: Reason): Promise<Envelope> | Envelope;
  onEvent?(event: QueueEvent): void;
}

/** A running consumer. */
export interface Consumer {
  /** Resolves when both connections are up and jobs are being fetched. Rejects with `PLATFORM_REDIS_UNREACHABLE` after the time given, in milliseconds. */
  ready(withinMs?: number): Promise<void>;
  /** Jobs that are being worked on. */
  readonly running: number;
  /** Stops fetching, lets running jobs end for `drainMs`, then hands the rest back to the queue, and disconnects. */
  close(options?: { drainMs?: number }): Promise<void>;
}

/** Starts consuming the queue. */
export function createConsumer(options: ConsumerOptions): Consumer {
  return new QueueConsumer(options);
}

/** What a job returns to BullMQ: a pointer, since return values go through a stream of bounded memory. */
interface Pointer {
  verdict: string;
  outcomeKey: string;
}

interface RunningJob {
  controller: AbortController;
}

type Abortion = 'JOB_CANCELLED' | 'PLATFORM_LOCK_LOST' | 'PLATFORM_WORKER_STOPPING';

/** A worker that survives job data that are no JSON: BullMQ's own would lose the job on each fetch, for ever. */
class TolerantWorker extends Worker<unknown, Pointer, string> {
  protected override createJob(json: JobJson, jobId: string): Job<unknown, Pointer, string> {
    const text = json.data;
    let data: unknown = text;
    if (text.length <= limits.parsedBytes.value) {
      try {
        data = JSON.parse(text);
      } catch {
        // Stays the text that it is.
      }
    }
    const job = super.createJob({ ...json, data: 'null' }, jobId);
    job.data = data;
    texts.set(job, text);
    return job;
  }
}

const texts = new WeakMap<object, string>();

class QueueConsumer implements Consumer {
  readonly #options: ConsumerOptions;
  readonly #connection: Connection;
  readonly #keys: Keys;
  readonly #outcomes: Outcomes;
  readonly #worker: TolerantWorker;
  readonly #running = new Map<string, RunningJob>();
  readonly #cancelWatch: NodeJS.Timeout;
  #closing: Promise<void> | undefined;

  constructor(options: ConsumerOptions) {
    this.#options = options;
    this.#keys = keysOf(options.prefix);
    this.#connection = connect(options.url, 'worker', (error) => this.#emitError(error));
    const retentionSeconds = options.retentionSeconds ?? DEFAULT_RETENTION_SECONDS;
    this.#outcomes = new Outcomes(this.#connection, this.#keys, retentionSeconds);
    this.#worker = new TolerantWorker(QUEUE_NAME, (job, token) => this.#work(job, token ?? ''), {
      connection: this.#connection,
      prefix: this.#keys.prefix,
      concurrency: options.concurrency ?? 10,
      lockDuration: options.lockDurationMs ?? 15_000,
      stalledInterval: options.stalledIntervalMs ?? 5_000,
      maxStalledCount: options.maxDeaths ?? 3,
      drainDelay: 5,
      // A kept job would make BullMQ ignore a later job of its id, and neither a replay nor a reused id could be answered.
      removeOnComplete: { count: 0 },
      removeOnFail: { age: Math.floor(retentionSeconds / 2), count: 10_000 },
      runRetryDelay: 1_000,
      ...(options.name === undefined ? {} : { name: options.name }),
    });
    this.#worker.on('error', (error) => this.#emitError(trimmedError(error)));
    this.#worker.on('stalled', (jobId) => this.#emit({ event: 'stalled', jobId }));
    this.#worker.on('lockRenewalFailed', (jobIds) => {
      for (const jobId of jobIds) this.#abort(jobId, 'PLATFORM_LOCK_LOST');
    });
    this.#worker.on('failed', (job, error) => {
      if (job?.deferredFailure !== undefined)
        this.#closeGivenUp(job, error).catch((fault) => this.#emitError(trimmedError(fault)));
    });
    this.#cancelWatch = setInterval(() => this.#watchCancellations(), CANCEL_WATCH_MS);
    this.#cancelWatch.unref();
  }

  get running(): number {
    return this.#running.size;
  }

  async ready(withinMs = 10_000): Promise<void> {
    await whenReady(this.#connection, withinMs);
    await this.#worker.waitUntilReady();
  }

  close({ drainMs = 30_000 }: { drainMs?: number } = {}): Promise<void> {
    this.#closing ??= this.#drain(drainMs);
    return this.#closing;
  }

  async #drain(drainMs: number): Promise<void> {
    const closed = this.#worker.close();
    const handBack = setTimeout(() => {
      for (const jobId of this.#running.keys()) this.#abort(jobId, 'PLATFORM_WORKER_STOPPING');
    }, drainMs);
    // Without Redis nothing can be handed back: the locks run out, and the jobs go to others.
    const leave = sleep(drainMs + SETTLE_MS + 5_000, 'late', { ref: false });
    if ((await Promise.race([closed, leave])) === 'late') this.#connection.disconnect();
    clearTimeout(handBack);
    clearInterval(this.#cancelWatch);
    await disconnect(this.#connection);
  }

  async #work(job: Job<unknown, Pointer, string>, token: string): Promise<Pointer> {
    const jobId = job.id ?? '';
    const beginning = await this.#outcomes.begin(jobId, job.timestamp);
    // Deadlines follow Redis' clock; what is done with them here follows the local one.
    const offsetMs = Date.now() - beginning.nowMs;
    const delivery = this.#deliveryOf(job, beginning.takenAtMs + offsetMs);
    const replyTo = replyToOf(job);
    if (isAutomaticId(jobId)) return this.#refuseAutomatic(delivery, replyTo);
    if (beginning.outcome !== null) return this.#replay(delivery, beginning.outcome, replyTo);
    const waitMs = (beginning.dueMs ?? 0) - beginning.nowMs;
    if (waitMs > 50) return this.#moveToDelayed(job, token, waitMs, beginning.nowMs);
    this.#emit({ event: 'taken', jobId, kind: job.name, waitedMs: Math.max(0, beginning.nowMs - beginning.takenAtMs) });
    if (beginning.cancelled) return this.#end(delivery, replyTo, { code: 'JOB_CANCELLED', message: cancelledMessage });
    const leftMs = delivery.deadlineAtMs - Date.now();
    const version = versionOf(job.data);
    if (version !== undefined && version > KNOWN_VERSION) {
      if (leftMs > CLOSING_MS) {
        const delayMs = Math.min(500 + Math.random() * 500, leftMs - CLOSING_MS);
        this.#emit({ event: 'put-back', jobId, kind: job.name, delayMs });
        return this.#moveToDelayed(job, token, delayMs, beginning.nowMs);
      }
      const message = `Cannot accept job at /version: found ${version} and no worker that knows it, wanted ${KNOWN_VERSION}`;
      return this.#end(delivery, replyTo, { code: 'JOB_VERSION_UNSUPPORTED', message });
    }
    await this.#supersede(delivery);
    return this.#run(job, token, delivery, replyTo);
  }

  async #run(job: Job<unknown, Pointer, string>, token: string, delivery: Delivery, replyTo: string): Promise<Pointer> {
    const controller = new AbortController();
    let published: Envelope | undefined;
    const publishing: Delivery = {
      ...delivery,
      publish: async (outcome) => {
        const first = await this.#publish(outcome, delivery, replyTo);
        published ??= outcome;
        return first;
      },
    };
    const work = (async () => this.#options.process(publishing, controller.signal))();
    const settled = work.then(
      (outcome) => ({ outcome }),
      (thrown: unknown) => ({ thrown }),
    );
    const running = { controller };
    this.#running.set(delivery.jobId, running);
    let result: Awaited<typeof settled> | undefined;
    try {
      result = await settledOrAborted(settled, controller.signal);
    } finally {
      // After a lost lock this worker itself may have the job a second time.
      if (this.#running.get(delivery.jobId) === running) this.#running.delete(delivery.jobId);
    }
    if (published !== undefined) return this.#pointer(delivery.jobId, published.verdict);
    const outcome = result !== undefined && 'outcome' in result ? result.outcome : undefined;
    const abortion = abortionOf(controller.signal);
    const calledOff = abortion === 'PLATFORM_LOCK_LOST' || abortion === 'PLATFORM_WORKER_STOPPING';
    // An error that work called off returns says only that it was called off: whoever takes the job next does better.
    if (outcome !== undefined && !(calledOff && outcome.verdict === 'error')) {
      await this.#publish(outcome, delivery, replyTo);
      return this.#pointer(delivery.jobId, outcome.verdict);
    }
    if (abortion === 'PLATFORM_LOCK_LOST') throw new DelayedError();
    if (abortion === 'PLATFORM_WORKER_STOPPING') {
      await job.moveToWait(token);
      this.#emit({ event: 'handed-back', jobId: delivery.jobId, kind: delivery.kind });
      throw new WaitingError();
    }
    if (abortion === 'JOB_CANCELLED')
      return this.#end(delivery, replyTo, { code: abortion, message: cancelledMessage });
    const thrown = result !== undefined && 'thrown' in result ? result.thrown : noOutcome;
    return this.#dispose(job, token, delivery, replyTo, thrown);
  }

  /** Does with a job whose work threw what the error's code asks for. */
  async #dispose(
    job: Job<unknown, Pointer, string>,
    token: string,
    delivery: Delivery,
    replyTo: string,
    thrown: unknown,
  ): Promise<Pointer> {
    const code = codeOfThrown(thrown);
    const { message } = trimmedError(thrown);
    const { jobId, kind } = delivery;
    if (dispositionOf(code) === 'retry') {
      const delayMs = backoffMs(delivery.delivery, retryAfterOf(thrown));
      if (Date.now() + delayMs < delivery.deadlineAtMs - CLOSING_MS) {
        this.#emit({ event: 'retried', jobId, kind, code, message, delayMs });
        const [seconds, micros] = await this.#connection.time();
        return this.#moveToDelayed(job, token, delayMs, Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000));
      }
      return this.#end(delivery, replyTo, { code, message });
    }
    const pointer = await this.#end(delivery, replyTo, { code, message });
    // Buried where operators find it, with its evidence; its outcome is out.
    if (code.startsWith('DEFECT_')) throw new UnrecoverableError(`${code}: ${message}`);
    return pointer;
  }

  async #moveToDelayed(
    job: Job<unknown, Pointer, string>,
    token: string,
    delayMs: number,
    nowMs: number,
  ): Promise<never> {
    await this.#connection.zadd(this.#keys.due, Math.round(nowMs + delayMs), job.id ?? '');
    await job.moveToDelayed(Date.now() + Math.round(delayMs), token);
    throw new DelayedError();
  }

  async #end(delivery: Delivery, replyTo: string, reason: Reason): Promise<Pointer> {
    const { jobId, kind } = delivery;
    this.#emit({ event: reason.code === 'JOB_CANCELLED' ? 'cancelled' : 'given-up', jobId, kind, ...reason });
    const outcome = await this.#giveUp(delivery, reason);
    await this.#publish(outcome, delivery, replyTo);
    return this.#pointer(jobId, outcome.verdict);
  }

  async #giveUp(delivery: Delivery, reason: Reason): Promise<Envelope> {
    try {
      const made = await this.#options.giveUp?.(delivery, reason);
      if (made !== undefined) return made;
    } catch (error) {
      this.#emit({
        event: 'given-up',
        jobId: delivery.jobId,
        code: 'DEFECT_GIVE_UP',
        message: trimmedError(error).message,
      });
    }
    return errorEnvelope(delivery.kind, delivery.data, reason);
  }

  async #refuseAutomatic(delivery: Delivery, replyTo: string): Promise<never> {
    const message = `Cannot accept job: found the automatic id ${delivery.jobId}, wanted one of the producer's own`;
    const outcome = await this.#giveUp(delivery, { code: 'JOB_ID_MISSING', message });
    await this.#outcomes.announce(outcome, { jobId: delivery.jobId, replyTo }, false);
    this.#emit({ event: 'refused', jobId: delivery.jobId, kind: delivery.kind, code: 'JOB_ID_MISSING' });
    throw new UnrecoverableError(`JOB_ID_MISSING: ${message}`);
  }

  async #replay(delivery: Delivery, text: string, replyTo: string): Promise<Pointer> {
    const { jobId, kind, dataDigest } = delivery;
    const envelope = readEnvelope(text);
    if (envelope === null || (envelope.dataDigest !== null && envelope.dataDigest !== dataDigest)) {
      this.#emit({ event: 'refused', jobId, kind, code: 'JOB_ID_REUSED' });
      throw new UnrecoverableError(
        `JOB_ID_REUSED: Cannot accept job: found an outcome for other data under the id ${jobId}, wanted a new id`,
      );
    }
    await this.#outcomes.announce(envelope, { jobId, replyTo }, true);
    this.#emit({ event: 'replayed', jobId, kind, verdict: envelope.verdict });
    return this.#pointer(jobId, envelope.verdict);
  }

  /** Publishes the `error` outcome of a job that BullMQ itself gave up. */
  async #closeGivenUp(job: Job<unknown, Pointer, string>, error: Error): Promise<void> {
    const jobId = job.id ?? '';
    if (isAutomaticId(jobId)) return;
    const { nowMs, takenAtMs, outcome } = await this.#outcomes.begin(jobId, job.timestamp);
    if (outcome !== null) return;
    const delivery = this.#deliveryOf(job, takenAtMs + Date.now() - nowMs);
    const message = `Cannot finish job: found that its workers died (${error.message.slice(0, 100)}), wanted one to survive it`;
    await this.#end(delivery, replyToOf(job), { code: 'PLATFORM_JOB_GIVEN_UP', message });
  }

  async #publish(outcome: Envelope, delivery: Delivery, replyTo: string): Promise<boolean> {
    const { jobId, dataDigest, kind } = delivery;
    const first = await this.#outcomes.publish(outcome, { jobId, dataDigest, replyTo });
    this.#emit({ event: first ? 'published' : 'suppressed', jobId, kind, verdict: outcome.verdict });
    return first;
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
      const cancelled = await this.#connection.mget(jobIds.map((jobId) => this.#keys.cancel(jobId)));
      for (const [index, jobId] of jobIds.entries()) {
        if (cancelled[index] != null) this.#abort(jobId, 'JOB_CANCELLED');
      }
    } catch (error) {
      this.#emitError(trimmedError(error));
    }
  }

  #abort(jobId: string, code: Abortion): void {
    const job = this.#running.get(jobId);
    if (job === undefined || job.controller.signal.aborted) return;
    if (code === 'PLATFORM_LOCK_LOST') this.#emit({ event: 'lock-lost', jobId });
    const found = {
      JOB_CANCELLED: 'that it was cancelled',
      PLATFORM_LOCK_LOST: 'that its lock ran out',
      PLATFORM_WORKER_STOPPING: 'that this worker stops',
    };
    job.controller.abort(
      new QueueError(code, `Cannot go on with job ${jobId}: found ${found[code]}, wanted to finish it`),
    );
  }

  #deliveryOf(job: Job<unknown, Pointer, string>, takenAtMs: number): Delivery {
    const jobId = job.id ?? '';
    const text = texts.get(job) ?? JSON.stringify(job.data) ?? 'null';
    const replyTo = replyToOf(job);
    return {
      jobId,
      kind: job.name,
      data: job.data,
      dataDigest: dataDigestOf(job.data, text),
      rawBytes: Buffer.byteLength(text),
      takenAtMs,
      deadlineAtMs: takenAtMs + timeoutOf(job.data),
      delivery: Math.max(1, job.attemptsStarted),
      deaths: job.stalledCounter,
      publish: () =>
        Promise.reject(new QueueError('DEFECT_NOT_RUNNING', 'Cannot publish outcome: found a job that does not run')),
      announceEarly: (entry) => this.#outcomes.announceEarly({ ...entry, jobId, kind: job.name }, replyTo),
      announceLate: ({ digest, ...entry }) => this.#outcomes.announceLate({ ...entry, jobId }, digest, replyTo),
    };
  }

  #pointer(jobId: string, verdict: string): Pointer {
    return { verdict, outcomeKey: this.#keys.outcome(jobId) };
  }

  #emit(event: QueueEvent): void {
    this.#options.onEvent?.(event);
  }

  #emitError(error: { message: string; code?: string }): void {
    this.#emit({
      event: 'redis-error',
      message: error.message,
      ...(error.code === undefined ? {} : { code: error.code }),
    });
  }
}

const cancelledMessage = 'Cannot go on with job: found that it was cancelled, wanted to finish it';

const noOutcome = new QueueError('DEFECT_NO_OUTCOME', 'Cannot publish outcome: found none, wanted one for the job');

/** Waits for work to settle; once it was called off only so long as it takes to clean up. */
async function settledOrAborted<Result>(settled: Promise<Result>, signal: AbortSignal): Promise<Result | undefined> {
  const calledOff = new Promise<undefined>((resolve) => {
    const later = () => setTimeout(() => resolve(undefined), SETTLE_MS).unref();
    if (signal.aborted) later();
    else signal.addEventListener('abort', later, { once: true });
  });
  return Promise.race([settled, calledOff]);
}

function abortionOf(signal: AbortSignal): Abortion | undefined {
  return signal.aborted && signal.reason instanceof QueueError ? (signal.reason.code as Abortion) : undefined;
}

function replyToOf(job: Job<unknown, Pointer, string>): string {
  return readableOf(job.name, job.data).replyTo ?? 'default';
}

function retryAfterOf(thrown: unknown): number | undefined {
  const given =
    typeof thrown === 'object' && thrown !== null && 'retryAfterMs' in thrown ? thrown.retryAfterMs : undefined;
  return typeof given === 'number' && Number.isFinite(given) ? given : undefined;
}
