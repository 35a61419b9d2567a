import type { Keys } from './catalog.ts';
import { type Connection, pairsOf } from './connection.ts';

/** A bundle that must not run any more. */
export interface QuarantineEntry {
  digest: string;
  reason: string;
  /** Milliseconds since 1970, by Redis' clock. */
  sinceMs: number;
}

/** Bundles that killed the process that ran them, by digest, shared by all workers. */
export class Quarantine {
  readonly #connection: Connection;
  readonly #keys: Keys;
  readonly #retentionSeconds: number;

  constructor(connection: Connection, keys: Keys, retentionSeconds = 30 * 86_400) {
    this.#connection = connection;
    this.#keys = keys;
    this.#retentionSeconds = retentionSeconds;
  }

  /** Adds a bundle. */
  async add(digest: string, reason: string): Promise<void> {
    const [seconds] = await this.#connection.time();
    await this.#connection.set(this.#keys.quarantined(digest), reason.slice(0, 500), 'EX', this.#retentionSeconds);
    await this.#connection.zadd(this.#keys.quarantine, Number(seconds) * 1_000, digest);
    const { expired } = await this.#listed();
    if (expired.length > 0) await this.#connection.zrem(this.#keys.quarantine, ...expired);
  }

  /** Whether a bundle is quarantined. */
  async has(digest: string): Promise<boolean> {
    return (await this.#connection.exists(this.#keys.quarantined(digest))) === 1;
  }

  /** Removes a bundle; `false` if it was not quarantined. */
  async release(digest: string): Promise<boolean> {
    await this.#connection.zrem(this.#keys.quarantine, digest);
    return (await this.#connection.del(this.#keys.quarantined(digest))) === 1;
  }

  /** The quarantined bundles, the newest first. */
  async list(limit = 100): Promise<QuarantineEntry[]> {
    return (await this.#listed()).entries.slice(0, limit);
  }

  /** The number of quarantined bundles. */
  async count(): Promise<number> {
    return (await this.#listed()).entries.length;
  }

  /** The list may contain expired digests: each entry has its own expiry. */
  async #listed(): Promise<{ entries: QuarantineEntry[]; expired: string[] }> {
    const since = [...pairsOf(await this.#connection.zrevrange(this.#keys.quarantine, 0, -1, 'WITHSCORES'))];
    if (since.length === 0) return { entries: [], expired: [] };
    const reasons = await this.#connection.mget(since.map(([digest]) => this.#keys.quarantined(digest)));
    const found = since.map(([digest, sinceMs], index) => ({
      digest,
      sinceMs: Number(sinceMs),
      reason: reasons[index],
    }));
    return {
      entries: found.flatMap(({ reason, ...entry }) => (reason == null ? [] : [{ ...entry, reason }])),
      expired: found.flatMap(({ digest, reason }) => (reason == null ? [digest] : [])),
    };
  }
}
