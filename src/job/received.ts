import type { Job } from '../contract/job.ts';
import type { Language, Statement } from '../contract/statement.ts';
import type { Deadline } from '../kernel/deadline.ts';

/** A valid job with its deadline running. */
export interface Received {
  jobId: string;
  job: Job;
  /** The peer's deadline less a reserve for publishing. */
  peerDeadline: Deadline;
  /** The messages that an earlier delivery announced. */
  announced: readonly object[];
  /** Announces what can be said at once. The queue does so once for a job, and puts it first in its outcome. */
  announceEarly(said: Statement, language: Language): Promise<void>;
  /** By when work for the handler store must end: the peer's deadline and what the job allows after it. */
  workDeadline: Deadline;
  /** Clears the timers of both; nothing fires after that. */
  release(): void;
}
