import type { Connection, Keys, RedisFacts } from '../../queues/index.ts';
import { size } from './print.ts';

/** How memory may grow, as far as the last hour tells. */
export interface MemoryProjection {
  /** Why an operator should look; `null` where there is room. */
  warning: string | null;
  details: { outcomesLastHour: number; bytesPerOutcome: number | null; projectedBytesIn24h: number | null };
}

/** Outcomes whose size is asked for; their mean stands for all. */
const sampled = 50;

const hourMs = 3_600_000;

/** Share of `maxmemory` beyond which an operator is told: Redis wants room for its own copies. */
const roomy = 0.7;

/**
 * Projects what Redis will hold in 24 hours: what it holds, and outcomes at the pace of the last hour in their mean size with their stream entries. What
 * expires meanwhile is not taken off, so it is an upper bound. Looks at the outcome stream `default`.
 */
export async function projectMemory(connection: Connection, keys: Keys, facts: RedisFacts): Promise<MemoryProjection> {
  const { usedMemoryBytes: used, maxmemoryBytes: most } = facts;
  const [seconds] = await connection.time();
  const sinceMs = Number(seconds) * 1_000 - hourMs;
  const stream = keys.outcomes('default');
  const latest = await connection.xrevrange(stream, '+', sinceMs, 'COUNT', sampled);
  const lastHour = await countSince(connection, stream, sinceMs, latest);
  const bytes = await Promise.all(
    latest.map(async ([, fields]) => {
      const jobId = fields[fields.indexOf('jobId') + 1] ?? '';
      return (await connection.strlen(keys.outcome(jobId))) + fields.join('').length;
    }),
  );
  const bytesPerOutcome =
    bytes.length === 0 ? null : Math.round(bytes.reduce((sum, each) => sum + each, 0) / bytes.length);
  const growth = bytesPerOutcome === null ? null : bytesPerOutcome * lastHour * 24;
  const projected = used === null || growth === null ? null : used + growth;
  return {
    warning:
      projected !== null && most !== null && most > 0 && projected > roomy * most
        ? `in 24 hours Redis may hold ${size(projected)} of ${size(most)}: give it more memory, or shorten the retention`
        : null,
    details: { outcomesLastHour: lastHour, bytesPerOutcome, projectedBytesIn24h: projected },
  };
}

/** How many entries came within the time: the newest are timed where there are too many to fetch them all. */
async function countSince(
  connection: Connection,
  stream: string,
  sinceMs: number,
  latest: readonly [string, string[]][],
): Promise<number> {
  if (latest.length < sampled) return latest.length;
  const [first] = await connection.xrange(stream, sinceMs, '+', 'COUNT', 1);
  const timeOf = (id: string | undefined) => Number(id?.split('-', 1)[0]);
  const oldestSampledMs = timeOf(latest.at(-1)?.[0]);
  const newestMs = timeOf(latest[0]?.[0]);
  const pace = sampled / Math.max(1, newestMs - oldestSampledMs);
  // A burst is not a day: the pace of the newest counts for the span in which entries came, no longer.
  return Math.round(Math.min(pace * (newestMs - timeOf(first?.[0])), await connection.xlen(stream)));
}
