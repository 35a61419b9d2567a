import type { Envelope, Reason } from './envelope.ts';
import { dataDigestOf } from './job-id.ts';
import type { JobReader } from './job-reader.ts';
import { limits } from './limits.ts';
import type { Beginning, Outcomes } from './outcomes.ts';
import { QueueError } from './queue-error.ts';

/** A job as it was handed to a worker. */
export interface Delivery {
  readonly jobId: string;
  /** The name of the BullMQ job. */
  readonly kind: string;
  /** As far as the data can be read; `null` beyond that. */
  readonly negotiationId: string | null;
  /** As parsed from its JSON text; that text itself where it is no JSON. Nothing about it is validated. */
  readonly data: unknown;
  readonly dataDigest: string;
  /** Size of the JSON text. */
  readonly rawBytes: number;
  /** When Redis took the job, in milliseconds since 1970 by the local clock. */
  readonly takenAtMs: number;
  /** When the peer stops waiting, by the local clock; for data that do not say, by the family's default. */
  readonly deadlineAtMs: number;
  /** 1 on the first delivery. */
  readonly delivery: number;
  /** How many workers died over this job. */
  readonly deaths: number;
  /** The outcome stream that its entries go to. */
  readonly replyTo: string;
  /** What of the job was not heeded, whatever becomes of it: warnings of its outcome. */
  readonly ignored?: readonly Reason[];
  /** Publishes the outcome now, while work goes on; resolves to whether it is this one that counts. Whatever is returned afterwards is not published. */
  publishNow(outcome: Envelope): Promise<boolean>;
  /** The messages that an earlier delivery put on the stream with `announceEarly`. */
  readonly announced: readonly object[];
  /** Puts messages on the stream that can be forwarded at once (`final` = 0): once for a job, and first in its outcome, whoever publishes that. */
  announceEarly(entry: {
    negotiationId: string | null;
    messages: readonly object[];
    protocolHash: string | null;
  }): Promise<void>;
  /**
   * Puts an entry with `kind` = `late` on the stream: the digest of a handler that was finished after the outcome, and
   * of the one that it replaces. `digest` is `null` where that one was withdrawn and no other could be made.
   */
  announceLate(entry: {
    negotiationId: string | null;
    protocolHash: string | null;
    digest: string | null;
    withdrawn?: string;
  }): Promise<void>;
}

/** A job as it lies in Redis. */
export interface StoredJob {
  jobId: string;
  kind: string;
  /** The JSON text of its data. */
  text: string;
  data: unknown;
  deliveries: number;
  deaths: number;
}

/** Makes the delivery of a stored job; `publishNow` is refused until work on it runs. */
export function deliveryOf(job: StoredJob, beginning: Beginning, outcomes: Outcomes, jobs: JobReader): Delivery {
  const { jobId, kind, data, text, deaths } = job;
  // Deadlines follow Redis' clock; what is done with them here follows the local one.
  const takenAtMs = beginning.takenAtMs + Date.now() - beginning.nowMs;
  const { negotiationId, replyTo: given, timeoutMs } = jobs.factsOf(kind, data);
  const replyTo = given ?? 'default';
  return {
    jobId,
    kind,
    negotiationId,
    data,
    dataDigest: dataDigestOf(data, text),
    rawBytes: Buffer.byteLength(text),
    takenAtMs,
    deadlineAtMs: takenAtMs + timeoutMs,
    delivery: Math.max(1, job.deliveries),
    deaths,
    replyTo,
    announced: beginning.announced,
    publishNow: () =>
      Promise.reject(new QueueError('DEFECT_NOT_RUNNING', 'Cannot publish outcome: found a job that does not run')),
    announceEarly: (entry) => outcomes.announceEarly({ ...entry, jobId, kind }, replyTo),
    announceLate: ({ digest, withdrawn, ...entry }) =>
      outcomes.announceLate({ ...entry, jobId }, { digest, withdrawn }, replyTo),
  };
}

/** Parses a job's JSON text; the text itself where it is no JSON, or too large to be looked into. */
export function parseData(text: string): unknown {
  if (text.length > limits.parsedBytes.value) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
