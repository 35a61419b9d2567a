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
import { activeTraceparent } from './traceparent.ts';

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

/** Where to put jobs, and how long to wait for a Redis that refuses or does not answer. */
export type ProducerOptions = Omit<QueueOptions, 'jobs'>;

/**
 * A job's data as a caller writes them (job.schema.json). Members with a default are optional, and the kind is not
 * among them.
 */
export type JobData = Omit<Job, 'kind' | Defaulted> & Partial<Pick<Job, Defaulted>> & { kind?: never };

/** A typed client of the queue. Every method rejects with `PLATFORM_REDIS_…` within seconds if Redis fails. */
export interface Producer extends QueueProducer {
  /**
   * Submits a job, with typed data. The worker still validates them, and answers invalid data with `error`. Its spans
   * are children of `traceparent` (W3C Trace Context), by default of the active span of OpenTelemetry.
   */
  submit(
    kind: Kind,
    data: JobData,
    options?: { jobId?: string; traceparent?: string | undefined },
  ): Promise<{ jobId: string }>;
  outcomeOf(jobId: string): Promise<Outcome | null>;
  waitForOutcome(jobId: string, options: { untilMs: number; signal?: AbortSignal }): Promise<Outcome | null>;
  closeExpired(jobId: string, job?: { kind: Kind; data: JobData }): Promise<Outcome>;
  /**
   * The handler record that an outcome names, for `loadHandler` of `protosmith/sandbox`. Rejects with
   * `JOB_HANDLER_UNKNOWN` if the tenant (default `default`) has no handler of this digest, or it was withdrawn.
   */
  handlerOf(digest: string, tenant?: string): Promise<HandlerRecord>;
}

/** Creates a producer. It connects in the background, and reconnects when the connection is lost. */
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
  // The queue does not know the type of an outcome; by contract it matches outcome.schema.json.
  const producer = createQueueProducer({ ...options, jobs: jobReader });
  const submit: typeof producer.submit = producer.submit.bind(producer);
  return Object.assign(producer, {
    handlerOf,
    submit: async (kind: Kind, data: JobData, given: Parameters<Producer['submit']>[2] = {}) =>
      submit(kind, data, { ...given, traceparent: given.traceparent ?? (await activeTraceparent()) }),
  }) as unknown as Producer;
}
