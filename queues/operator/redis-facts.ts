import { misplacedJobs } from '../keeper/misplaced-jobs.ts';
import type { Keys } from '../redis/catalog.ts';
import type { Connection } from '../redis/connection.ts';
import type { QueueCode } from '../redis/queue-error.ts';

/** What an operator must know about a Redis. `null` if it does not say. */
export interface RedisFacts {
  version: string | null;
  server: 'redis' | 'valkey' | 'dragonfly' | 'unknown';
  maxmemoryPolicy: string | null;
  /** 0 = no limit. */
  maxmemoryBytes: number | null;
  usedMemoryBytes: number | null;
  appendonly: boolean | null;
  /** Whether snapshots are configured or were made. */
  snapshots: boolean | null;
  /** Whether it is a replica, which takes no writes. */
  replica?: boolean | null;
  /** Seconds since it started. */
  uptimeSeconds?: number | null;
  /** How far the local clock is ahead of Redis', in milliseconds. */
  clockAheadMs: number;
  /** BullMQ's keys in whose place a job is stored; absent if that was not checked. */
  takenKeys?: readonly string[];
}

/** Reads the facts that decide whether jobs are safe in a Redis; with our keys, also whether the queue is intact. */
export async function redisFacts(connection: Connection, keys?: Keys): Promise<RedisFacts> {
  const before = Date.now();
  const [seconds, micros] = await connection.time();
  const after = Date.now();
  // Not the `info` method, which invents an answer if the command is forbidden.
  const info = parseInfo(await connection.call('INFO').then(String, () => ''));
  const setting = async (name: string): Promise<string | null> => {
    try {
      const answer = (await connection.config('GET', name)) as string[];
      return answer[1] ?? null;
    } catch {
      // Managed services forbid CONFIG.
      return null;
    }
  };
  const save = await setting('save');
  const appendonly = await setting('appendonly');
  const aofEnabled = info.get('aof_enabled');
  return {
    version: info.get('valkey_version') ?? info.get('redis_version') ?? null,
    server: serverOf(info),
    maxmemoryPolicy: info.get('maxmemory_policy') ?? (await setting('maxmemory-policy')),
    maxmemoryBytes: numberOf(info.get('maxmemory') ?? (await setting('maxmemory'))),
    usedMemoryBytes: numberOf(info.get('used_memory')),
    appendonly: appendonly !== null ? appendonly === 'yes' : aofEnabled === undefined ? null : aofEnabled === '1',
    snapshots: save === null ? null : save !== '',
    replica: info.has('role') ? info.get('role') === 'slave' : null,
    uptimeSeconds: numberOf(info.get('uptime_in_seconds')),
    clockAheadMs: Math.round((before + after) / 2 - Number(seconds) * 1_000 - Number(micros) / 1_000),
    ...(keys === undefined
      ? {}
      : { takenKeys: (await misplacedJobs(connection, keys)).map((jobId) => `${keys.queue}:${jobId}`) }),
  };
}

function parseInfo(text: string): Map<string, string> {
  return new Map(
    text
      .split(/\r?\n/)
      .map((line) => /^([^#:]+):(.*)$/.exec(line))
      .flatMap((match) => (match?.[1] === undefined ? [] : [[match[1], match[2] ?? ''] as const])),
  );
}

function serverOf(info: Map<string, string>): RedisFacts['server'] {
  if (info.has('valkey_version') || info.get('server_name') === 'valkey') return 'valkey';
  if (info.has('dragonfly_version')) return 'dragonfly';
  return info.has('redis_version') ? 'redis' : 'unknown';
}

function numberOf(text: string | null | undefined): number | null {
  if (text === null || text === undefined || !/^\d+$/.test(text)) return null;
  return Number(text);
}

/** A fault of a Redis. */
export interface RedisFault {
  code: Extract<QueueCode, `OPERATOR_REDIS_${string}`>;
  /** `error`: jobs or outcomes may be lost in normal operation; `warning`: they may be when Redis restarts, or soon. */
  severity: 'error' | 'warning';
  message: string;
}

/** The oldest version of Redis that has every command used here. */
const OLDEST = [6, 2] as const;

/** The faults of a Redis. With `durable`, losing data on restart is an error too. */
export function judgeRedis(facts: RedisFacts, { durable = false }: { durable?: boolean } = {}): RedisFault[] {
  const faults: RedisFault[] = [];
  faults.push(...(facts.takenKeys ?? []).map(keyTaken));
  const { maxmemoryPolicy: policy, maxmemoryBytes: most, usedMemoryBytes: used } = facts;
  if (facts.replica === true) {
    faults.push({
      code: 'OPERATOR_REDIS_REPLICA',
      severity: 'error',
      message: 'Cannot write to Redis: found a replica, wanted its master in REDIS_URL',
    });
  }
  if (policy !== null && policy !== 'noeviction') {
    faults.push({
      code: 'OPERATOR_REDIS_EVICTS',
      severity: 'error',
      message: `Cannot rely on Redis: found maxmemory-policy ${policy}, wanted noeviction`,
    });
  }
  if (facts.appendonly === false) {
    const kept = facts.snapshots === true ? 'snapshots only' : 'nothing';
    faults.push({
      code: 'OPERATOR_REDIS_NOT_DURABLE',
      severity: durable ? 'error' : 'warning',
      message: `Cannot keep jobs over a restart of Redis: found ${kept} written to disk, wanted appendonly yes`,
    });
  }
  if (durable && facts.appendonly === null) {
    faults.push({
      code: 'OPERATOR_REDIS_DURABILITY_UNKNOWN',
      severity: 'warning',
      message: 'Cannot tell whether Redis keeps jobs over a restart: found no answer, wanted appendonly yes',
    });
  }
  const [major = 0, minor = 0] = (facts.version ?? '').split('.').map(Number);
  if (facts.server === 'redis' && (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]))) {
    faults.push({
      code: 'OPERATOR_REDIS_TOO_OLD',
      severity: 'error',
      message: `Cannot use Redis: found version ${facts.version}, wanted ${OLDEST.join('.')} or later`,
    });
  }
  if (most !== null && most > 0 && used !== null && used > 0.7 * most) {
    faults.push({
      code: 'OPERATOR_REDIS_NEARLY_FULL',
      severity: 'warning',
      message: `Cannot rely on Redis: found ${Math.round((100 * used) / most)} % of maxmemory used, wanted at most 70 %`,
    });
  }
  return faults;
}

/** The fault of a job stored in the place of one of BullMQ's keys. */
export function keyTaken(key: string): RedisFault {
  return {
    code: 'OPERATOR_REDIS_KEY_TAKEN',
    severity: 'error',
    message: `Cannot use the queue: found a job at ${key}, wanted what BullMQ keeps there; a worker removes it, or DEL does`,
  };
}
