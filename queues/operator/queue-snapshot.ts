import type { Queue } from 'bullmq';
import { INTAKE_GROUP } from '../intake/intake-entries.ts';
import { Endpoints, type RestingEndpoint } from '../kept/endpoints.ts';
import { Quarantine } from '../kept/quarantine.ts';
import type { Keys } from '../redis/catalog.ts';
import type { Connection } from '../redis/connection.ts';
import { keysLike } from '../redis/keys-like.ts';
import { QueueError } from '../redis/queue-error.ts';
import { Script } from '../redis/script.ts';
import { keyTaken, type RedisFacts, redisFacts } from './redis-facts.ts';

/** Stream entries counted in one call, which blocks Redis for a millisecond. */
const COUNTED_AT_ONCE = 1_000;

/** A consumer group of an outcome stream. */
export interface GroupSnapshot {
  name: string;
  /** Entries read and not acknowledged. */
  pending: number;
  /** Unread entries; `null` if Redis cannot tell. */
  lag: number | null;
}

/** The state of the queue. Ages are in seconds by Redis' clock, `null` if there is nothing to measure. */
export interface QueueSnapshot {
  counts: { waiting: number; prioritized: number; delayed: number; active: number; failed: number; completed: number };
  oldestWaitingAgeSeconds: number | null;
  oldestFailedAgeSeconds: number | null;
  paused: boolean;
  rateLimitTtlMs: number;
  /** `null` if Redis does not list its clients. */
  workers: number | null;
  outcomes: { replyTo: string; length: number; groups: GroupSnapshot[] }[];
  intake: { length: number; pending: number };
  deadlines: { open: number; overdue: number };
  quarantined: number;
  /** Rate limited model endpoints. */
  resting: RestingEndpoint[];
  /** Model endpoints whose circuit opened and that have not answered since. */
  failing: string[];
  /** Those of them that refuse our key, account or model. */
  refused: string[];
  redis: RedisFacts;
}

/**
 * Takes a snapshot of the queue, its streams and its Redis. Meant for one monitor, not for every worker. Rejects with
 * `OPERATOR_REDIS_KEY_TAKEN` if a job is stored in the place of one of BullMQ's keys, so that nothing can be counted.
 */
export async function queueSnapshot(queue: Queue, connection: Connection, keys: Keys): Promise<QueueSnapshot> {
  const [seconds] = await connection.time();
  const nowMs = Number(seconds) * 1_000;
  const redis = await redisFacts(connection, keys);
  const [taken] = redis.takenKeys ?? [];
  if (taken !== undefined) {
    const { code, message } = keyTaken(taken);
    throw new QueueError(code, message);
  }
  const counts = await queue.getJobCounts('waiting', 'prioritized', 'delayed', 'active', 'failed', 'completed');
  const streams = await outcomeStreams(connection, keys);
  const faults = await new Endpoints(connection, keys).faults();
  return {
    counts: {
      waiting: counts.waiting ?? 0,
      prioritized: counts.prioritized ?? 0,
      delayed: counts.delayed ?? 0,
      active: counts.active ?? 0,
      failed: counts.failed ?? 0,
      completed: counts.completed ?? 0,
    },
    oldestWaitingAgeSeconds: await oldestWaiting(connection, keys, nowMs),
    oldestFailedAgeSeconds: await oldestFailed(connection, keys, nowMs),
    paused: await queue.isPaused(),
    rateLimitTtlMs: Math.max(0, await queue.getRateLimitTtl()),
    workers: await queue.getWorkersCount().catch(() => null),
    outcomes: await Promise.all(
      streams.map(async (stream) => ({
        replyTo: stream.slice(keys.outcomes('').length),
        length: await connection.xlen(stream),
        groups: await groupsOf(connection, stream),
      })),
    ),
    intake: {
      length: await connection.xlen(keys.intake),
      pending: (await groupsOf(connection, keys.intake)).find((group) => group.name === INTAKE_GROUP)?.pending ?? 0,
    },
    deadlines: {
      open: await connection.zcard(keys.deadlines),
      overdue: await connection.zcount(keys.deadlines, 0, nowMs),
    },
    quarantined: await new Quarantine(connection, keys).count(),
    resting: await new Endpoints(connection, keys).resting(),
    failing: faults.map(({ endpoint }) => endpoint),
    refused: faults.flatMap(({ endpoint, fault }) => (fault?.refused ? [endpoint] : [])),
    redis,
  };
}

