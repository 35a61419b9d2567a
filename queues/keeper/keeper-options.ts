import type { Queue } from 'bullmq';
import type { Reason } from '../jobs/envelope.ts';
import type { JobCloser } from '../jobs/job-closer.ts';
import type { JobReader } from '../jobs/job-reader.ts';
import type { Outcomes } from '../jobs/outcomes.ts';
import type { Turns } from '../jobs/turns.ts';
import type { Keys } from '../redis/catalog.ts';
import type { Connection } from '../redis/connection.ts';
import type { OnQueueEvent } from '../redis/queue-event.ts';

/** What a keeper and its steps work with. */
export interface KeeperOptions {
  connection: Connection;
  keys: Keys;
  jobs: JobReader;
  outcomes: Outcomes;
  closer: JobCloser;
  queue: Queue;
  turns: Turns;
  retentionSeconds: number;
  /** Why this worker fetches no jobs, if that is a fault; `null` while it does. */
  heldBy?: () => Reason | null;
  onError: (error: unknown) => void;
  onEvent: OnQueueEvent;
}
