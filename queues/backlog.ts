import type { Keys } from './catalog.ts';
import type { Connection } from './connection.ts';
import { parseData } from './delivery.ts';
import type { JobReader } from './job-reader.ts';
import { outcomeStreams } from './queue-snapshot.ts';
import { Script } from './script.ts';

/** Jobs read from each end of the queue to tell whose they are. */
const SAMPLE = 100;

/** Deadlines read, the next first. */
const DEADLINES = 5_000;

/** Data of a job that are parsed to tell its tenant, in bytes; of larger ones only the name is looked for. */
const PARSED_BYTES = 32_768;

/** How far the jobs of a tenant got. */
export interface TenantShare {
  tenant: string;
  /** Estimated from a sample of both ends of the queue where more jobs wait. */
  waiting: number;
  running: number;
}

/** Deadlines of jobs without an outcome. */
export interface Deadlines {
  open: number;
  /** Milliseconds until the next deadlines, the next first; not more than some thousands. */
  leftMs: number[];
}

/** How far a consumer group of an outcome stream is behind. */
export interface ReaderLag {
  replyTo: string;
  group: string;
  unread: number | null;
  pending: number;
  behindSeconds: number | null;
}

// KEYS jobs ARGV[1] most bytes. Returns kind and data of each; of long data a stand-in with the tenant.
const namesScript = new Script(`
local found = {}
for index, key in ipairs(KEYS) do
  local kind, data = unpack(redis.call('HMGET', key, 'name', 'data'))
  data = data or ''
  if #data > tonumber(ARGV[1]) then
    local tenant = string.match(data, '"tenant"%s*:%s*"([%w_-]+)"')
    data = tenant and '{"tenant":"' .. tenant .. '"}' or ''
  end
  found[index] = { kind or '', data }
end
return found`);

/** Whose jobs wait and run. */
export async function tenantShares(connection: Connection, keys: Keys, jobs: JobReader): Promise<TenantShare[]> {
  const list = `${keys.queue}:wait`;
  const sorted = `${keys.queue}:prioritized`;
  const [inList, inOrder] = [await connection.llen(list), await connection.zcard(sorted)];
  const sampled = await Promise.all([
    connection.lrange(list, 0, SAMPLE - 1),
    inList > SAMPLE ? connection.lrange(list, Math.max(SAMPLE - inList, -SAMPLE), -1) : [],
    connection.zrange(sorted, '0', String(SAMPLE - 1)),
    inOrder > SAMPLE ? connection.zrevrange(sorted, 0, Math.min(inOrder - SAMPLE, SAMPLE) - 1) : [],
  ]);
  const waiting = await tenantsOf(connection, keys, jobs, sampled.flat());
  const running = await tenantsOf(
    connection,
    keys,
    jobs,
    await connection.lrange(`${keys.queue}:active`, 0, SAMPLE - 1),
  );
  const scale = (inList + inOrder) / Math.max(1, sampled.flat().length);
  const names = new Set([...waiting.keys(), ...running.keys()]);
  return [...names]
    .map((tenant) => ({
      tenant,
      waiting: Math.round((waiting.get(tenant) ?? 0) * scale),
      running: running.get(tenant) ?? 0,
    }))
    .sort((one, other) => other.waiting + other.running - one.waiting - one.running);
}

async function tenantsOf(
  connection: Connection,
  keys: Keys,
  jobs: JobReader,
  jobIds: readonly string[],
): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  if (jobIds.length === 0) return counts;
  const names = jobIds.map((jobId) => `${keys.queue}:${jobId}`);
  const found = (await namesScript.run(connection, names, [PARSED_BYTES])) as [kind: string, data: string][];
  for (const [kind, data] of found) {
    const tenant = jobs.factsOf(kind, parseData(data)).tenant ?? 'unknown';
    counts.set(tenant, (counts.get(tenant) ?? 0) + 1);
  }
  return counts;
}

/** The deadlines of jobs without an outcome. */
export async function openDeadlines(connection: Connection, keys: Keys): Promise<Deadlines> {
  const nowMs = await clockOf(connection);
  const flat = await connection.zrange(keys.deadlines, '0', String(DEADLINES - 1), 'WITHSCORES');
  return {
    open: await connection.zcard(keys.deadlines),
    leftMs: flat.flatMap((score, index) => (index % 2 === 1 ? [Number(score) - nowMs] : [])),
  };
}

/** How far each consumer group of every outcome stream is behind. */
export async function readerLags(connection: Connection, keys: Keys): Promise<ReaderLag[]> {
  const nowMs = await clockOf(connection);
  const streams = await outcomeStreams(connection, keys);
  const lags = await Promise.all(streams.map((stream) => lagsOf(connection, stream, nowMs)));
  return streams.flatMap((stream, index) =>
    (lags[index] ?? []).map((lag) => ({ replyTo: stream.slice(keys.outcomes('').length), ...lag })),
  );
}

async function lagsOf(connection: Connection, stream: string, nowMs: number): Promise<Omit<ReaderLag, 'replyTo'>[]> {
  const groups = (await connection.xinfo('GROUPS', stream)) as (string | number | null)[][];
  return Promise.all(
    groups.map(async (flat) => {
      const about = (name: string) => (flat.includes(name) ? flat[flat.indexOf(name) + 1] : null);
      const group = String(about('name'));
      const pending = Number(about('pending'));
      const unread = about('lag') === null ? null : Number(about('lag'));
      const delivered = String(about('last-delivered-id'));
      const [[next] = []] = unread === 0 ? [] : await connection.xrange(stream, `(${delivered}`, '+', 'COUNT', 1);
      const [, first] = pending === 0 ? [] : ((await connection.xpending(stream, group)) as [number, string | null]);
      const oldestMs = Math.min(...[next, first].flatMap((id) => (id == null ? [] : [Number.parseInt(id, 10)])));
      return {
        group,
        unread,
        pending,
        behindSeconds: Number.isFinite(oldestMs) ? Math.max(0, (nowMs - oldestMs) / 1_000) : null,
      };
    }),
  );
}

async function clockOf(connection: Connection): Promise<number> {
  const [seconds, micros] = await connection.time();
  return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
}
