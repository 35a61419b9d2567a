import type { Queue } from 'bullmq';
import { entryOf } from '../intake/intake-entries.ts';
import { parseData } from '../jobs/delivery.ts';
import { type EndedJob, endedJobs } from '../jobs/ended-jobs.ts';
import { type PublishedEnvelope, readEnvelope } from '../jobs/envelope.ts';
import { jobEnder } from '../jobs/job-ender.ts';
import type { JobReader } from '../jobs/job-reader.ts';
import {
  type OutcomeEntry,
  outcomeEntries,
  type ReplayFilter,
  replayable,
  replayOutcomes,
} from '../jobs/outcome-entries.ts';
import { Outcomes } from '../jobs/outcomes.ts';
import { HandlerRecords, type HandlerRetention } from '../kept/handler-records.ts';
import { Histories } from '../kept/histories.ts';
import { type Deed, pausedBy, pauseQueue, resumeQueue } from '../kept/pause.ts';
import { Quarantine } from '../kept/quarantine.ts';
import { SharedLimits } from '../kept/shared-limits.ts';
import { DEFAULT_RETENTION_SECONDS, isUsableId, type Keys, keysOf, QUEUE_NAME } from '../redis/catalog.ts';
import { type Connection, connect, disconnect, whenReady } from '../redis/connection.ts';
import { QueueError } from '../redis/queue-error.ts';
import { type Cancelled, cancelJob } from './cancel-job.ts';
import { DeadLetters } from './dead-letters.ts';
import { type DrainResult, drainQueue } from './drain.ts';
import { type JobFilter, type JobList, listJobs } from './job-list.ts';
import { type QueueSnapshot, queueSnapshot } from './queue-snapshot.ts';
import { type RedisFacts, redisFacts } from './redis-facts.ts';
import { endedWith, newAttemptOf, type Requeued, type RequeueFilter, requeueEnded } from './requeue.ts';
import { type TenantLoads, tenantLoads } from './tenant-loads.ts';
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
  /** Lists jobs by state, verdict, code, tenant and age; bounded work for Redis. */
  jobs(filter: JobFilter): Promise<JobList>;
  /**
   * The whole id of a job that was cut short; the text itself if no job of those that are listed begins with it.
   * Rejects with `JOB_UNKNOWN` if several do.
   */
  jobIdLike(beginning: string): Promise<string>;
  /** Waiting and running jobs by tenant; bounded work for Redis. */
  tenantLoads(): Promise<TenantLoads>;
  /** Cancels a job, wherever it is. */
  cancel(jobId: string): Promise<Cancelled>;
  /** The jobs that ended since a time in milliseconds since 1970, the newest first. */
  endedSince(sinceMs: number): AsyncIterable<EndedJob>;
  /** The jobs that ended with a code since a time, the oldest first. */
  endedWith(filter: RequeueFilter): Promise<EndedJob[]>;
  /** Puts ended jobs again, once each. */
  requeue(jobIds: readonly string[]): Promise<Requeued>;
  /**
   * Data with the lowest `attempt` above theirs that no job has, to submit them again as a new job. Rejects with
   * `JOB_INVALID` if they are not an object.
   */
  newAttemptOf(kind: string, data: unknown): Promise<Record<string, unknown>>;
  /** The entries of an outcome stream, the newest first. */
  outcomeEntries(stream: { replyTo: string; limit: number }): Promise<OutcomeEntry[]>;
  /** The jobs whose outcomes a filter means. */
  replayable(filter: ReplayFilter): Promise<{ jobId: string; replyTo: string }[]>;
  /** Announces outcomes again. */
  replay(jobs: readonly { jobId: string; replyTo: string }[]): Promise<{ replayed: string[]; gone: string[] }>;
  /** Limits that are set for all workers. */
  readonly limits: SharedLimits;
  /** Stops all workers from fetching. Resolves to who paused the queue first, and why. */
  pause(deed: Omit<Deed, 'atMs'>): Promise<Deed>;
  /** Who paused the queue; `null` if it is not paused, or nobody said. */
  pausedBy(): Promise<Deed | null>;
  /** Pauses, and waits until no job runs. */
  drain(options: { untilMs: number; signal?: AbortSignal; by?: string }): Promise<DrainResult>;
  /** Lets all workers fetch again. Resolves to whether the queue was paused. */
  resume(): Promise<boolean>;
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
  const { retentionSeconds = DEFAULT_RETENTION_SECONDS } = options;
  const queue = new TolerantQueue(QUEUE_NAME, { connection, prefix: keys.prefix, skipMetasUpdate: true });
  queue.beforeRemoval = jobEnder(connection, keys, options.jobs, retentionSeconds);
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
      const found = entry === null ? await queue.getJobState(jobId) : 'intake';
      // A job that has its turn waits like any other.
      const state = found === 'prioritized' ? 'waiting' : found;
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
    ...acts(queue, connection, keys, { ...options, retentionSeconds }),
    async close() {
      await queue.close().catch(() => undefined);
      await disconnect(connection);
    },
  };
}

