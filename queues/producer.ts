import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { type PublishedEnvelope, READER_DEADLINE, readEnvelope } from './jobs/envelope.ts';
import { dataDigestOf, jobIdFor, measured } from './jobs/job-id.ts';
import type { JobReader } from './jobs/job-reader.ts';
import { limits } from './jobs/limits.ts';
import { Outcomes } from './jobs/outcomes.ts';
import { TenantFull } from './jobs/tenant-full.ts';
import { metadataWith, traceparentOf } from './jobs/trace-context.ts';
import { Turns } from './jobs/turns.ts';
import { CANCEL_SECONDS, DEFAULT_RETENTION_SECONDS, isUsableId, keysOf, QUEUE_NAME } from './redis/catalog.ts';
import { type Connection, connect, disconnect, whenReady } from './redis/connection.ts';
import { mending } from './redis/mending.ts';
import { QueueError, trimmedError } from './redis/queue-error.ts';
import { redisFailure, unreachable } from './redis/redis-refusal.ts';

/** Where to submit jobs, and how long to wait for Redis. */
export interface ProducerOptions {
  url: string;
  jobs: JobReader;
  prefix?: string;
  retentionSeconds?: number;
  /** How long to wait for the connection, in milliseconds; default 3,000. */
  connectWithinMs?: number;
}

/**
 * Submits jobs and reads their outcomes. Every method rejects within seconds, with `PLATFORM_REDIS_UNREACHABLE` or
 * `PLATFORM_REDIS_FULL`, if Redis does not answer or has no room.
 */
export interface Producer {
  /**
   * Submits a job, under `jobId` or the recommended id for its data; submitting the same job twice makes one job.
   * Rejects with `JOB_ID_INVALID` for an id that BullMQ or the contract does not allow, with `JOB_ID_REUSED` if the id
   * has an outcome or a job with other data or another kind, with `JOB_TOO_LARGE` or `JOB_TOO_DEEP` beyond the
   * limits, and with `JOB_TENANT_FULL` if its tenant has as many waiting jobs as the operator allows.
   * `traceparent` is the caller's trace context (W3C); the job's spans become its children.
   */
  submit(
    kind: string,
    data: unknown,
    options?: { jobId?: string; traceparent?: string | undefined },
  ): Promise<{ jobId: string }>;
  /** The published outcome of a job; `null` while it has none. */
  outcomeOf(jobId: string): Promise<PublishedEnvelope | null>;
  /**
   * Waits for the outcome until `untilMs` (milliseconds since 1970, local clock). Resolves to `null` if that passes or
   * the signal fires. Survives short outages of Redis.
   */
  waitForOutcome(jobId: string, options: { untilMs: number; signal?: AbortSignal }): Promise<PublishedEnvelope | null>;
  /** Cancels a job: it ends with `error`, `JOB_CANCELLED`, unless it has its outcome already. */
  cancel(jobId: string): Promise<void>;
  /**
   * Closes a job that its reader no longer waits for (`error`, `READER_DEADLINE`), even if every worker is dead.
   * Resolves to the outcome that counts: this one, or one that was faster.
   */
  closeExpired(jobId: string, job?: { kind: string; data: unknown }): Promise<PublishedEnvelope>;
  close(): Promise<void>;
}

/** Opens a producer. It connects in the background, and reconnects when the connection is lost. */
export function createProducer(options: ProducerOptions): Producer {
  return new QueueProducer(options);
}

class QueueProducer implements Producer {
  readonly #connection: Connection;
  readonly #jobs: JobReader;
  readonly #keys;
  readonly #outcomes: Outcomes;
  readonly #turns: Turns;
  readonly #connectWithinMs: number;
  #queue: Queue | undefined;

