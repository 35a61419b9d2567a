import type { Keys } from '../redis/catalog.ts';
import { type Connection, pairsOf } from '../redis/connection.ts';
import { Script } from '../redis/script.ts';

/** How long handlers are kept, and how many. */
export interface HandlerRetention {
  /** Counted from the last use; default 30 days. */
  retentionSeconds: number;
  /** Per tenant, pinned ones included; default 10,000. */
  maxPerTenant: number;
}

/** What is known of a stored handler besides its record. */
export interface HandlerEntry {
  digest: string;
  /** Milliseconds since 1970, by Redis' clock. */
  usedAtMs: number;
  pinned: boolean;
  /** Why it is no longer served; `null` if it is served. */
  withdrawn: string | null;
  /** Size of the record. */
  bytes: number;
}

/** Digests kept per look-up: the newest valid one is served, older ones are history. */
const HISTORY = 20;

/** Handlers listed or removed in one step. */
const AT_ONCE = 500;

const nowLine = `local time = redis.call('TIME') local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))`;

// KEYS record, handlers, pinned, tenants, then look-ups ARGV record, digest, tenant, retention in seconds, history.
// Returns the number of handlers. Here and below, a look-up without expiry belongs to a pinned handler.
const putScript = new Script(`
${nowLine}
if redis.call('SISMEMBER', KEYS[3], ARGV[2]) == 1 then redis.call('SET', KEYS[1], ARGV[1])
else redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[4]) end
redis.call('ZADD', KEYS[2], now, ARGV[2])
if redis.call('EXISTS', KEYS[3]) == 0 then
  redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', string.format('(%.0f', now - ARGV[4] * 1000))
  redis.call('EXPIRE', KEYS[2], ARGV[4])
end
redis.call('SADD', KEYS[4], ARGV[3])
for index = 5, #KEYS do
  local ttl = redis.call('TTL', KEYS[index])
  redis.call('ZADD', KEYS[index], now, ARGV[2])
  redis.call('ZREMRANGEBYRANK', KEYS[index], 0, -1 - ARGV[5])
  if ttl ~= -1 then redis.call('EXPIRE', KEYS[index], ARGV[4]) end
end
return redis.call('ZCARD', KEYS[2])`);

// KEYS record, handlers, pinned, then look-ups  ARGV digest, retention in seconds.
const touchScript = new Script(`
${nowLine}
redis.call('ZADD', KEYS[2], 'XX', now, ARGV[1])
if redis.call('EXISTS', KEYS[3]) == 0 then redis.call('EXPIRE', KEYS[2], ARGV[2]) end
if redis.call('SISMEMBER', KEYS[3], ARGV[1]) == 0 then redis.call('EXPIRE', KEYS[1], ARGV[2]) end
for index = 4, #KEYS do
  if redis.call('TTL', KEYS[index]) ~= -1 then redis.call('EXPIRE', KEYS[index], ARGV[2]) end
end
return 1`);

// KEYS record, pinned, handlers, then look-ups  ARGV digest, retention in seconds.
const unpinScript = new Script(`
redis.call('SREM', KEYS[2], ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[2])
if redis.call('EXISTS', KEYS[2]) == 0 then redis.call('EXPIRE', KEYS[3], ARGV[2]) end
for index = 4, #KEYS do
  local pinned = false
  for _, digest in ipairs(redis.call('ZRANGE', KEYS[index], 0, -1)) do
    pinned = pinned or redis.call('SISMEMBER', KEYS[2], digest) == 1
  end
  if not pinned then redis.call('EXPIRE', KEYS[index], ARGV[2]) end
end
return 1`);

// KEYS tenants, then the handlers of each ARGV names of the tenants. Returns those that have handlers and forgets the
// others.
const tenantsScript = new Script(`
local having = {}
for index, name in ipairs(ARGV) do
  if redis.call('EXISTS', KEYS[index + 1]) == 1 then having[#having + 1] = name else redis.call('SREM', KEYS[1], name) end
end
return having`);

/** Stores handlers' records, opaque texts, by tenant and digest, and finds them by look-up keys. */
export class HandlerRecords {
  readonly #connection: Connection;
  readonly #keys: Keys;
  readonly #retention: HandlerRetention;

  constructor(connection: Connection, keys: Keys, retention: Partial<HandlerRetention> = {}) {
    this.#connection = connection;
    this.#keys = keys;
    this.#retention = { retentionSeconds: 30 * 86_400, maxPerTenant: 10_000, ...retention };
  }

