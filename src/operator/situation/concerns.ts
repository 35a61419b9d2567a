import type { Concern } from './concern.ts';
import { ofEndpoints } from './concerns-of-endpoints.ts';
import { ofJobs, ofLeftovers, ofReaders, ofTenants } from './concerns-of-jobs.ts';
import { ofRedis, unreachable } from './concerns-of-redis.ts';
import { ofWorkers } from './concerns-of-workers.ts';
import type { Situation } from './situation.ts';

export type { Concern, ConcernCode } from './concern.ts';

/** Everything in a situation that needs an operator's attention, the most urgent first. Pure. */
export function concernsOf(situation: Situation): Concern[] {
  if (situation.unreachable !== null) return [unreachable(situation.unreachable)];
  return [ofRedis, ofWorkers, ofEndpoints, ofJobs, ofTenants, ofReaders, ofLeftovers].flatMap((look) =>
    look(situation),
  );
}

/** A concern in one line. */
export function lineOf({ cause, cost, remedy }: Concern): string {
  return `${cause}; costs: ${cost}; mend: ${remedy}`;
}
