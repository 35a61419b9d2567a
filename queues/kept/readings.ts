import type { Keys } from '../redis/catalog.ts';
import type { Connection } from '../redis/connection.ts';

/** Stores readings of agreements, opaque texts, by tenant and key, for as long as handlers are kept. */
export class Readings {
  readonly #connection: Connection;
  readonly #keys: Keys;
  readonly #retentionSeconds: number;

  constructor(connection: Connection, keys: Keys, retentionSeconds: number) {
    this.#connection = connection;
    this.#keys = keys;
    this.#retentionSeconds = retentionSeconds;
  }

  /** A reading's text; `null` if there is none. Restarts its retention. */
  async get(tenant: string, key: string): Promise<string | null> {
    return this.#connection.getex(this.#keys.reading(tenant, key), 'EX', this.#retentionSeconds);
  }

  /** Stores a reading and replaces an earlier one. */
  async put(tenant: string, key: string, text: string): Promise<void> {
    await this.#connection.set(this.#keys.reading(tenant, key), text, 'EX', this.#retentionSeconds);
  }
}
