import { pairsOf } from '../redis/connection.ts';
import { isUnwritable } from '../redis/redis-refusal.ts';
import { Script } from '../redis/script.ts';
import type { KeeperOptions } from './keeper-options.ts';

// KEYS[1] due ARGV[1] job id ARGV[2] the due time that was read. A job that was delayed again has another one and keeps
// it.
const forgetDue = new Script(
  `if redis.call('ZSCORE', KEYS[1], ARGV[1]) == ARGV[2] then redis.call('ZREM', KEYS[1], ARGV[1]) end return 1`,
);

/** How long after its due time a delayed job is left to BullMQ, in milliseconds. */
const OVERDUE_MS = 500;

/** Most jobs promoted in one step. */
const BATCH = 200;

/**
 * Promotes the delayed jobs that are due by Redis' clock. BullMQ promotes them by its workers' clocks, and a slow clock
 * would leave them delayed.
 */
export async function promoteDue({ connection, keys, queue, outcomes }: KeeperOptions): Promise<void> {
  const nowMs = await outcomes.nowMs();
  const due = await connection.zrangebyscore(keys.due, '-inf', nowMs - OVERDUE_MS, 'WITHSCORES', 'LIMIT', 0, BATCH);
  for (const [jobId, dueMs] of pairsOf(due)) {
    // BullMQ refuses a job that is no longer delayed. A full Redis refuses too: then the due time must stay.
    await queue
      .getBackend()
      .promote(jobId)
      .catch((error: unknown) => {
        if (isUnwritable(error)) throw error;
      });
    await forgetDue.run(connection, [keys.due], [jobId, dueMs]);
  }
}
