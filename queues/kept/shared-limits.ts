import type { Keys } from '../redis/catalog.ts';
import type { Connection } from '../redis/connection.ts';
import { isObject, jsonOf } from '../redis/json-text.ts';
import { type Deed, deedOf, readDeed } from './pause.ts';

/** Most limits that are read; more were written by hand. */
const MOST_LIMITS = 10_000;

/** A limit that an operator set for all workers. */
export interface SharedLimit extends Deed {
  name: string;
  /** Any JSON; the reader validates it. */
  value: unknown;
}

/** Limits that operators set for all workers while they run, in one place in Redis. */
export class SharedLimits {
  readonly #connection: Connection;
  readonly #keys: Keys;

  constructor(connection: Connection, keys: Keys) {
    this.#connection = connection;
    this.#keys = keys;
  }

  /** Every limit that is set, by name. What is not a limit was written by hand, and is left out. */
  async all(): Promise<SharedLimit[]> {
    const found = Object.entries(await this.#connection.hgetall(this.#keys.limits)).slice(0, MOST_LIMITS);
    return found
      .flatMap(([name, text]) => {
        const limit = jsonOf(text);
        const deed = readDeed(limit);
        return isObject(limit) && deed !== null && limit.value !== undefined
          ? [{ name, value: limit.value, ...deed }]
          : [];
      })
      .sort((one, other) => one.name.localeCompare(other.name));
  }

  /** Sets a limit. `value` must be JSON. */
  async set(name: string, value: unknown, given: Omit<Deed, 'atMs'>): Promise<SharedLimit> {
    const deed = await deedOf(this.#connection, given);
    // turns.ts reads the value of `tenant-waiting` from the beginning of the text.
    await this.#connection.hset(this.#keys.limits, name, JSON.stringify({ value, ...deed }));
    return { name, value, ...deed };
  }

  /** Removes a limit. Resolves to whether it was set. */
  async clear(name: string): Promise<boolean> {
    return (await this.#connection.hdel(this.#keys.limits, name)) === 1;
  }
}
