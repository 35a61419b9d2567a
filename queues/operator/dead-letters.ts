import type { Queue } from 'bullmq';
import { parseData } from '../jobs/delivery.ts';
import { type PublishedEnvelope, readEnvelope } from '../jobs/envelope.ts';
import { jobIdOf } from '../jobs/job-id.ts';
import type { JobReader } from '../jobs/job-reader.ts';
import type { Keys } from '../redis/catalog.ts';
import type { Connection } from '../redis/connection.ts';
import { QueueError } from '../redis/queue-error.ts';
import { nextAttempt } from './requeue.ts';

/**
 * A failed job that BullMQ keeps: a defect, too many worker deaths, or an id that could not be used. Its outcome is
 * published all the same.
 */
export interface DeadLetter {
  jobId: string;
  kind: string;
  negotiationId: string | null;
  tenant: string | null;
  failedReason: string;
  /** Milliseconds since 1970, by the clock of the worker that failed it. */
  failedAtMs: number;
  deaths: number;
  deliveries: number;
  bytes: number;
}

/** The failed jobs, for operators. */
export class DeadLetters {
  readonly #queue: Queue;
  readonly #connection: Connection;
  readonly #keys: Keys;
  readonly #jobs: JobReader;

  constructor(queue: Queue, connection: Connection, keys: Keys, jobs: JobReader) {
    this.#queue = queue;
    this.#connection = connection;
    this.#keys = keys;
    this.#jobs = jobs;
  }

  /** The number of dead letters. */
  count(): Promise<number> {
    return this.#connection.zcard(`${this.#keys.queue}:failed`);
  }

  /** Dead letters, the newest first. */
  async list({ offset = 0, limit = 50 }: { offset?: number; limit?: number } = {}): Promise<DeadLetter[]> {
    const jobIds = await this.#connection.zrevrange(`${this.#keys.queue}:failed`, offset, offset + limit - 1);
    const letters = await Promise.all(jobIds.map((jobId) => this.#read(jobId)));
    return letters.flatMap((letter) => (letter === null ? [] : [letter.letter]));
  }

  /** A dead letter with its data and its outcome; `null` if no failed job has this id. */
  async show(jobId: string): Promise<{ letter: DeadLetter; data: unknown; outcome: PublishedEnvelope | null } | null> {
    if (!(await this.#isDead(jobId))) return null;
    const read = await this.#read(jobId);
    const text = await this.#connection.get(this.#keys.outcome(jobId));
    return read === null ? null : { ...read, outcome: text === null ? null : readEnvelope(text) };
  }

  /**
   * Submits a failed job again as a new one; the old outcome stays. The data are the same except for `attempt`, which
   * is one higher. Resolves to the new id. Rejects with `JOB_NOT_DEAD` if no failed job has this id, and with
   * `JOB_INVALID` if its data are not an object.
   */
  async requeue(jobId: string): Promise<{ jobId: string }> {
    const read = (await this.#isDead(jobId)) ? await this.#read(jobId) : null;
    if (read === null) throw notDead(jobId);
    const { data, letter } = read;
    const again = nextAttempt(data);
    if (again === null) {
      throw new QueueError(
        'JOB_INVALID',
        `Cannot requeue job ${jobId}: found data that are not an object, wanted an object`,
      );
    }
    const newId = jobIdOf(again);
    await this.#queue.add(letter.kind, again, { jobId: newId, attempts: 1 });
    await this.#queue.remove(jobId);
    return { jobId: newId };
  }

  /** Removes a dead letter; its outcome stays. Rejects with `JOB_NOT_DEAD` if no failed job has this id. */
  async discard(jobId: string): Promise<void> {
    if (!(await this.#isDead(jobId))) throw notDead(jobId);
    await this.#queue.remove(jobId);
  }

  async #isDead(jobId: string): Promise<boolean> {
    return (await this.#connection.zscore(`${this.#keys.queue}:failed`, jobId)) !== null;
  }

  async #read(jobId: string): Promise<{ letter: DeadLetter; data: unknown } | null> {
    const key = `${this.#keys.queue}:${jobId}`;
    const fields = ['name', 'data', 'failedReason', 'finishedOn', 'stc', 'ats'];
    const [kind, text, failedReason, finishedOn, deaths, deliveries] = await this.#connection.hmget(key, ...fields);
    if (kind == null || text == null) return null;
    const data = parseData(text);
    const { negotiationId, tenant } = this.#jobs.factsOf(kind, data);
    const letter = {
      jobId,
      kind,
      negotiationId,
      tenant,
      failedReason: failedReason ?? '',
      failedAtMs: Number(finishedOn ?? 0),
      deaths: Number(deaths ?? 0),
      deliveries: Number(deliveries ?? 0),
      bytes: Buffer.byteLength(text),
    };
    return { letter, data };
  }
}

function notDead(jobId: string): QueueError {
  return new QueueError(
    'JOB_NOT_DEAD',
    `Cannot find dead letter ${jobId.slice(0, 200)}: found none of that id, wanted a failed job`,
  );
}
