import type { Job } from '../contract/job.ts';
import type { Language, Statement } from '../contract/statement.ts';
import type { Deadline } from '../kernel/deadline.ts';

/** A valid job with its deadline running. */
export interface Received {
  jobId: string;
  job: Job;
  /** The peer's deadline, less a reserve for publishing. */
  peerDeadline: Deadline;
  /** The messages that an earlier delivery announced. */
  announced: readonly object[];
  /**
   * Announces to the peer what is already certain. The queue does so once for each job, and puts it first in the
   * outcome.
   */
  announceEarly(said: Statement, language: Language): Promise<void>;
  /** Until when work for the handler store may go on: the peer's deadline plus the job's `workMs`. */
  workDeadline: Deadline;
  /** Clears the timers of both deadlines. */
  release(): void;
}
