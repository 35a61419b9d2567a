import type { Queue } from 'bullmq';
import { DEFAULT_RETENTION_SECONDS, keysOf, QUEUE_NAME } from './catalog.ts';
import { type Connection, connect, disconnect, whenReady } from './connection.ts';
import { DeadLetters } from './dead-letters.ts';
import { parseData } from './delivery.ts';
import { type DrainResult, drainQueue, resumeQueue } from './drain.ts';
import { type PublishedEnvelope, readEnvelope } from './envelope.ts';
import { HandlerRecords, type HandlerRetention } from './handler-records.ts';
import { Histories } from './histories.ts';
import { entryOf } from './intake-entries.ts';
import { jobEnder } from './job-ender.ts';
import type { JobReader } from './job-reader.ts';
import { Quarantine } from './quarantine.ts';
import { type QueueSnapshot, queueSnapshot } from './queue-snapshot.ts';
import { type RedisFacts, redisFacts } from './redis-facts.ts';
import { TolerantQueue } from './tolerant-queue.ts';

/** A job as an operator sees it: its state and its outcome. */
export interface Inspection {
  jobId: string;
  /** BullMQ's state; `ended` if only the outcome is left, `intake` if it is still on the intake stream. */
  state: string;
  kind: string | null;
  data: unknown;
  failedReason: string | null;
  deliveries: number;
  deaths: number;
  outcome: PublishedEnvelope | null;
}

/** What an operator can do with the queue. */
export interface QueueOperator {
  readonly connection: Connection;
  /** BullMQ's queue, for dashboards. A job without an outcome gets one before it is removed. */
  readonly queue: Queue;
  readonly deadLetters: DeadLetters;
  readonly handlers: HandlerRecords;
  readonly quarantine: Quarantine;
  readonly histories: Histories;
  snapshot(): Promise<QueueSnapshot>;
  redisFacts(): Promise<RedisFacts>;
  /** `null` if neither BullMQ, nor an outcome, nor the intake stream has the job. */
  inspect(jobId: string): Promise<Inspection | null>;
  drain(options: { untilMs: number; signal?: AbortSignal }): Promise<DrainResult>;
  resume(): Promise<void>;
  close(): Promise<void>;
}

/** Connects as an operator. Rejects with `PLATFORM_REDIS_UNREACHABLE` after `connectWithinMs` (default 3,000). */
export async function openOperator(options: {
  jobs: JobReader;
  url: string;
  prefix?: string;
  retentionSeconds?: number;
  handlerRetention?: Partial<HandlerRetention>;
  connectWithinMs?: number;
}): Promise<QueueOperator> {
  const connection = connect(options.url, 'caller');
  try {
    await whenReady(connection, options.connectWithinMs ?? 3_000);
  } catch (error) {
    connection.disconnect();
    throw error;
  }
  const keys = keysOf(options.prefix);
  const queue = new TolerantQueue(QUEUE_NAME, { connection, prefix: keys.prefix, skipMetasUpdate: true });
  queue.beforeRemoval = jobEnder(connection, keys, options.jobs, options.retentionSeconds ?? DEFAULT_RETENTION_SECONDS);
  queue.on('error', () => {});
  return {
    connection,
    queue,
    deadLetters: new DeadLetters(queue, connection, keys, options.jobs),
    handlers: new HandlerRecords(connection, keys, options.handlerRetention),
    quarantine: new Quarantine(connection, keys),
    histories: new Histories(connection, keys),
    snapshot: () => queueSnapshot(queue, connection, keys),
    redisFacts: () => redisFacts(connection, keys),
    async inspect(jobId) {
      const fields = ['name', 'data', 'failedReason', 'ats', 'stc'];
      const [kind, text, failedReason, deliveries, deaths] = await connection.hmget(
        `${keys.queue}:${jobId}`,
        ...fields,
      );
      const outcome = await connection.get(keys.outcome(jobId));
      const entry = kind == null && outcome === null ? await entryOf(connection, keys, jobId) : null;
      if (kind == null && outcome === null && entry === null) return null;
      const state = entry === null ? await queue.getJobState(jobId) : 'intake';
      return {
        jobId,
        state: state === 'unknown' && outcome !== null ? 'ended' : state,
        kind: kind ?? entry?.kind ?? null,
        data: text == null ? (entry?.data ?? null) : parseData(text),
        failedReason: failedReason ?? null,
        deliveries: Number(deliveries ?? 0),
        deaths: Number(deaths ?? 0),
        outcome: outcome === null ? null : readEnvelope(outcome),
      };
    },
    drain: (limits) => drainQueue(queue, limits),
    resume: () => resumeQueue(queue),
    async close() {
      await queue.close().catch(() => undefined);
      await disconnect(connection);
    },
  };
}
