import {
  type Connection,
  entriesSince,
  Histories,
  type Keys,
  outcomeStreams,
  type RedisFacts,
  readEnvelope,
} from '../../../queues/index.ts';
import { size } from '../shell/print.ts';

/** How Redis' memory may grow, based on the last hour. */
export interface MemoryProjection {
  /** What the operator should know; `null` if there is enough memory. */
  warning: string | null;
  details: { outcomesLastHour: number; bytesPerOutcome: number | null; projectedBytesIn24h: number | null };
}

/** Outcomes that are measured, over all streams; their mean stands for all. */
const sampled = 50;

const hourMs = 3_600_000;

/** Share of `maxmemory` above which to warn: Redis needs memory for its own copies. */
const roomy = 0.7;

/**
 * Projects Redis' memory in 24 hours: the present use, plus outcomes at the rate and mean size of the last hour, with
 * their stream entries, handlers and histories. Ignores expiry and jobs that pile up.
 */
export async function projectMemory(connection: Connection, keys: Keys, facts: RedisFacts): Promise<MemoryProjection> {
  const { usedMemoryBytes: used, maxmemoryBytes: most } = facts;
  const [seconds] = await connection.time();
  const sinceMs = Number(seconds) * 1_000 - hourMs;
  const streams = await outcomeStreams(connection, keys);
  const looked = Math.ceil(sampled / Math.max(1, streams.length));
  const paces = await Promise.all(
    streams.map(async (stream) => {
      const lastHour = await entriesSince(connection, stream, sinceMs);
      const sample = await connection.xrevrange(stream, '+', sinceMs, 'COUNT', looked);
      const bytes = await Promise.all(sample.map(([, fields]) => bytesOf(connection, keys, fields)));
      return { lastHour, bytes: bytes.length === 0 ? 0 : total(bytes) / bytes.length };
    }),
  );
  const lastHour = total(paces.map((pace) => pace.lastHour));
  const hourly = total(paces.map((pace) => pace.lastHour * pace.bytes));
  const projected = used === null || lastHour === 0 ? null : Math.round(used + hourly * 24);
  return {
    warning:
      projected !== null && most !== null && most > 0 && projected > roomy * most
        ? `in 24 hours Redis may hold ${size(projected)} of ${size(most)}: give it more memory, or shorten the retention`
        : null,
    details: {
      outcomesLastHour: lastHour,
      bytesPerOutcome: lastHour === 0 ? null : Math.round(hourly / lastHour),
      projectedBytesIn24h: projected,
    },
  };
}

/**
 * The bytes behind one stream entry: its own, and for the first entry of an outcome those of the outcome, of the
 * handler made for it, and of its job's history.
 */
async function bytesOf(connection: Connection, keys: Keys, fields: readonly string[]): Promise<number> {
  const entry = fields.join('').length;
  const valueUnder = (name: string) => fields.find((_, at) => at % 2 === 1 && fields[at - 1] === name);
  if (valueUnder('final') !== '1' || valueUnder('replayed') === '1') return entry;
  const text = (await connection.get(keys.outcome(valueUnder('jobId') ?? ''))) ?? '';
  const { handler, report, tenant } = Object(readEnvelope(text));
  const made = Object(report).reused === true ? undefined : Object(handler).digest;
  const record = typeof made === 'string' ? await connection.strlen(keys.handler(String(tenant), made)) : 0;
  const history = await new Histories(connection, keys).bytesOf(valueUnder('jobId') ?? '');
  return entry + Buffer.byteLength(text) + record + history;
}

function total(amounts: readonly number[]): number {
  return amounts.reduce((sum, each) => sum + each, 0);
}
