/** What can need an operator's attention. */
export type ConcernCode =
  | 'redis-unreachable'
  | 'redis-unwritable'
  | 'redis-permission'
  | 'redis-restarted'
  | 'redis-errors'
  | 'redis-settings'
  | 'queue-paused'
  | 'no-worker'
  | 'worker-gone'
  | 'worker-failed'
  | 'worker-stuck'
  | 'endpoint-refused'
  | 'endpoint-failing'
  | 'jobs-overdue'
  | 'jobs-late'
  | 'many-errors'
  | 'invalid-jobs'
  | 'tenant-flood'
  | 'reader-behind'
  | 'quarantine'
  | 'dead-letters';

/** Something that needs an operator's attention, in plain text; texts of jobs and models in it are not escaped. */
export interface Concern {
  code: ConcernCode;
  /** What is wrong, as one sentence without a full stop. */
  cause: string;
  /** What it costs while nothing is done. */
  cost: string;
  /** What mends it, with the command if there is one. */
  remedy: string;
}

/** How long the end of a worker, or a restart of Redis, stays a concern, in seconds. */
export const namedForSeconds = 900;

/** Failures need attention above this share of all, if there are at least so many. */
export const worrying = { share: 0.1, least: 3 };

/** A job's id as one word for a sentence and a shell: shortened if it is long, quoted if it needs that. */
export function named(jobId: string): string {
  const short = jobId.length > 80 ? `${jobId.slice(0, 77)}…` : jobId;
  return /^[\w.@/+-]+$/.test(short) ? short : `'${short.replaceAll("'", "'\\''")}'`;
}

/** The first names, with commas, and how many more there are. */
export function listed(names: readonly string[], most = 8): string {
  return `${names.slice(0, most).join(', ')}${names.length > most ? ` and ${names.length - most} more` : ''}`;
}

/** Names with their counts, the most frequent first. */
export function byCount(counts: Readonly<Record<string, number>>): [name: string, count: number][] {
  return Object.entries(counts).sort(([, one], [, other]) => other - one);
}

/** The four most frequent codes with their counts, and how many more there are. */
export function ranked(codes: Readonly<Record<string, number>>): string {
  return listed(
    byCount(codes).map(([code, count]) => `${code} ${count}`),
    4,
  );
}

/** A number with two significant digits; from 10 on a whole number. */
export function rounded(value: number): string {
  return value >= 10 ? String(Math.round(value)) : value.toPrecision(2);
}

/** The verb of jobs that wait, in the number of the jobs. */
export function waitOf(count: number): string {
  return count === 1 ? 'waits' : 'wait';
}
