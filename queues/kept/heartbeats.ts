import type { Keys } from '../redis/catalog.ts';
import type { Connection } from '../redis/connection.ts';
import { jsonOf } from '../redis/json-text.ts';
import { Script } from '../redis/script.ts';

/** How long the last heartbeat of a worker is kept, in milliseconds: operators look for its cause meanwhile. */
const KEPT_MS = 3_600_000;

/** Longest heartbeat, in UTF-16 units. A longer one is not written. */
const MAX_TEXT = 32_768;

/** Most workers that are remembered; the longest silent are forgotten first. */
const MAX_WORKERS = 500;

/** The last heartbeat of a worker. */
export interface Heard {
  worker: string;
  /** Milliseconds since 1970, by Redis' clock. */
  atMs: number;
  /** The parsed JSON; anything, if it was written by hand. */
  said: unknown;
}

// KEYS heartbeats, heard ARGV worker, text, kept in ms, most workers.
const beatScript = new Script(`
local time = redis.call('TIME') local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('ZADD', KEYS[2], string.format('%.0f', now), ARGV[1])
local old = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', string.format('%.0f', now - ARGV[3]))
local over = redis.call('ZCARD', KEYS[2]) - ARGV[4]
if over > #old then old = redis.call('ZRANGE', KEYS[2], 0, over - 1) end
for _, worker in ipairs(old) do
  redis.call('HDEL', KEYS[1], worker)
  redis.call('ZREM', KEYS[2], worker)
end
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call('PEXPIRE', KEYS[2], ARGV[3])
return 1`);

/** What workers say of themselves, one record each, for an hour. */
export class Heartbeats {
  readonly #connection: Connection;
  readonly #keys: Keys;

  constructor(connection: Connection, keys: Keys) {
    this.#connection = connection;
    this.#keys = keys;
  }

  /** Replaces a worker's record. Rejects like the connection. */
  async beat(worker: string, said: object): Promise<void> {
    const text = JSON.stringify(said);
    if (text.length > MAX_TEXT) return;
    const { heartbeats, heard } = this.#keys;
    await beatScript.run(this.#connection, [heartbeats, heard], [worker, text, KEPT_MS, MAX_WORKERS]);
  }

  /** The last record of every worker, the latest first. */
  async list(): Promise<Heard[]> {
    const flat = await this.#connection.zrevrange(this.#keys.heard, 0, MAX_WORKERS - 1, 'WITHSCORES');
    const workers = flat.flatMap((worker, index) =>
      index % 2 === 0 ? [{ worker, atMs: Number(flat[index + 1]) }] : [],
    );
    if (workers.length === 0) return [];
    const texts = await this.#connection.hmget(this.#keys.heartbeats, ...workers.map(({ worker }) => worker));
    return workers.map((one, index) => ({ ...one, said: jsonOf(texts[index] ?? '') }));
  }
}