  constructor(options: ProducerOptions) {
    this.#connection = connect(options.url, 'caller');
    this.#jobs = options.jobs;
    this.#keys = keysOf(options.prefix);
    const connection = mending(this.#connection, this.#keys);
    this.#outcomes = new Outcomes(connection, this.#keys, options.retentionSeconds ?? DEFAULT_RETENTION_SECONDS);
    this.#turns = new Turns(connection, this.#keys, options.jobs);
    this.#connectWithinMs = options.connectWithinMs ?? 3_000;
  }

  async submit(kind: string, data: unknown, options: { jobId?: string; traceparent?: string | undefined } = {}) {
    const { digest, bytes, writable } = measuredJob(data);
    const jobId = options.jobId ?? jobIdFor(digest);
    if (!isUsableId(jobId)) {
      throw new QueueError(
        'JOB_ID_INVALID',
        `Cannot submit job: found id ${JSON.stringify(jobId.slice(0, 120))}, wanted 1 to 200 characters, no number, without ":", no name of a key of BullMQ's own`,
      );
    }
    if (bytes > limits.jobBytes.value) {
      throw new QueueError(
        'JOB_TOO_LARGE',
        `Cannot submit job: found ${bytes} bytes, wanted at most ${limits.jobBytes.value}`,
      );
    }
    const traceparent = traceparentOf(options.traceparent);
    const job = { kind, data: writable, digest, traceparent };
    return this.#reach(async () => {
      const found = await this.#put(jobId, job);
      if (found === 'this job') return { jobId };
      // The recommended id does not depend on the kind: the same agreement may be reviewed first and generated later.
      const alternative = `${jobId}-${kind}`;
      const isOurs = options.jobId === undefined && found === 'another kind' && isUsableId(alternative);
      if (isOurs && (await this.#put(alternative, job)) === 'this job') return { jobId: alternative };
      throw new QueueError(
        'JOB_ID_REUSED',
        `Cannot submit job: found ${found} under the id ${jobId}, wanted the same job or a new id`,
      );
    });
  }

  /** Adds a job to the queue, and says what the queue has under its id. */
  async #put(
    jobId: string,
    {
      kind,
      data,
      digest,
      traceparent,
    }: { kind: string; data: unknown; digest: string; traceparent: string | undefined },
  ): Promise<'this job' | 'other data' | 'another kind'> {
    const published = await this.#readOutcome(jobId);
    if (published !== null && published.dataDigest !== null && published.dataDigest !== digest) return 'other data';
    if (published !== null && published.kind !== null && published.kind !== kind) return 'another kind';
    // BullMQ's answer does not say whether it added the job or had one with this id: a mark among the options
    // does.
    const mark = randomUUID();
    const { turn: priority, refused } = await this.#turns.reserve(jobId, kind, data);
    if (refused !== undefined) throw new TenantFull(jobId, refused);
    const options = { jobId, attempts: 1, priority, telemetry: { metadata: metadataWith(mark, traceparent) } };
    await this.#openQueue()
      .add(kind, data, options)
      .catch(async (error: unknown) => {
        await this.#turns.release(jobId, kind, data).catch(() => undefined);
        throw error;
      });
    const key = `${this.#keys.queue}:${jobId}`;
    const written = await this.#connection.hget(key, 'opts');
    if (written === null || written.includes(mark)) return 'this job';
    const [kept, name] = await this.#connection.hmget(key, 'data', 'name');
    if (kept != null && dataDigestOf(parsed(kept), kept) !== digest) return 'other data';
    return name != null && name !== kind ? 'another kind' : 'this job';
  }

  outcomeOf(jobId: string) {
    return this.#reach(() => this.#readOutcome(jobId));
  }

  async waitForOutcome(jobId: string, { untilMs, signal }: { untilMs: number; signal?: AbortSignal }) {
    for (let pauseMs = 10; ; pauseMs = Math.min(pauseMs * 1.5, 200)) {
      if (signal?.aborted) return null;
      const found = await this.#readOutcome(jobId).catch(() => null);
      if (found !== null) return found;
      const leftMs = untilMs - Date.now();
      if (leftMs <= 0) return null;
      await sleep(Math.min(pauseMs, leftMs), undefined, signal ? { signal } : {}).catch(() => undefined);
    }
  }

  async cancel(jobId: string) {
    await this.#reach(() => this.#connection.set(this.#keys.cancel(jobId), '1', 'EX', CANCEL_SECONDS));
  }

  closeExpired(jobId: string, job?: { kind: string; data: unknown }) {
    return this.#reach(async () => {
      const known = job ?? (await this.#waitingJob(jobId));
      const envelope = this.#jobs.errorEnvelope(known?.kind ?? '', known?.data, {
        code: READER_DEADLINE,
        message: 'Cannot wait for job: found no outcome, wanted one before the reader gave up',
      });
      const replyTo =
        known === undefined ? 'default' : (this.#jobs.factsOf(known.kind, known.data).replyTo ?? 'default');
      const dataDigest = known === undefined ? null : dataDigestOf(known.data);
      const published = await this.#outcomes.publish(envelope, { jobId, dataDigest, replyTo });
      if (published !== null) return published;
      const faster = await this.#readOutcome(jobId);
      if (faster === null)
        throw new QueueError(
          'PLATFORM_OUTCOME_LOST',
          `Cannot read outcome of ${jobId}: found none, wanted the one that was faster`,
        );
      return faster;
    });
  }

  async close() {
    await this.#queue?.close().catch(() => undefined);
    await disconnect(this.#connection);
  }

  async #readOutcome(jobId: string): Promise<PublishedEnvelope | null> {
    const text = await this.#outcomes.textOf(jobId);
    return text === null ? null : readEnvelope(text);
  }

  async #waitingJob(jobId: string): Promise<{ kind: string; data: unknown } | undefined> {
    const [kind, data] = await this.#connection.hmget(`${this.#keys.queue}:${jobId}`, 'name', 'data');
    return kind && data ? { kind, data: parsed(data) } : undefined;
  }

  #openQueue(): Queue {
    if (this.#queue === undefined) {
      this.#queue = new Queue(QUEUE_NAME, { connection: this.#connection, prefix: this.#keys.prefix });
      this.#queue.on('error', () => {});
    }
    return this.#queue;
  }

  async #reach<Result>(call: () => Promise<Result>): Promise<Result> {
    await whenReady(this.#connection, this.#connectWithinMs);
    try {
      return await call();
    } catch (error) {
      if (error instanceof QueueError) throw error;
      throw redisFailure(error, 'submit job') ?? unreachable(trimmedError(error).message);
    }
  }
}

function measuredJob(data: unknown) {
  try {
    return measured(data);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new QueueError(
      'JOB_TOO_DEEP',
      `Cannot submit job: nested too deeply to be written, wanted at most ${limits.nesting.value} levels`,
    );
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
