import type { Queue } from 'bullmq';
import type { Keys } from './catalog.ts';
import type { Connection } from './connection.ts';
import type { Reason } from './envelope.ts';
import type { JobCloser } from './job-closer.ts';
import type { JobReader } from './job-reader.ts';
import type { Outcomes } from './outcomes.ts';
import type { OnQueueEvent } from './queue-event.ts';

/** What a keeper and its steps work with. */
export interface KeeperOptions {
  connection: Connection;
  keys: Keys;
  jobs: JobReader;
  outcomes: Outcomes;
  closer: JobCloser;
  queue: Queue;
  retentionSeconds: number;
  /** Why this worker fetches no jobs, if that is a fault; `null` while it does. */
  heldBy?: () => Reason | null;
  onError: (error: unknown) => void;
  onEvent: OnQueueEvent;
}
