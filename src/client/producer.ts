import {
  connect,
  createProducer as createQueueProducer,
  DEFAULT_PREFIX,
  disconnect,
  type ProducerOptions as QueueOptions,
  type Producer as QueueProducer,
  whenReady,
} from '../../queues/index.ts';
import { settings } from '../config.ts';
import type { HandlerRecord } from '../contract/handler.ts';
import type { Job, Kind } from '../contract/job.ts';
import type { Outcome } from '../contract/outcome.ts';
import { createHandlerStore } from '../handlers/redis-handler-store.ts';
import { servedHandler } from '../handlers/served-handler.ts';
import { jobReader } from '../pipeline/job-reader.ts';

type Defaulted =
  | 'tenant'
  | 'family'
  | 'tools'
  | 'loose'
  | 'baseProtocols'
  | 'onContradiction'
  | 'propose'
  | 'timeoutMs'
  | 'workMs'
  | 'attempt'
  | 'replyTo';

/** Where to put jobs, and how long a refused or silent Redis is waited for. */
export type ProducerOptions = Omit<QueueOptions, 'jobs'>;

/** A job's data as a negotiator writes them (job.schema.json): what has a default may be left out, and the kind is no part of them. */
export type JobData = Omit<Job, 'kind' | Defaulted> & Partial<Pick<Job, Defaulted>> & { kind?: never };

/** The queue as a negotiator in TypeScript sees it. Every method rejects with `PLATFORM_REDIS_…` within seconds where Redis does not take it. */
export interface Producer extends QueueProducer {
  /** As the queue's own, typed: what is written against the types is still validated by the worker, and answered with `error` where it is none. */
  submit(kind: Kind, data: JobData, options?: { jobId?: string }): Promise<{ jobId: string }>;
  outcomeOf(jobId: string): Promise<Outcome | null>;
  waitForOutcome(jobId: string, options: { untilMs: number; signal?: AbortSignal }): Promise<Outcome | null>;
  closeExpired(jobId: string, job?: { kind: Kind; data: JobData }): Promise<Outcome>;
  /**
   * The record of a handler that an outcome names, for `loadHandler` of `protosmith/sandbox`. Rejects with `JOB_HANDLER_UNKNOWN` where none of that
   * digest is stored for the tenant (default `default`), or it was withdrawn.
   */
  handlerOf(digest: string, tenant?: string): Promise<HandlerRecord>;
}

/** Opens a producer; the connection is made in the background, and again whenever it is lost. */
export function createProducer(options: ProducerOptions): Producer {
  const { url, prefix = DEFAULT_PREFIX, retentionSeconds = settings.retentionSeconds.fallback } = options;
  const store = { prefix, retentionSeconds, maxHandlersPerTenant: settings.maxHandlersPerTenant.fallback };
  const handlerOf: Producer['handlerOf'] = async (digest, tenant = 'default') => {
    const connection = connect(url, 'caller');
    try {
      await whenReady(connection, options.connectWithinMs ?? 3_000);
      return await servedHandler(createHandlerStore(connection, store), tenant, digest);
    } finally {
      await disconnect(connection);
    }
  };
  // What lies under an outcome's key is by contract what outcome.schema.json says, which the queue does not look into.
  return Object.assign(createQueueProducer({ ...options, jobs: jobReader }), { handlerOf }) as unknown as Producer;
}
