import { setTimeout as sleep } from 'node:timers/promises';
import type { Queue } from 'bullmq';
import { entryOf } from '../intake/intake-entries.ts';
import { type PublishedEnvelope, readEnvelope } from '../jobs/envelope.ts';
import { CANCEL_SECONDS, type Keys } from '../redis/catalog.ts';
import type { Connection } from '../redis/connection.ts';

/** How long to wait for a running job to end, in milliseconds. */
const WITHIN_MS = 3_000;

/** What became of a job that was to be cancelled. */
export type Cancelled =
  /** It ended with `JOB_CANCELLED`. */
  | { did: 'cancelled' }
  /** It ends with that within 2 s once a worker is there, or at its deadline. */
  | { did: 'asked' }
  /** It had another outcome already, or a worker was faster. */
  | { did: 'ended'; verdict: string }
  | { did: 'unknown' };

/**
 * Cancels a job: a waiting one is removed and ends at once, a running one within seconds. `queue` must give a job its
 * outcome before it removes it. A job has one outcome, whatever else happens to it at the same time.
 */
export async function cancelJob(
  jobId: string,
  queue: Queue,
  connection: Connection,
  keys: Keys,
  withinMs = WITHIN_MS,
): Promise<Cancelled> {
  const isQueued = (await connection.exists(`${keys.queue}:${jobId}`)) === 1;
  const isKnown = isQueued || (await entryOf(connection, keys, jobId)) !== null;
  // Last: a job that ends meanwhile has its outcome before it is removed.
  const outcome = await outcomeOf(jobId, connection, keys);
  if (outcome !== null) return { did: 'ended', verdict: outcome.verdict };
  if (!isKnown) return { did: 'unknown' };
  await connection.set(keys.cancel(jobId), '1', 'EX', CANCEL_SECONDS);
  // Refused while a worker has the job: that one sees the request.
  if (isQueued) await queue.remove(jobId).catch(() => 0);
  for (const untilMs = performance.now() + withinMs; ; ) {
    const found = await outcomeOf(jobId, connection, keys);
    if (found !== null) return isCancelled(found) ? { did: 'cancelled' } : { did: 'ended', verdict: found.verdict };
    if (performance.now() >= untilMs) return { did: 'asked' };
    await sleep(100);
  }
}

async function outcomeOf(jobId: string, connection: Connection, keys: Keys): Promise<PublishedEnvelope | null> {
  return readEnvelope((await connection.get(keys.outcome(jobId))) ?? '');
}

function isCancelled({ findings }: PublishedEnvelope): boolean {
  return findings.some((finding) => Object(finding).code === 'JOB_CANCELLED');
}
