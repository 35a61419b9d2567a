import type { ReadingWork } from '../deriving/reading-work.ts';
import type { JobContext } from '../job/ask.ts';
import type { Deadline } from '../kernel/deadline.ts';
import type { Assignment } from './assignment.ts';
import type { Attempted, Declined, Failed } from './lane-candidate.ts';

/** What all candidates of one job share. */
export interface LaneContext extends JobContext {
  assignment: Assignment;
  reading: ReadingWork;
  /** The peer's deadline: a reading is waited for until shortly before it. */
  peerDeadline: Deadline;
  /**
   * Every candidate that was not verified, in the order in which they ended; `fresh` = independent: its prompt showed
   * no other code or results, and it is not a copy of another candidate.
   */
  tried: { fresh: boolean; attempted: Failed | Declined }[];
  /** The result of each module that was tried, by its source. */
  modules: Map<string, Promise<Attempted>>;
  /** Attempts in progress. */
  running: Set<Promise<unknown>>;
}
