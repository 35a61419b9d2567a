import { QueueKeys } from 'bullmq';
import { sha256Hex } from './job-id.ts';
import { QueueError } from './queue-error.ts';

/** The BullMQ queue that jobs are put on. */
export const QUEUE_NAME = 'code-generation';

/** Prefix of every key. Its braces are a hash tag: all keys stand on one slot of a Redis Cluster. */
export const DEFAULT_PREFIX = '{protosmith}';

/** How long outcomes and their stream entries are kept unless configured, in seconds: 7 days. */
export const DEFAULT_RETENTION_SECONDS = 7 * 24 * 3600;

/** How long a request to cancel a job stands, in seconds. */
export const CANCEL_SECONDS = 600;

/** The longest that a peer waits for its outcome, in milliseconds: 10 minutes. */
export const LONGEST_WAIT_MS = 600_000;

/** The name of a stream, a tenant: what `replyTo` and `tenant` must match. */
export const NAME_PATTERN = /^[A-Za-z0-9_-]{1,64}$/;

/** Says whether a job id was given out by BullMQ itself; such ids come again. */
export function isAutomaticId(jobId: string): boolean {
  return /^\d+$/.test(jobId);
}

/** What BullMQ keeps beside the jobs of a queue, under names like theirs: a job so named would break the queue. */
export const bullKeys: ReadonlySet<string> = new Set(Object.keys(new QueueKeys().getKeys(QUEUE_NAME)));

/** Says whether a producer may give a job this id: what BullMQ reads as a whole number, `NaN` among them, it refuses. */
export function isUsableId(jobId: string): boolean {
  const isNumber = isAutomaticId(jobId) || `${Number.parseInt(jobId, 10)}` === jobId;
  // As U+FFFD a client reads what is no UTF-8: under the id that it has read there is no job.
  return /^[^:\ufffd]{1,200}$/u.test(jobId) && !isNumber && !bullKeys.has(jobId);
}

/** The names of all keys under a prefix. */
export interface Keys {
  readonly prefix: string;
  /** Keys of BullMQ's own for the queue start with this. */
  readonly queue: string;
  readonly intake: string;
  outcome(jobId: string): string;
  outcomes(replyTo: string): string;
  /** Where a job's outcome was announced, for as long as its producer may just have put it again. */
  replyTo(jobId: string): string;
  cancel(jobId: string): string;
  /** What a job has used up, over all its deliveries. */
  spent(jobId: string): string;
  /** Messages of a job that were announced before its outcome. */
  announced(jobId: string): string;
  /** Jobs put back, scored by the moment they are due, by Redis' clock. */
  readonly due: string;
  /** Jobs without an outcome, scored by their deadline, by Redis' clock. */
  readonly deadlines: string;
  /** Where the keeper's reading of BullMQ's events has got to. */
  readonly seen: string;
  /** Where the reading of BullMQ's events for the moments at which Redis took jobs has got to. */
  readonly moments: string;
  lease(name: string): string;
  coolDown(endpoint: string): string;
  /** Names of endpoints that rest, scored by the moment when they do no more, by Redis' clock. */
  readonly resting: string;
  /** Names of model endpoints whose circuit opened, scored by the moment until which they are distrusted, by Redis' clock. */
  readonly failing: string;
  circuit(endpoint: string, part: 'failures' | 'open' | 'tripped' | 'probe'): string;
  handler(tenant: string, digest: string): string;
  /** Digests of a tenant's handlers, scored by the moment of their last use. */
  handlers(tenant: string): string;
  handlerLookup(tenant: string, lookup: string): string;
  /** The derived cases that were read from one agreement. */
  reading(tenant: string, key: string): string;
  pinnedHandlers(tenant: string): string;
  withdrawnHandlers(tenant: string): string;
  /** Names of the tenants that have handlers. */
  readonly tenants: string;
  quarantined(digest: string): string;
  readonly quarantine: string;
  /** Where it is kept what stood under a key and was of no use there. */
  putAside(key: string): string;
}

/** Names the keys under a prefix. Throws `OPERATOR_PREFIX_UNSAFE` for a prefix without a hash tag, since its keys could not share a Lua call on a cluster. */
export function keysOf(prefix: string = DEFAULT_PREFIX): Keys {
  if (!/\{[^{}]+\}/.test(prefix)) {
    throw new QueueError(
      'OPERATOR_PREFIX_UNSAFE',
      `Cannot use prefix ${JSON.stringify(prefix.slice(0, 80))}: found no hash tag, wanted one in braces, as in ${DEFAULT_PREFIX}`,
    );
  }
  return {
    prefix,
    queue: `${prefix}:${QUEUE_NAME}`,
    intake: `${prefix}:intake`,
    outcome: (jobId) => `${prefix}:outcome:${jobId}`,
    outcomes: (replyTo) => `${prefix}:outcomes:${replyTo}`,
    replyTo: (jobId) => `${prefix}:reply-to:${jobId}`,
    cancel: (jobId) => `${prefix}:cancel:${jobId}`,
    spent: (jobId) => `${prefix}:spent:${jobId}`,
    announced: (jobId) => `${prefix}:announced:${jobId}`,
    due: `${prefix}:due`,
    deadlines: `${prefix}:deadlines`,
    seen: `${prefix}:seen`,
    moments: `${prefix}:moments`,
    lease: (name) => `${prefix}:lease:${name}`,
    coolDown: (endpoint) => `${prefix}:cool-down:${sha256Hex(endpoint)}`,
    resting: `${prefix}:resting`,
    failing: `${prefix}:failing`,
    circuit: (endpoint, part) => `${prefix}:circuit:${sha256Hex(endpoint)}:${part}`,
    handler: (tenant, digest) => `${prefix}:handler:${tenant}:${digest}`,
    handlers: (tenant) => `${prefix}:handlers:${tenant}`,
    handlerLookup: (tenant, lookup) => `${prefix}:handler-lookup:${tenant}:${lookup}`,
    reading: (tenant, key) => `${prefix}:reading:${tenant}:${key}`,
    pinnedHandlers: (tenant) => `${prefix}:handlers-pinned:${tenant}`,
    withdrawnHandlers: (tenant) => `${prefix}:handlers-withdrawn:${tenant}`,
    tenants: `${prefix}:tenants`,
    quarantined: (digest) => `${prefix}:quarantined:${digest}`,
    quarantine: `${prefix}:quarantine`,
    putAside: (key) => `${prefix}:put-aside:${key.slice(prefix.length + 1)}`,
  };
}
