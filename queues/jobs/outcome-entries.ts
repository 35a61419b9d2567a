import type { Keys } from '../redis/catalog.ts';
import { type Connection, pairsOf } from '../redis/connection.ts';
import { eachOf } from '../redis/each-of.ts';
import { endedJobs } from './ended-jobs.ts';
import { readEnvelope } from './envelope.ts';
import type { Outcomes } from './outcomes.ts';

/** An entry of an outcome stream. */
export interface OutcomeEntry {
  /** By which Redis knows it; begins with the time in milliseconds since 1970. */
  id: string;
  jobId: string;
  kind: string;
  negotiationId: string | null;
  /** Empty for entries before or after the outcome. */
  verdict: string;
  final: boolean;
  replayed: boolean;
}

/** The entries of an outcome stream, the newest first. */
export async function outcomeEntries(
  connection: Connection,
  keys: Keys,
  { replyTo, limit }: { replyTo: string; limit: number },
): Promise<OutcomeEntry[]> {
  const entries = await connection.xrevrange(keys.outcomes(replyTo), '+', '-', 'COUNT', limit);
  return entries.map(([id, fields]) => {
    const entry = pairsOf(fields);
    return {
      id,
      jobId: entry.get('jobId') ?? '',
      kind: entry.get('kind') ?? '',
      negotiationId: entry.get('negotiationId') || null,
      verdict: entry.get('verdict') ?? '',
      final: entry.get('final') === '1',
      replayed: entry.get('replayed') === '1',
    };
  });
}

/** Which outcomes to announce again: those of jobs, or all of a stream since a time. */
export type ReplayFilter = { jobIds: readonly string[] } | { replyTo: string; sinceMs: number };

/**
 * The jobs whose outcomes a filter means, with their streams, the oldest first. Jobs that are not on the list of ended
 * jobs are missing.
 */
export async function replayable(
  connection: Connection,
  keys: Keys,
  filter: ReplayFilter,
): Promise<{ jobId: string; replyTo: string }[]> {
  const wanted = 'jobIds' in filter ? new Set(filter.jobIds) : null;
  const found: { jobId: string; replyTo: string }[] = [];
  for await (const { jobId, replyTo } of endedJobs(connection, keys, 'sinceMs' in filter ? filter.sinceMs : 0)) {
    const isMeant = wanted === null ? 'replyTo' in filter && replyTo === filter.replyTo : wanted.delete(jobId);
    if (isMeant) found.push({ jobId, replyTo });
    if (wanted?.size === 0) break;
  }
  return found.reverse();
}

/**
 * Announces outcomes again, each as a final entry with `replayed` = 1 on its stream. Resolves to the ids of those that
 * are gone. Nothing but the stream changes; a reader that acknowledged the first entry gets another one.
 */
export async function replayOutcomes(
  jobs: readonly { jobId: string; replyTo: string }[],
  outcomes: Outcomes,
): Promise<{ replayed: string[]; gone: string[] }> {
  const done = { replayed: [] as string[], gone: [] as string[] };
  const failures: unknown[] = [];
  const replayOne = async ({ jobId, replyTo }: { jobId: string; replyTo: string }) => {
    const envelope = readEnvelope((await outcomes.textOf(jobId)) ?? '');
    if (envelope === null) return void done.gone.push(jobId);
    await outcomes.announce(envelope, { jobId, replyTo }, true);
    done.replayed.push(jobId);
  };
  await eachOf(jobs, replayOne, (error) => failures.push(error));
  if (failures.length > 0) throw failures[0];
  return done;
}
