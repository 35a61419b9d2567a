import { QueueError } from '../redis/queue-error.ts';
import type { Envelope, Reason } from './envelope.ts';
import { dataDigestOf } from './job-id.ts';
import type { JobReader } from './job-reader.ts';
import { limits } from './limits.ts';
import type { Beginning, Outcomes } from './outcomes.ts';

/** A job as a worker gets it. */
export interface Delivery {
  readonly jobId: string;
  /** The name of the BullMQ job. */
  readonly kind: string;
  /** `null` if the data do not say. */
  readonly negotiationId: string | null;
  /** The parsed JSON, or the text itself if it is not JSON. Not validated. */
  readonly data: unknown;
  /** The JSON text of the data; empty if the queue did not keep them. */
  readonly text: string;
  /** `default` if the data do not say. */
  readonly tenant: string;
  /** The producer's trace context (W3C), if it gave one. */
  readonly traceparent?: string;
  readonly dataDigest: string;
  /** Size of the JSON text. */
  readonly rawBytes: number;
  /** When Redis took the job, in milliseconds since 1970 by the local clock. */
  readonly takenAtMs: number;
  /**
   * When the peer stops waiting, in milliseconds since 1970 by the local clock; the family's default if the data do not
   * tell.
   */
  readonly deadlineAtMs: number;
  /** 1 on the first delivery. */
  readonly delivery: number;
  /** How many workers died while processing this job. */
  readonly deaths: number;
  /** Why it was put back last; `null` if it never was. */
  readonly lastFault?: Reason | null;
  /** The outcome stream of its entries. */
  readonly replyTo: string;
  /** Warnings for its outcome: parts of the job that were ignored. */
  readonly ignored?: readonly Reason[];
  /**
   * Publishes the outcome now, while processing goes on. Resolves to whether this outcome counts. What the process
   * returns afterwards is not published.
   */
  publishNow(outcome: Envelope): Promise<boolean>;
  /** The messages that an earlier delivery announced with `announceEarly`. */
  readonly announced: readonly object[];
  /**
   * Announces messages that can be forwarded at once (`final` = 0). Once per job; they come first in its outcome, no
   * matter who publishes that.
   */
  announceEarly(entry: {
    negotiationId: string | null;
    messages: readonly object[];
    protocolHash: string | null;
  }): Promise<void>;
  /**
   * Announces a handler that was finished after the outcome (`kind` = `late`): its digest, and that of the one it
   * replaces. `digest` is `null` if that one was withdrawn and no other could be made.
   */
  announceLate(entry: {
    negotiationId: string | null;
    protocolHash: string | null;
    digest: string | null;
    withdrawn?: string;
  }): Promise<void>;
}

/** A job as it is stored in Redis. */
export interface StoredJob {
  jobId: string;
  kind: string;
  /** The JSON text of its data. */
  text: string;
  data: unknown;
  deliveries: number;
  deaths: number;
  traceparent?: string | undefined;
  lastFault?: Reason | null;
}

/** Makes the delivery of a stored job; its `publishNow` rejects until the job runs. */
export function deliveryOf(job: StoredJob, beginning: Beginning, outcomes: Outcomes, jobs: JobReader): Delivery {
  const { jobId, kind, data, text, deaths, lastFault = null } = job;
  // Deadlines follow Redis' clock; workers use the local one.
  const takenAtMs = beginning.takenAtMs + Date.now() - beginning.nowMs;
  const { negotiationId, replyTo: given, timeoutMs, tenant } = jobs.factsOf(kind, data);
  const replyTo = given ?? 'default';
  return {
    jobId,
    kind,
    negotiationId,
    data,
    text,
    tenant: tenant ?? 'default',
    ...(job.traceparent === undefined ? {} : { traceparent: job.traceparent }),
    dataDigest: dataDigestOf(data, text),
    rawBytes: Buffer.byteLength(text),
    takenAtMs,
    deadlineAtMs: takenAtMs + timeoutMs,
    delivery: Math.max(1, job.deliveries),
    deaths,
    lastFault,
    replyTo,
    announced: beginning.announced,
    publishNow: () =>
      Promise.reject(
        new QueueError(
          'DEFECT_NOT_RUNNING',
          'Cannot publish outcome: found a job that does not run, wanted a running one',
        ),
      ),
    announceEarly: (entry) => outcomes.announceEarly({ ...entry, jobId, kind }, replyTo),
    announceLate: ({ digest, withdrawn, ...entry }) =>
      outcomes.announceLate({ ...entry, jobId }, { digest, withdrawn }, replyTo),
  };
}

/** Parses a job's JSON text. Returns the text itself if it is not JSON or too large to parse. */
export function parseData(text: string): unknown {
  if (text.length > limits.parsedBytes.value) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
