import type { Keys } from './catalog.ts';
import type { Connection } from './connection.ts';

/** A bundle that is run no more. */
export interface QuarantineEntry {
  digest: string;
  reason: string;
  /** Milliseconds since 1970, by Redis' clock. */
  sinceMs: number;
}

/** Bundles that killed what ran them, by digest, known to all workers. */
export class Quarantine {
  readonly #connection: Connection;
  readonly #keys: Keys;
  readonly #retentionSeconds: number;

  constructor(connection: Connection, keys: Keys, retentionSeconds = 30 * 86_400) {
    this.#connection = connection;
    this.#keys = keys;
    this.#retentionSeconds = retentionSeconds;
  }

  /** Puts a bundle in. */
  async add(digest: string, reason: string): Promise<void> {
    const [seconds] = await this.#connection.time();
    const oldestMs = (Number(seconds) - this.#retentionSeconds) * 1_000;
    await this.#connection.set(this.#keys.quarantined(digest), reason.slice(0, 500), 'EX', this.#retentionSeconds);
    await this.#connection.zadd(this.#keys.quarantine, Number(seconds) * 1_000, digest);
    await this.#connection.zremrangebyscore(this.#keys.quarantine, '-inf', oldestMs);
  }

  /** Whether a bundle is in. */
  async has(digest: string): Promise<boolean> {
    return (await this.#connection.exists(this.#keys.quarantined(digest))) === 1;
  }

  /** Lets a bundle out; `false` where it was not in. */
  async release(digest: string): Promise<boolean> {
    await this.#connection.zrem(this.#keys.quarantine, digest);
    return (await this.#connection.del(this.#keys.quarantined(digest))) === 1;
  }

  /** What is in, the newest first. */
  async list(limit = 100): Promise<QuarantineEntry[]> {
    const flat = await this.#connection.zrevrange(this.#keys.quarantine, 0, limit - 1, 'WITHSCORES');
    const entries: QuarantineEntry[] = [];
    for (let index = 0; index < flat.length; index += 2) {
      const digest = flat[index] ?? '';
      const reason = await this.#connection.get(this.#keys.quarantined(digest));
      if (reason !== null) entries.push({ digest, reason, sinceMs: Number(flat[index + 1]) });
    }
    return entries;
  }
}