/** The keys of all outcome streams. Scans the whole database. */
export async function outcomeStreams(connection: Connection, keys: Keys): Promise<string[]> {
  const names = await keysLike(connection, keys.outcomes(''));
  const types = await Promise.all(names.map((name) => connection.type(name)));
  // Values of other types were written by hand; they are put aside with the next outcome.
  return names.filter((_, index) => types[index] === 'stream');
}

// KEYS[1] stream ARGV first id, most entries. Returns the number of entries and the last id. The entries themselves
// stay in Redis.
const countScript = new Script(`
local entries = redis.call('XRANGE', KEYS[1], ARGV[1], '+', 'COUNT', ARGV[2])
return { #entries, #entries > 0 and entries[#entries][1] or '' }`);

/** The number of entries that a stream got since `sinceMs` (milliseconds since 1970, by Redis' clock). */
export async function entriesSince(connection: Connection, stream: string, sinceMs: number): Promise<number> {
  let total = 0;
  for (let first = String(sinceMs); ; ) {
    const [count, last] = (await countScript.run(connection, [stream], [first, COUNTED_AT_ONCE])) as [number, string];
    total += count;
    if (count < COUNTED_AT_ONCE) return total;
    first = `(${last}`;
  }
}

/**
 * The age of the job that has waited longest, on the queue or the intake stream. BullMQ adds new jobs on the left of
 * its list.
 */
async function oldestWaiting(connection: Connection, keys: Keys, nowMs: number): Promise<number | null> {
  const jobIds = [
    await connection.lindex(`${keys.queue}:wait`, -1),
    ...(await connection.zrange(`${keys.queue}:prioritized`, '0', '0')),
  ];
  const stamps = await Promise.all(
    jobIds.flatMap((jobId) =>
      jobId === null
        ? []
        : [
            // Recorded when Redis took the job, since the producer's clock may be wrong.
            connection
              .hmget(`${keys.queue}:${jobId}`, 'takenAtMs', 'timestamp')
              .then(([at, stamp]) => at ?? stamp ?? null),
          ],
    ),
  );
  // Bridged entries are deleted, so the first one is the oldest that is no job yet.
  const entries = await connection.xrange(keys.intake, '-', '+', 'COUNT', 1);
  const oldestMs = Math.min(
    ...stamps.flatMap((stamp) => (stamp === null ? [] : [Number(stamp)])),
    ...entries.map(([id]) => Number.parseInt(id, 10)),
  );
  return Number.isFinite(oldestMs) ? Math.max(0, (nowMs - oldestMs) / 1_000) : null;
}

async function oldestFailed(connection: Connection, keys: Keys, nowMs: number): Promise<number | null> {
  const [, failedAtMs] = await connection.zrange(`${keys.queue}:failed`, '0', '0', 'WITHSCORES');
  return failedAtMs === undefined ? null : Math.max(0, (nowMs - Number(failedAtMs)) / 1_000);
}

async function groupsOf(connection: Connection, stream: string): Promise<GroupSnapshot[]> {
  const groups = (await connection.xinfo('GROUPS', stream).catch(() => [])) as (string | number | null)[][];
  return groups.map((flat) => {
    const value = (name: string) => flat[flat.indexOf(name) + 1];
    const lag = flat.includes('lag') ? value('lag') : null;
    return {
      name: String(value('name')),
      pending: Number(value('pending')),
      lag: lag === null || lag === undefined ? null : Number(lag),
    };
  });
}
