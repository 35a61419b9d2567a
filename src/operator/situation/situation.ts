import type { Deed, QuarantineEntry, QueueSnapshot } from '../../../queues/index.ts';
import type { Heartbeat, InvalidJob, NamedFault, Tally } from '../../telemetry/heartbeat.ts';

/** A worker by its last heartbeat. */
export interface WorkerView extends Heartbeat {
  /** Seconds since its last heartbeat, by Redis' clock. */
  ageSeconds: number;
  /** `gone`: it stopped sending heartbeats without saying that it stops; it ended, or cannot reach Redis. */
  life: 'alive' | 'gone' | 'stopped' | 'failed';
}

/** A model endpoint over the last minutes. */
export interface EndpointView {
  /** Its URL without a query, and the model. */
  endpoint: string;
  /** `refused`: it accepts no question with our key, account or model; `failing`: its circuit is open. */
  state: 'well' | 'resting' | 'failing' | 'refused';
  /** The first fault of the state; `null` if none is known. */
  fault: NamedFault | null;
  /** When the state began, in milliseconds since 1970 by Redis' clock. */
  sinceMs: number | null;
  /** Milliseconds until its cool-down ends; `null` without one. */
  restMs: number | null;
  tries: number;
  failed: number;
  /** Failed tries by code. */
  codes: Record<string, number>;
  /** Calls that have had no byte of an answer for a while. */
  silent: { calls: number; longestMs: number } | null;
  /** Milliseconds since a part of any answer came; `null` if no worker knows of one. */
  quietMs: number | null;
}

/** A tenant's jobs. */
export interface TenantView {
  tenant: string;
  waiting: number;
  running: number;
  /** Outcomes of the last minutes. */
  ended: number;
}

/** A consumer group of an outcome stream. */
export interface ReaderView {
  replyTo: string;
  group: string;
  /** Entries not delivered to it; `null` if Redis cannot tell. */
  unread: number | null;
  /** Entries delivered and not acknowledged. */
  pending: number;
  /** Age of the oldest entry that it has not read or not acknowledged, in seconds. */
  behindSeconds: number | null;
}

/** The jobs that have no outcome yet, against their deadlines. */
export interface BacklogView {
  /** Jobs with a recorded deadline. */
  open: number;
  /** Seconds until the next deadline; negative if it has passed. */
  nextDeadlineSeconds: number | null;
  /** Outcomes per second of the last minute; `null` while no worker is old enough to tell. */
  ratePerSecond: number | null;
  /** Open jobs that miss their deadline at that rate; `null` if the rate is unknown. */
  willMiss: number | null;
}

/** What an operator can know of the whole installation at one moment. */
export interface Situation {
  /** Milliseconds since 1970 by Redis' clock; by the local clock if Redis does not answer. */
  atMs: number;
  /** Why Redis cannot be used at all; everything else is then empty. */
  unreachable: NamedFault | null;
  /** `null` if it could not be read. */
  queue: QueueSnapshot | null;
  /** Who paused the queue, when and why; `null` if it is not paused, or nobody said. */
  pausedBy: Deed | null;
  /** Parts that Redis refused to show, and why. */
  unread: NamedFault[];
  /** Why Redis takes no writes. */
  unwritable: NamedFault | null;
  /** Seconds since Redis started, if workers are older than that. */
  redisRestartedSeconds: number | null;
  /** Commands and keys that the user in use may not use. */
  forbidden: { user: string; missing: string[] };
  workers: WorkerView[];
  /** Over all workers, of the last five minutes. */
  recent: Tally;
  backlog: BacklogView;
  endpoints: EndpointView[];
  tenants: TenantView[];
  readers: ReaderView[];
  quarantine: QuarantineEntry[];
  invalid: InvalidJob[];
  durable: boolean;
}
