/** The BullMQ queue that jobs are put on. */
export const QUEUE_NAME = 'code-generation';

/** Prefix of every key. Its braces are a hash tag: all keys stand on one slot of a Redis Cluster. */
export const DEFAULT_PREFIX = '{protosmith}';

/** The kinds of job, which are names of BullMQ jobs. */
export const kinds = ['generate', 'review', 'verify', 'fix', 'observe'] as const;

/** How long outcomes and their stream entries are kept unless configured, in seconds: 7 days. */
export const DEFAULT_RETENTION_SECONDS = 7 * 24 * 3600;

/** How long a request to cancel a job stands, in seconds. */
export const CANCEL_SECONDS = 600;

/** The name of a stream, a tenant: what `replyTo` and `tenant` must match. */
export const NAME_PATTERN = /^[A-Za-z0-9_-]{1,64}$/;

/** Says whether a job id was given out by BullMQ itself; such ids come again. */
export function isAutomaticId(jobId: string): boolean {
  return /^\d+$/.test(jobId);
}

/** The names of all keys under a prefix. */
export interface Keys {
  readonly prefix: string;
  /** Keys of BullMQ's own for the queue start with this. */
  readonly queue: string;
  readonly intake: string;
  outcome(jobId: string): string;
  outcomes(replyTo: string): string;
  cancel(jobId: string): string;
  /** When Redis took the job, remembered across deliveries. */
  taken(jobId: string): string;
  /** Jobs put back, scored by the moment they are due, by Redis' clock. */
  readonly due: string;
  handler(tenant: string, digest: string): string;
}

/** Names the keys under a prefix. Throws `OPERATOR_PREFIX_UNSAFE` for a prefix without a hash tag, since its keys could not share a Lua call on a cluster. */
export function keysOf(prefix: string = DEFAULT_PREFIX): Keys {
  return {
    prefix,
    queue: `${prefix}:${QUEUE_NAME}`,
    intake: `${prefix}:intake`,
    outcome: (jobId) => `${prefix}:outcome:${jobId}`,
    outcomes: (replyTo) => `${prefix}:outcomes:${replyTo}`,
    cancel: (jobId) => `${prefix}:cancel:${jobId}`,
    taken: (jobId) => `${prefix}:taken:${jobId}`,
    due: `${prefix}:due`,
    handler: (tenant, digest) => `${prefix}:handler:${tenant}:${digest}`,
  };
}
