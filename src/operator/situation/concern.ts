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
  /** What mends it, with the command where there is one. */
  remedy: string;
}

/** A worker that ended or a restart of Redis is named for this long, in seconds. */
export const namedForSeconds = 900;

/** Share of failures above which they need attention, and the fewest failures that count. */
export const worrying = { share: 0.1, least: 3 };

/** A job's id for a sentence and a shell: shortened if it is long, quoted if it needs that. */
export function named(jobId: string): string {
  const short = jobId.length > 80 ? `${jobId.slice(0, 77)}…` : jobId;
  return /^[\w.@/+-]+$/.test(short) ? short : `'${short.replaceAll("'", "'\\''")}'`;
}

/** A count with its noun. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Names in a row, the first few of them. */
export function listed(names: readonly string[], most = 8): string {
  return `${names.slice(0, most).join(', ')}${names.length > most ? ` and ${names.length - most} more` : ''}`;
}

/** Codes with their counts, the most frequent first. */
export function ranked(codes: Readonly<Record<string, number>>): string {
  return listed(
    Object.entries(codes)
      .sort(([, one], [, other]) => other - one)
      .map(([code, count]) => `${code} ${count}`),
    4,
  );
}

/** A number with two digits that count. */
export function rounded(value: number): string {
  return value >= 10 ? String(Math.round(value)) : value.toPrecision(2);
}

/** The verb for jobs that wait. */
export function waitOf(count: number): string {
  return count === 1 ? 'waits' : 'wait';
}
