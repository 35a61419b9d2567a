import type { Keys } from '../redis/catalog.ts';
import { type Connection, pairsOf } from '../redis/connection.ts';

/** Entries read at once. */
const AT_ONCE = 1_000;

/** A job that has its outcome. */
export interface EndedJob {
  jobId: string;
  kind: string;
  negotiationId: string | null;
  tenant: string | null;
  verdict: string;
  /** Codes of the errors among its findings. */
  codes: string[];
  replyTo: string;
  /** When its outcome was published, in milliseconds since 1970 by Redis' clock. */
  endedAtMs: number;
}

/**
 * The jobs that ended since `sinceMs`, the newest first. The list has the last 50,000 or so; those that a reader of
 * another language closed are not on it.
 */
export async function* endedJobs(connection: Connection, keys: Keys, sinceMs = 0): AsyncGenerator<EndedJob> {
  for (let to = '+', read = AT_ONCE; read === AT_ONCE; ) {
    const entries = await connection.xrevrange(
      keys.ended,
      to,
      String(Math.max(0, Math.round(sinceMs))),
      'COUNT',
      AT_ONCE,
    );
    for (const [id, fields] of entries) {
      to = `(${id}`;
      const job = endedJobIn(id, fields);
      if (job !== null) yield job;
    }
    read = entries.length;
  }
}

function endedJobIn(id: string, fields: string[]): EndedJob | null {
  const entry = pairsOf(fields);
  const jobId = entry.get('jobId');
  if (jobId === undefined) return null;
  return {
    jobId,
    kind: entry.get('kind') ?? '',
    negotiationId: entry.get('negotiationId') || null,
    tenant: entry.get('tenant') || null,
    verdict: entry.get('verdict') ?? '',
    codes: (entry.get('codes') ?? '').split(',').filter((code) => code !== ''),
    replyTo: entry.get('replyTo') || 'default',
    endedAtMs: Number.parseInt(id, 10),
  };
}