type Acts = Pick<
  QueueOperator,
  | 'jobs'
  | 'jobIdLike'
  | 'tenantLoads'
  | 'cancel'
  | 'endedSince'
  | 'endedWith'
  | 'requeue'
  | 'newAttemptOf'
  | 'outcomeEntries'
  | 'replayable'
  | 'replay'
  | 'limits'
  | 'pause'
  | 'pausedBy'
  | 'drain'
  | 'resume'
>;

function acts(
  queue: Queue,
  connection: Connection,
  keys: Keys,
  { jobs, retentionSeconds }: { jobs: JobReader; retentionSeconds: number },
): Acts {
  const pause = (deed: Omit<Deed, 'atMs'>) => pauseQueue(queue, connection, keys, deed);
  return {
    jobs: (filter) => listJobs(connection, keys, jobs, filter),
    jobIdLike: (beginning) => jobIdLike(beginning, connection, keys, jobs),
    tenantLoads: () => tenantLoads(connection, keys),
    cancel: (jobId) => cancelJob(jobId, queue, connection, keys),
    endedSince: (sinceMs) => endedJobs(connection, keys, sinceMs),
    endedWith: (filter) => endedWith(connection, keys, filter),
    requeue: (jobIds) => requeueEnded(jobIds, new Histories(connection, keys), queue, connection, keys),
    newAttemptOf: (kind, data) => newAttemptOf(kind, data, connection, keys),
    outcomeEntries: (stream) => outcomeEntries(connection, keys, stream),
    replayable: (filter) => replayable(connection, keys, filter),
    replay: (ended) => replayOutcomes(ended, new Outcomes(connection, keys, retentionSeconds)),
    limits: new SharedLimits(connection, keys),
    pause,
    pausedBy: async () => ((await queue.isPaused()) ? pausedBy(connection, keys) : null),
    async drain({ by = 'drain', ...limits }) {
      await pause({ by, reason: 'drain' });
      return drainQueue(queue, limits);
    },
    resume: () => resumeQueue(queue, connection, keys),
  };
}

async function jobIdLike(beginning: string, connection: Connection, keys: Keys, jobs: JobReader): Promise<string> {
  // The text may be the name of one of BullMQ's own keys.
  const names = isUsableId(beginning) ? [`${keys.queue}:${beginning}`, keys.outcome(beginning)] : [];
  if (names.length > 0 && (await connection.exists(...names)) > 0) return beginning;
  const { jobs: listed } = await listJobs(connection, keys, jobs, { idStart: beginning, limit: 100 });
  const jobIds = [...new Set(listed.map(({ jobId }) => jobId))];
  const [only] = jobIds;
  if (jobIds.length > 1)
    throw new QueueError(
      'JOB_UNKNOWN',
      `Cannot find job ${beginning}: found ${jobIds.length} whose ids begin so, such as ${jobIds.slice(0, 3).join(', ')}, wanted one`,
    );
  // It may still be on the intake stream, under its whole id.
  return only ?? beginning;
}
