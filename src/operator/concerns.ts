import type { Situation } from './situation.ts';

/** What can need an operator's attention. */
export type ConcernCode =
  | 'redis-unreachable'
  | 'redis-unwritable'
  | 'redis-restarted'
  | 'redis-settings'
  | 'redis-permission'
  | 'redis-errors'
  | 'no-worker'
  | 'worker-gone'
  | 'worker-failed'
  | 'worker-paused'
  | 'queue-paused'
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

/** Everything in a situation that needs an operator's attention, the most urgent first. Pure. */
export function concernsOf(_situation: Situation): Concern[] {
  return [];
}
