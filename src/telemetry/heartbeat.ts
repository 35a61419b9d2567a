/** Seconds between two heartbeats of a worker. */
export const heartbeatSeconds = 5;

/** Seconds without a heartbeat after which a worker counts as gone. */
export const goneAfterSeconds = 20;

/** A fault: its code, and its message for a person. */
export interface NamedFault {
  code: string;
  message: string;
}

/** No counts. */
export const noTally: Tally = { verdicts: {}, codes: {}, tenants: {}, tries: {}, latency: {}, work: {} };

/** Counts of the last five minutes. */
export interface Tally {
  /** Outcomes by verdict. */
  verdicts: Record<string, number>;
  /** Error findings of outcomes, by code. */
  codes: Record<string, number>;
  /** Outcomes by tenant; the rarest are counted under `others`. */
  tenants: Record<string, number>;
  /** Tries of model calls by endpoint, then by `answered` or error code. */
  tries: Record<string, Record<string, number>>;
  /** Outcomes by bucket of latency: bucket `n` has those up to 2^(n/2) seconds after Redis accepted the job. */
  latency: Record<string, number>;
  /** `reused` and `made` handlers, `inputTokens` and `outputTokens`, `costUsd` if prices are known. */
  work: Record<string, number>;
}

/** The bucket in `latency` of a time. */
export function latencyBucket(ms: number): string {
  return String(Math.ceil(2 * Math.log2(Math.max(ms, 1) / 1_000)));
}

/**
 * The quantile of the latency, in seconds: the upper end of its bucket, so at most 1.4 times too high. `null` without
 * outcomes.
 */
export function latencyQuantile({ latency }: Pick<Tally, 'latency'>, share: number): number | null {
  const steps = Object.entries(latency)
    .map(([name, count]) => [Number(name), count] as const)
    .sort(([one], [other]) => one - other);
  const wanted = steps.reduce((sum, [, count]) => sum + count, 0) * share;
  let seen = 0;
  for (const [step, count] of steps) {
    seen += count;
    if (seen >= wanted) return 2 ** (step / 2);
  }
  return null;
}

/** A job that ended with an error of its producer. */
export interface InvalidJob {
  jobId: string;
  code: string;
  tenant: string | null;
  replyTo: string;
}

/** Calls to one endpoint that have not had a byte of their answer for a while. */
export interface SilentCalls {
  endpoint: string;
  calls: number;
  longestMs: number;
}

/** What a worker writes about itself to Redis every few seconds. */
export interface Heartbeat {
  /** Host and process, and a few random characters. */
  worker: string;
  version: string;
  /** `stopped`: it ended as told; `failed`: it could not start, `fault` says why. */
  state: 'running' | 'stopping' | 'stopped' | 'failed';
  fault: NamedFault | null;
  upMs: number;
  concurrency: number;
  running: number;
  /** Some of the jobs that it runs. */
  jobs: string[];
  cells: { all: number; waiting: number; killed: number };
  level: string | null;
  /** Why it fetches no jobs; empty while it does. */
  paused: string[];
  sinceFetchMs: number;
  /** Since a job last ended; `null` before the first. */
  sinceEndMs: number | null;
  /** The commands and keys that its Redis user may not use; read after a refused command, `null` before. */
  forbidden: { user: string; missing: string[] } | null;
  /** Errors of Redis of the last five minutes, the most frequent first. */
  redisFaults: (NamedFault & { count: number })[];
  silent: SilentCalls[];
  /** How long ago a part of an answer came, in milliseconds, by endpoint; workers of earlier versions do not say it. */
  heard?: Record<string, number>;
  invalid: InvalidJob[];
  recent: Tally;
  /** Outcomes of the last minute. */
  endedLastMinute: number;
  /** Mean time that it spent on a job of the last five minutes, in milliseconds; `null` without one. */
  meanRunMs: number | null;
}
