import { QueueKeys } from 'bullmq';
import { QueueError } from './queue-error.ts';
import { sha256Hex } from './sha256.ts';

/** The BullMQ queue that jobs are put on. */
export const QUEUE_NAME = 'code-generation';

/** Prefix of every key. Its braces are a hash tag: all keys are on one slot of a Redis Cluster. */
export const DEFAULT_PREFIX = '{protosmith}';

/** How long outcomes and their stream entries are kept unless configured, in seconds: 7 days. */
export const DEFAULT_RETENTION_SECONDS = 7 * 24 * 3600;

/** How long a request to cancel a job is kept, in seconds. */
export const CANCEL_SECONDS = 600;

/** The longest time that a job may ask for, in milliseconds: 10 minutes. */
export const LONGEST_WAIT_MS = 600_000;

/** The pattern that `replyTo` and `tenant` must match. */
export const NAME_PATTERN = /^[A-Za-z0-9_-]{1,64}$/;

/** The tenant of jobs whose data do not say; no tenant can have this name. */
export const NO_TENANT = '?';

/** Whether BullMQ generated a job id. It reuses such ids. */
export function isAutomaticId(jobId: string): boolean {
  return /^\d+$/.test(jobId);
}

/** Names of BullMQ's own keys. A job with such an id would overwrite one of them and break the queue. */
export const bullKeys: ReadonlySet<string> = new Set(Object.keys(new QueueKeys().getKeys(QUEUE_NAME)));

/** Whether a producer may use a job id. BullMQ refuses what parses as an integer, and `NaN`. */
export function isUsableId(jobId: string): boolean {
  const isNumber = isAutomaticId(jobId) || `${Number.parseInt(jobId, 10)}` === jobId;
  // Clients read an id that is not UTF-8 as U+FFFD: no job can be found under what they read.
  return /^[^:\ufffd]{1,200}$/u.test(jobId) && !isNumber && !bullKeys.has(jobId);
}

/** The names of all keys under a prefix. */
export interface Keys {
  readonly prefix: string;
  /** Prefix of BullMQ's keys for the queue. */
  readonly queue: string;
  readonly intake: string;
  outcome(jobId: string): string;
  outcomes(replyTo: string): string;
  /** The stream that a job's outcome was announced on, kept while its producer may have just submitted it again. */
  replyTo(jobId: string): string;
  cancel(jobId: string): string;
  /** What a job has spent over all its deliveries. */
  spent(jobId: string): string;
  /** What an earlier delivery of a job left for the next. */
  left(jobId: string): string;
  /** Messages of a job that were announced before its outcome. */
  announced(jobId: string): string;
  /** Jobs put back, scored by their due time by Redis' clock. */
  readonly due: string;
  /** Jobs without an outcome, scored by their deadline, by Redis' clock. */
  readonly deadlines: string;
  /** The last turn of each tenant; the member `:now` has the turn of the job that was taken last. */
  readonly turns: string;
  /** A tenant's jobs that no worker has taken yet, scored by their deadline, by Redis' clock. */
  waiting(tenant: string): string;
  /** Names of the tenants with waiting jobs, scored by the last deadline of those. */
  readonly waitingTenants: string;
  /** Limits that an operator set for all workers, by name. */
  readonly limits: string;
  /** Who paused the queue, and why. */
  readonly pausedBy: string;
  /** The outcomes of all jobs in the order of their publication, one entry each. */
  readonly ended: string;
  /** The keeper's position in BullMQ's events. */
  readonly seen: string;
  /** The position in BullMQ's events up to which the times at which Redis took jobs were read. */
  readonly moments: string;
  lease(name: string): string;
  coolDown(endpoint: string): string;
  /** Names of rate limited endpoints, scored by the end of their cool-down by Redis' clock. */
  readonly resting: string;
  /** Names of model endpoints whose circuit opened, scored by the end of their half-open state by Redis' clock. */
  readonly failing: string;
  circuit(endpoint: string, part: 'failures' | 'open' | 'tripped' | 'probe'): string;
  /** The first failure that opened the circuit of an endpoint. */
  endpointFault(endpoint: string): string;
  handler(tenant: string, digest: string): string;
  /** Digests of a tenant's handlers, scored by the time of their last use. */
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
  /** What each worker last said of itself, by its name. */
  readonly heartbeats: string;
  /** Names of workers, scored by their last heartbeat by Redis' clock. */
  readonly heard: string;
  /** Where a value that was unusable under its key is kept. */
  putAside(key: string): string;
  /** What happened to a job: a stream of JSON entries. */
  history(jobId: string): string;
  /** A job as it was submitted, and how much is kept of it. */
  submitted(jobId: string): string;
  /** The jobs of which something is kept, as `<tenant>:<jobId>`, scored by the time of the last entry in seconds. */
  readonly histories: string;
}

/**
 * The keys under a prefix. Throws `OPERATOR_PREFIX_UNSAFE` for a prefix without a hash tag: on a cluster, its keys
 * could not be used in one Lua call.
 */
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
    left: (jobId) => `${prefix}:left:${jobId}`,
    announced: (jobId) => `${prefix}:announced:${jobId}`,
    due: `${prefix}:due`,
    deadlines: `${prefix}:deadlines`,
    turns: `${prefix}:turns`,
    waiting: (tenant) => `${prefix}:waiting:${tenant}`,
    waitingTenants: `${prefix}:waiting-tenants`,
    limits: `${prefix}:limits`,
    pausedBy: `${prefix}:paused-by`,
    ended: `${prefix}:ended`,
    seen: `${prefix}:seen`,
    moments: `${prefix}:moments`,
    lease: (name) => `${prefix}:lease:${name}`,
    coolDown: (endpoint) => `${prefix}:cool-down:${sha256Hex(endpoint)}`,
    resting: `${prefix}:resting`,
    failing: `${prefix}:failing`,
    circuit: (endpoint, part) => `${prefix}:circuit:${sha256Hex(endpoint)}:${part}`,
    endpointFault: (endpoint) => `${prefix}:endpoint-fault:${sha256Hex(endpoint)}`,
    handler: (tenant, digest) => `${prefix}:handler:${tenant}:${digest}`,
    handlers: (tenant) => `${prefix}:handlers:${tenant}`,
    handlerLookup: (tenant, lookup) => `${prefix}:handler-lookup:${tenant}:${lookup}`,
    reading: (tenant, key) => `${prefix}:reading:${tenant}:${key}`,
    pinnedHandlers: (tenant) => `${prefix}:handlers-pinned:${tenant}`,
    withdrawnHandlers: (tenant) => `${prefix}:handlers-withdrawn:${tenant}`,
    tenants: `${prefix}:tenants`,
    quarantined: (digest) => `${prefix}:quarantined:${digest}`,
    quarantine: `${prefix}:quarantine`,
    heartbeats: `${prefix}:heartbeats`,
    heard: `${prefix}:heard`,
    putAside: (key) => `${prefix}:put-aside:${key.slice(prefix.length + 1)}`,
    history: (jobId) => `${prefix}:history:${jobId}`,
    submitted: (jobId) => `${prefix}:submitted:${jobId}`,
    histories: `${prefix}:histories`,
  };
}
