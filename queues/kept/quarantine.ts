import type { Keys } from '../redis/catalog.ts';
import { type Connection, pairsOf } from '../redis/connection.ts';
import { isObject, jsonOf } from '../redis/json-text.ts';

/** What a bundle did, and for whom it ran. */
export interface QuarantineCause {
  reason: string;
  /** The job that ran it; `null` if it was run without one, or is not known. */
  jobId: string | null;
  tenant: string | null;
  negotiationId: string | null;
  worker: string | null;
}

/** A bundle that must not run again. */
export interface QuarantineEntry extends QuarantineCause {
  digest: string;
  /** Milliseconds since 1970, by Redis' clock. */
  sinceMs: number;
  /** Whether an operator has seen it: then it needs no attention. */
  acknowledged: boolean;
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

  /** Adds a bundle, with what it did or only the reason. */
  async add(digest: string, cause: string | QuarantineCause): Promise<void> {
    const [seconds] = await this.#connection.time();
    const text = typeof cause === 'string' ? cause.slice(0, 500) : JSON.stringify(cause);
    await this.#connection.set(this.#keys.quarantined(digest), text, 'EX', this.#retentionSeconds);
    await this.#connection.zadd(this.#keys.quarantine, Number(seconds) * 1_000, digest);
    const { expired } = await this.#listed();
    if (expired.length > 0) await this.#connection.zrem(this.#keys.quarantine, ...expired);
  }

  /** Whether a bundle is quarantined. */
  async has(digest: string): Promise<boolean> {
    return (await this.#connection.exists(this.#keys.quarantined(digest))) === 1;
  }

  /** Marks a bundle as seen by an operator; `false` if it is not quarantined. */
  async acknowledge(digest: string): Promise<boolean> {
    const key = this.#keys.quarantined(digest);
    const text = await this.#connection.get(key);
    if (text === null) return false;
    const marked = JSON.stringify({ ...causeIn(text), acknowledged: true });
    // XX: a bundle that was freed meanwhile must not come back.
    return (await this.#connection.set(key, marked, 'KEEPTTL', 'XX')) === 'OK';
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
    const texts = await this.#connection.mget(since.map(([digest]) => this.#keys.quarantined(digest)));
    const found = since.map(([digest, sinceMs], index) => ({
      digest,
      sinceMs: Number(sinceMs),
      text: texts[index],
    }));
    return {
      entries: found.flatMap(({ text, ...entry }) => (text == null ? [] : [{ ...entry, ...causeIn(text) }])),
      expired: found.flatMap(({ digest, text }) => (text == null ? [digest] : [])),
    };
  }
}

/** Reads a value; the text itself is the reason if an earlier version or a person wrote it. */
function causeIn(text: string): QuarantineCause & { acknowledged: boolean } {
  const said = jsonOf(text);
  const value = isObject(said) ? said : { reason: text };
  const textOf = (name: string) => (typeof value[name] === 'string' ? value[name].slice(0, 500) : null);
  return {
    reason: textOf('reason') ?? 'unknown',
    jobId: textOf('jobId'),
    tenant: textOf('tenant'),
    negotiationId: textOf('negotiationId'),
    worker: textOf('worker'),
    acknowledged: value.acknowledged === true,
  };
}
