/** What happened on the queue, for logs and metrics; without job data and secrets. */
export interface QueueEvent {
  event: /** A worker starts on a job; `waitedMs` since Redis took it. */
    | 'taken'
    /** An outcome became visible; `latencyMs` since Redis took its job. */
    | 'published'
    /** An outcome was not published: the job had one. */
    | 'suppressed'
    /** An outcome was announced again. */
    | 'replayed'
    /** A job was refused for its id, or for the limit of its tenant. */
    | 'refused'
    /** A job comes back after `delayMs`. */
    | 'retried'
    /** A job of a later version was put back. */
    | 'put-back'
    /** A job went back to the queue because its worker stops. */
    | 'handed-back'
    | 'cancelled'
    /** Another worker may have the job, so this one drops it. */
    | 'lock-lost'
    /** A job was taken from a dead worker. */
    | 'stalled'
    /** A job ends with `error`, without a verdict. */
    | 'given-up'
    /** A job came from the intake stream. */
    | 'bridged'
    /**
     * A value in Redis that was written by hand and unusable was put aside or repaired; `message` says which.
     */
    | 'mended'
    /** Fetching pauses or resumes; `message` says why. */
    | 'paused'
    | 'resumed'
    /** An error of the connection or of a command; `count` since the last such event. */
    | 'redis-error';
  jobId?: string;
  kind?: string;
  /** `null` if the job's data do not say. */
  negotiationId?: string | null;
  /** `null` if the job's data do not say. */
  tenant?: string | null;
  verdict?: string;
  /** The stream of a published outcome's entries. */
  replyTo?: string;
  /** Codes of the error findings of a published outcome. */
  codes?: string[];
  code?: string;
  message?: string;
  delayMs?: number;
  waitedMs?: number;
  latencyMs?: number;
  count?: number;
}

/** How an event names its job. */
export interface JobNames {
  jobId: string;
  kind: string;
  negotiationId: string | null;
  tenant?: string | null;
}

/** A job's names alone. */
export function namesOf({ jobId, kind, negotiationId, tenant }: JobNames): JobNames {
  return { jobId, kind, negotiationId, ...(tenant === undefined ? {} : { tenant }) };
}

/** Receives the events of a queue. */
export type OnQueueEvent = (event: QueueEvent) => void;

/**
 * Reports the first of similar errors at once, then one per `everyMs` with their number: an outage causes thousands a
 * second.
 */
export class ErrorSummary {
  readonly #onEvent: OnQueueEvent;
  readonly #everyMs: number;
  readonly #kinds = new Map<string, { saidAtMs: number; unsaid: number }>();

  constructor(onEvent: OnQueueEvent, everyMs = 30_000) {
    this.#onEvent = onEvent;
    this.#everyMs = everyMs;
  }

  /** Records an error. */
  note(error: { message: string; code?: string }): void {
    const kind = error.code ?? error.message.slice(0, 24);
    const nowMs = performance.now();
    const known = this.#kinds.get(kind);
    if (known !== undefined && nowMs - known.saidAtMs < this.#everyMs) {
      known.unsaid += 1;
      return;
    }
    if (this.#kinds.size > 100) this.#kinds.clear();
    this.#kinds.set(kind, { saidAtMs: nowMs, unsaid: 0 });
    const code = error.code === undefined ? {} : { code: error.code };
    this.#onEvent({ event: 'redis-error', message: error.message, count: (known?.unsaid ?? 0) + 1, ...code });
  }
}