  /**
   * Stores a record under its digest and look-up keys; the newest of a look-up comes first. Removes the least recently
   * used if a tenant has too many.
   */
  async put(tenant: string, digest: string, record: string, lookups: readonly string[] = []): Promise<void> {
    const { retentionSeconds, maxPerTenant } = this.#retention;
    const { handler, handlers, pinnedHandlers, tenants } = this.#keys;
    const count = await putScript.run(
      this.#connection,
      [
        ...[handler(tenant, digest), handlers(tenant), pinnedHandlers(tenant), tenants],
        ...lookups.map((lookup) => this.#keys.handlerLookup(tenant, lookup)),
      ],
      [record, digest, tenant, retentionSeconds, HISTORY],
    );
    const tooMany = Number(count) - maxPerTenant;
    if (tooMany > 0) await this.#evict(tenant, tooMany);
  }

  /** A handler's record, withdrawn or not; `null` if there is none. */
  async get(tenant: string, digest: string): Promise<string | null> {
    return this.#connection.get(this.#keys.handler(tenant, digest));
  }

  /** The handlers under a look-up key that may be served, newest first. */
  async find(tenant: string, lookup: string): Promise<{ digest: string; record: string }[]> {
    const digests = await this.#connection.zrevrange(this.#keys.handlerLookup(tenant, lookup), 0, -1);
    if (digests.length === 0) return [];
    const withdrawn = await this.#connection.hmget(this.#keys.withdrawnHandlers(tenant), ...digests);
    const records = await this.#connection.mget(digests.map((digest) => this.#keys.handler(tenant, digest)));
    return digests.flatMap((digest, index) => {
      const record = records[index];
      return record == null || withdrawn[index] != null ? [] : [{ digest, record }];
    });
  }

  /** Records a use of a handler: its retention starts again. */
  async touch(tenant: string, digest: string, lookups: readonly string[] = []): Promise<void> {
    const { handler, handlers, pinnedHandlers } = this.#keys;
    await touchScript.run(
      this.#connection,
      [
        ...[handler(tenant, digest), handlers(tenant), pinnedHandlers(tenant)],
        ...lookups.map((lookup) => this.#keys.handlerLookup(tenant, lookup)),
      ],
      [digest, this.#retention.retentionSeconds],
    );
  }

  /** Keeps a handler and its look-ups without expiry; `false` if there is none. */
  async pin(tenant: string, digest: string, lookups: readonly string[] = []): Promise<boolean> {
    const key = this.#keys.handler(tenant, digest);
    if ((await this.#connection.exists(key)) === 0) return false;
    const { handlers, pinnedHandlers } = this.#keys;
    const writing = this.#connection
      .multi()
      .sadd(pinnedHandlers(tenant), digest)
      .persist(key)
      .persist(handlers(tenant));
    for (const lookup of lookups) writing.persist(this.#keys.handlerLookup(tenant, lookup));
    await settled(writing.exec());
    return true;
  }

  /** Lets a pinned handler expire again, with the look-ups that find no other pinned one. */
  async unpin(tenant: string, digest: string, lookups: readonly string[] = []): Promise<void> {
    const { handler, handlers, pinnedHandlers, handlerLookup } = this.#keys;
    const own = [handler(tenant, digest), pinnedHandlers(tenant), handlers(tenant)];
    await unpinScript.run(
      this.#connection,
      [...own, ...lookups.map((lookup) => handlerLookup(tenant, lookup))],
      [digest, this.#retention.retentionSeconds],
    );
  }

  /** Stops serving a handler, even if the same one is generated again; its record stays readable. */
  async withdraw(tenant: string, digest: string, reason: string): Promise<void> {
    await this.#connection.hset(this.#keys.withdrawnHandlers(tenant), digest, reason.slice(0, 500));
  }

  /** Serves a withdrawn handler again. */
  async restore(tenant: string, digest: string): Promise<void> {
    await this.#connection.hdel(this.#keys.withdrawnHandlers(tenant), digest);
  }

  /** Why a handler was withdrawn; `null` if it was not. */
  async withdrawnFor(tenant: string, digest: string): Promise<string | null> {
    return this.#connection.hget(this.#keys.withdrawnHandlers(tenant), digest);
  }

  /** Every withdrawn handler of a tenant, stored or not, with the reason. */
  async withdrawnOf(tenant: string): Promise<{ digest: string; reason: string }[]> {
    const reasons = await this.#connection.hgetall(this.#keys.withdrawnHandlers(tenant));
    return Object.entries(reasons).map(([digest, reason]) => ({ digest, reason }));
  }

  /** Deletes a handler; its withdrawal stays. */
  async remove(tenant: string, digest: string): Promise<void> {
    const writing = this.#connection.multi().del(this.#keys.handler(tenant, digest));
    writing.zrem(this.#keys.handlers(tenant), digest).srem(this.#keys.pinnedHandlers(tenant), digest);
    await settled(writing.exec());
  }

  /** A tenant's handlers, most recently used first; expired ones are skipped and deleted. */
  async list(
    tenant: string,
    { offset = 0, limit = 100 }: { offset?: number; limit?: number } = {},
  ): Promise<HandlerEntry[]> {
    const key = this.#keys.handlers(tenant);
    const entries: HandlerEntry[] = [];
    // Expired entries are deleted, so others move up.
    for (let first = offset; first < offset + limit; first = offset + entries.length) {
      const last = Math.min(first + AT_ONCE, offset + limit) - 1;
      const used = [...pairsOf(await this.#connection.zrevrange(key, first, last, 'WITHSCORES'))];
      if (used.length === 0) break;
      const found = await this.#entriesOf(tenant, used);
      const expired = found.filter(({ bytes }) => bytes === 0).map(({ digest }) => digest);
      if (expired.length > 0) await this.#connection.zrem(key, ...expired);
      entries.push(...found.filter(({ bytes }) => bytes > 0));
    }
    return entries;
  }

  /** A handler's entry in the list; `null` if none is stored. */
  async entryOf(tenant: string, digest: string): Promise<HandlerEntry | null> {
    const usedAtMs = await this.#connection.zscore(this.#keys.handlers(tenant), digest);
    const [entry] = usedAtMs === null ? [] : await this.#entriesOf(tenant, [[digest, usedAtMs]]);
    return entry === undefined || entry.bytes === 0 ? null : entry;
  }

  async #entriesOf(tenant: string, used: readonly [digest: string, atMs: string][]): Promise<HandlerEntry[]> {
    const digests = used.map(([digest]) => digest);
    const reading = this.#connection.pipeline();
    for (const digest of digests) reading.strlen(this.#keys.handler(tenant, digest));
    const sizes = (await settled(reading.exec())) as number[];
    const pinned = await this.#connection.smismember(this.#keys.pinnedHandlers(tenant), ...digests);
    const withdrawn = await this.#connection.hmget(this.#keys.withdrawnHandlers(tenant), ...digests);
    return used.map(([digest, atMs], index) => ({
      digest,
      usedAtMs: Number(atMs),
      pinned: pinned[index] === 1,
      withdrawn: withdrawn[index] ?? null,
      bytes: sizes[index] ?? 0,
    }));
  }

  /** The names of tenants that have handlers; others are forgotten. */
  async tenants(): Promise<string[]> {
    const names = await this.#connection.smembers(this.#keys.tenants);
    const lists = names.map((name) => this.#keys.handlers(name));
    return ((await tenantsScript.run(this.#connection, [this.#keys.tenants, ...lists], names)) as string[]).sort();
  }

  async #evict(tenant: string, tooMany: number): Promise<void> {
    const pinned = new Set(await this.#connection.smembers(this.#keys.pinnedHandlers(tenant)));
    const oldest = await this.#connection.zrange(this.#keys.handlers(tenant), '0', String(tooMany + pinned.size - 1));
    const evicted = oldest.filter((one) => !pinned.has(one)).slice(0, tooMany);
    // There are many if an operator lowered the limit.
    for (let at = 0; at < evicted.length; at += AT_ONCE) {
      const digests = evicted.slice(at, at + AT_ONCE);
      const writing = this.#connection.multi().unlink(...digests.map((one) => this.#keys.handler(tenant, one)));
      await settled(writing.zrem(this.#keys.handlers(tenant), ...digests).exec());
    }
  }
}

/**
 * The results of a transaction or pipeline, which itself resolves even if a command failed; rejects with its first
 * error.
 */
async function settled(running: Promise<[Error | null, unknown][] | null>): Promise<unknown[]> {
  return ((await running) ?? []).map(([error, answer]) => {
    if (error) throw error;
    return answer;
  });
}
