import { JOB_STATE_SECONDS } from '../jobs/outcomes.ts';
import type { Keys } from '../redis/catalog.ts';
import type { Connection } from '../redis/connection.ts';
import { jsonOf } from '../redis/json-text.ts';

/**
 * What jobs have spent over all their deliveries, under names of the caller: a redelivered job does not start from
 * zero.
 */
export class Spendings {
  readonly #connection: Connection;
  readonly #keys: Keys;

  constructor(connection: Connection, keys: Keys) {
    this.#connection = connection;
    this.#keys = keys;
  }

  /** What a job has spent; names without a record are absent. */
  async of(jobId: string): Promise<Record<string, number>> {
    const key = this.#keys.spent(jobId);
    const found = Object.entries(await this.#connection.hgetall(key));
    const isAmount = (text: string) => /\d/.test(text) && Number.isFinite(Number(text));
    // Not a number: written by hand, and nothing can be added to it.
    const others = found.flatMap(([name, amount]) => (isAmount(amount) ? [] : [name]));
    if (others.length > 0) await this.#connection.hdel(key, ...others);
    return Object.fromEntries(
      found.flatMap(([name, amount]) => (isAmount(amount) ? [[name, Math.max(0, Number(amount))]] : [])),
    );
  }

  /** Adds amounts, which may be negative, to what a job has spent. */
  async add(jobId: string, amounts: Readonly<Record<string, number>>): Promise<void> {
    const key = this.#keys.spent(jobId);
    const writing = this.#connection.pipeline();
    for (const [name, amount] of Object.entries(amounts)) if (amount !== 0) writing.hincrbyfloat(key, name, amount);
    await writing.expire(key, JOB_STATE_SECONDS).exec();
  }

  /** The values that an earlier delivery of a job left for the next; empty if there are none. */
  async leftOf(jobId: string): Promise<unknown[]> {
    const left = jsonOf((await this.#connection.get(this.#keys.left(jobId))) ?? '');
    return Array.isArray(left) ? left : [];
  }

  /** Leaves values for the next delivery of a job, in place of those before. */
  async leave(jobId: string, values: readonly unknown[]): Promise<void> {
    await this.#connection.set(this.#keys.left(jobId), JSON.stringify(values), 'EX', JOB_STATE_SECONDS);
  }
}
