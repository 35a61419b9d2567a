import type { ReadingWork } from '../deriving/reading-work.ts';
import type { JobContext } from '../job/ask.ts';
import type { Deadline } from '../kernel/deadline.ts';
import type { Assignment } from './assignment.ts';
import type { Attempted, Declined, Failed } from './lane-candidate.ts';

/** What all candidates of one job share. */
export interface LaneContext extends JobContext {
  assignment: Assignment;
  reading: ReadingWork;
  /** The peer's deadline: until a little before it a reading is waited for. */
  peerDeadline: Deadline;
  /**
   * Every candidate that was not verified, in the order of their ends; `fresh` = it was shown no other's code and no
   * results, and is none of theirs again.
   */
  tried: { fresh: boolean; attempted: Failed | Declined }[];
  /** What became of each module that was put to the test, by its source. */
  modules: Map<string, Promise<Attempted>>;
  /** Attempts under way. */
  running: Set<Promise<unknown>>;
}
